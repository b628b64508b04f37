"""Exercises of the chapter on risk: predict, choose, find the false line, put in order, repair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Order,
    Predict,
    Variant,
    normal,
    probabilities,
)
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "best_of_class",
    "cars_to_hold_out",
    "models_of_a_test",
    "noise_and_distance",
    "repaired_selection",
]


# --- predict: how many models may one test set judge?

models_of_a_test = Predict(
    "1. Predict: how many models a test can bear",
    "A competition has 2,000 fresh draws as its test set. With a probability of at least 95 % every measured "
    "error rate should lie within five percentage points of its expected one, on either side, for all "
    "finished models at once. How many models may be tested, by the bound of this chapter?",
    answer=550,
    within=1,
    mistakes=[
        Mistake(1101, "that counts one side: an error can also be measured too low"),
        Mistake(3.7, r"the exponent is $-2n\varepsilon^2$: you lost its 2"),
        Mistake(10463, "95 % is for all of them to be right: what is left for the bound?"),
        Mistake(22026, r"that is $e^{2n\varepsilon^2}$; where are the 5 % and the two sides?"),
    ],
    hints=[
        r"One model is off with probability at most $2e^{-2n\varepsilon^2}$. What if any of $M$ may be?",
        r"Solve $2M\,e^{-2\cdot2000\cdot0.05^2}=0.05$ for $M$.",
    ],
    why=r"$M=\frac{0.05}2e^{10}=550.7$, so 550 models. With half as many draws it is "
    r"$\frac{0.05}2e^5=3.7$, three models: the number of models enters through its logarithm.",
)


# --- choose: fifty cars, twenty photographs of each

cars_to_hold_out = Choose(
    "2. Choose: fifty cars",
    "You have twenty photographs of each of fifty cars, of ten makes. "
    "The model will name the make of cars that nobody has photographed yet. Which test set measures that?",
    options=[
        Option(
            "Two hundred photographs at random.",
            why="Nearly every car of the test set is in the training set too, "
            "so recognising the car is enough to name its make.",
        ),
        Option(
            "Twenty photographs of each make, at random.",
            why="The makes are balanced, which is good. "
            "But the cars in the photographs are known from training.",
        ),
        Option(
            "All photographs of ten cars, one of each make.",
            right=True,
            why="The model has never seen these cars, as it will never have seen those it is asked about. "
            "It is a test on ten independent draws, not on two hundred: expect a wide margin.",
        ),
        Option(
            "The four newest photographs of each car.",
            why="This measures how well known cars are recognised later. "
            "It is the right split for that question.",
        ),
    ],
    hints=[
        "What does a test example share with its nearest training example, and will that be so later?",
        "Which draws are independent: the photographs, or the cars?",
    ],
)


# --- find the false line: what no predictor can avoid, and what it adds


def _noise() -> Derivation:
    d = Derivation(
        "noise and distance",
        where={"m": "=Cy"},
        w=probabilities(4),
        C=probabilities(4, 3),
        y=normal(3),
        f=normal(4),
    )
    d.start(r"\sum_iw_i\sum_kC_{ik}(y_k-f_i)^2")
    d.equals(
        r"\sum_iw_i\sum_kC_{ik}\left((y_k-m_i)^2+2(y_k-m_i)(m_i-f_i)+(m_i-f_i)^2\right)",
        because=r"add and subtract $m_i=\sum_kC_{ik}y_k$, and multiply out",
    )
    d.equals(
        r"\sum_iw_i\sum_kC_{ik}(y_k-m_i)^2+\sum_iw_i(m_i-f_i)^2",
        because=r"$m_i$ is the mean of the outputs at input $i$",
    )
    return d.at_least(
        r"\sum_iw_i\sum_kC_{ik}(y_k-m_i)^2",
        because="a square is not negative",
        tight={"f": lambda C, y: C @ y},
    )


noise_and_distance = FalseLine(
    _noise(),
    {
        3: Variant(
            r"\sum_iw_i\sum_kC_{ik}(y_k-m_i)^2+\sum_i(m_i-f_i)^2",
            because=r"$m_i$ is the mean of the outputs at input $i$",
        ),
        4: Variant(r"\sum_iw_i\sum_kC_{ik}(y_k-m_i)^2", because="a square is not negative"),
    },
    name="3. Find the false line: noise and distance",
    why=r"The probabilities of the inputs were lost: a rare input counts with its $w_i$. "
    "With them the line says that the risk is noise that nobody can avoid, plus the distance of $f$ from "
    "the conditional mean.",
    hints=[
        r"Input $i$ has probability $w_i$, and there output $k$ has probability $C_{ik}$. Which sums remain?",
        r"In the last term nothing depends on $k$, and $\sum_kC_{ik}=1$. What is left in front of it?",
    ],
)


# --- put in order: the chosen predictor is nearly as good as the best of its class

best_of_class = Order(
    "4. Put in order: nearly as good as the best",
    r"$\hat f$ has the least empirical risk in a finite class, $f^*$ the least expected risk. "
    r"Why is $R(\hat f)\le R(f^*)+2\varepsilon$ with probability at least $1-\alpha$?",
    lines=[
        r"Choose $\varepsilon$ such that $2M\,e^{-2n\varepsilon^2}=\alpha$.",
        r"So with probability at least $1-\alpha$ every $f$ of the class has "
        r"$\lvert R(f)-\hat R(f)\rvert\le\varepsilon$.",
        r"In particular $R(\hat f)\le\hat R(\hat f)+\varepsilon$.",
        r"By its choice, $\hat R(\hat f)\le\hat R(f^*)$, so $R(\hat f)\le\hat R(f^*)+\varepsilon$.",
        r"And $\hat R(f^*)\le R(f^*)+\varepsilon$, so $R(\hat f)\le R(f^*)+2\varepsilon$.",
    ],
    before=[
        (1, 2, r"which $\varepsilon$? It has to be chosen first"),
        (2, 3, "this is what the bound says about one member: the bound comes before"),
        (3, 4, r"the conclusion of this line needs $R(\hat f)\le\hat R(\hat f)+\varepsilon$"),
        (4, 5, r"here $\hat f$ has been compared with $f^*$ already: where?"),
    ],
    hints=["From the guarantee for all members, to the chosen one, to the best one."],
    why="The bound is used twice, for two members that were not known beforehand. "
    "That is what the union pays for.",
)


# --- repair: a column is chosen on all rows, and then tested on some of them


def _honest(X: Any, y: Any, train: Any, test: Any) -> Any:
    agreement = (X[train] == y[train][:, None]).mean(axis=0)
    best = agreement.argmax()
    return np.mean(X[test, best] != y[test])


def _selected(choose: str, judge: str) -> Any:
    """The same with the rows to choose by and to judge by exchanged."""

    def wrong(X: Any, y: Any, train: Any, test: Any) -> Any:
        rows = {"train": train, "test": test, "all": np.arange(len(y))}
        best = (X[rows[choose]] == y[rows[choose]][:, None]).mean(axis=0).argmax()
        return np.mean(X[rows[judge], best] != y[rows[judge]])

    return wrong


def _case(seed: int, n: int, d: int, held_out: int) -> dict[str, ndarray]:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    return {
        "X": rng.integers(0, 2, (n, d)),
        "y": rng.integers(0, 2, n),
        "train": order[held_out:],
        "test": order[:held_out],
    }


repaired_selection = Exercise(
    "repaired selection",
    answer=_honest,
    cases=[_case(seed, n, d, k) for seed, n, d, k in ((16, 11, 8, 5), (1, 41, 30, 15), (2, 61, 200, 20))],
    mistakes=[
        Mistake(_selected("all", "test"), "the test rows still help to choose the column"),
        Mistake(_selected("test", "test"), "the column is chosen on the rows that judge it"),
        Mistake(_selected("train", "train"), "this is the empirical risk: judge on the test rows"),
        Mistake(_selected("train", "all"), "the training rows must not be among those that judge"),
        Mistake(_selected("test", "train"), "the parts are exchanged: choose on train, judge on test"),
        Mistake(lambda X, y, train, test: 1 - _honest(X, y, train, test), "return the share that is wrong"),
    ],
    hint="which rows may `best` depend on?",
)
