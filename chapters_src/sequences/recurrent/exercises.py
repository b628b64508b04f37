"""Exercises of the chapter on recurrent networks: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.sequences.recurrent import chain_terms, unroll
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "input_weight",
    "misleading_inputs",
    "repaired_way_back",
    "steps_until_gone",
    "what_a_window_sees",
]


# --- predict: how soon a gradient is gone

steps_until_gone = Predict(
    "1. Predict: how soon is it gone?",
    "A recurrent network of one logistic unit has the weight $w_1=3$. Its inputs are unknown. After how many "
    "steps back is $\\partial h_T/\\partial h_{T-k}$ certain to be below 1 %? Give the smallest such $k$.",
    answer=17,
    within=0.1,
    mistakes=[
        Mistake(16, "0.75 to the power 16 is 0.01002, which is not quite below 1 %"),
        Mistake(4, "a quarter is the slope alone; each step multiplies by the weight as well"),
        Mistake(18, "one step back is one factor, not none"),
        Mistake(4.2, "how many whole steps, and with the weight in each factor?"),
    ],
    hints=[
        "How large can the slope of the logistic function be, whatever its input?",
        "Each step back multiplies by $w_1\\phi'(a)$, so by three quarters at most.",
        "$0.75^k<0.01$ needs $k>\\log 0.01/\\log 0.75$.",
    ],
    why="Each factor is at most 3/4, and 0.75¹⁶ = 0.01002, 0.75¹⁷ = 0.0075.",
)


# --- choose: what truncation cuts

what_a_window_sees = Choose(
    "2. Choose: what does a window see?",
    "A model of characters is trained on windows of 24 characters. Each window starts from the state "
    "in which the window before it ended, and gradients stop at the start of the window. What is true?",
    options=[
        Option(
            "Its predictions can depend on at most 24 characters.",
            why="The state is handed on, and with it whatever it holds of earlier windows.",
        ),
        Option(
            "Its predictions can depend on older characters, but nothing in the gradient rewards keeping "
            "them over the start of a window.",
            right=True,
            why="Forward nothing is cut, backward the path ends at the window's start. What is kept for "
            "longer is kept as a side effect of what pays within windows.",
        ),
        Option(
            "The gradient is unbiased, because every character is the first of a window equally often.",
            why="What lies more than 24 steps apart is missing from every window, wherever windows start.",
        ),
        Option(
            "The windows can be shuffled without changing anything.",
            why="Then a window would start from the state of a stretch of text that does not precede it.",
        ),
    ],
    hints=["Follow the state forward over the border of a window, then the gradient backward."],
)


# --- find the false line: the gradient of the input's weight


def _input_weight() -> Derivation:
    where = {"h_1": r"=\tanh(w_0x_1)", "h_2": r"=\tanh(w_0x_2+w_1h_1)", "h_3": r"=\tanh(w_0x_3+w_1h_2)"}
    where |= {f"s_{t}": f"=1-h_{t}^2" for t in (1, 2, 3)}
    d = Derivation("the weight of the inputs", where=where, w_0=normal(), w_1=normal(), x=normal(3))
    d.start(r"\frac{\partial}{\partial w_0}\tanh(w_0x_3+w_1\tanh(w_0x_2+w_1\tanh(w_0x_1)))")
    d.equals(
        r"s_3\left(x_3+w_1\frac{\partial}{\partial w_0}\tanh(w_0x_2+w_1\tanh(w_0x_1))\right)",
        because="chain rule, last step",
    )
    d.equals(r"s_3\left(x_3+w_1s_2\left(x_2+w_1s_1x_1\right)\right)", because="the two steps before it")
    return d.equals(r"s_3x_3+w_1s_3s_2x_2+w_1^2s_3s_2s_1x_1", because="multiply out")


input_weight = FalseLine(
    _input_weight(),
    {
        3: Variant(r"s_3\left(x_3+w_1s_2\left(x_2+s_1x_1\right)\right)", because="the two steps before it"),
        4: Variant(r"s_3x_3+w_1s_3s_2x_2+w_1s_3s_2s_1x_1", because="multiply out"),
    },
    name="3. Find the false line: the weight of the inputs",
    question="A tanh unit reads three inputs from $h_0=0$; $s_t=1-h_t^2$ is its slope at step $t$. Here is "
    "the derivative of $h_3$ by the weight of the inputs. One step does not follow, and the mistake is "
    "carried on. Which line is the first that is false?",
    why="Every step back passes through $w_1$, so $x_1$, two steps before the end, carries $w_1^2$.",
    hints=["Count the steps between each $x_t$ and the end.", "Let all slopes be 1 and $w_1=10$."],
)


# --- repair: a way back that forgets the losses on the way


def _way_back(G: Any, W1: Any, H: Any) -> Any:
    G, W1, H = (np.asarray(one, dtype=float) for one in (G, W1, H))
    delta, back = np.empty_like(G), np.zeros_like(G[0])
    for t in range(len(G) - 1, -1, -1):
        delta[t] = (G[t] + back) * (1 - H[t] ** 2)
        back = delta[t] @ W1.T
    return delta


def _variant(rule: Any, hint: str) -> Mistake:
    """The same loop with another line for Δ."""

    def wrong(G: Any, W1: Any, H: Any) -> Any:
        G, W1, H = (np.asarray(one, dtype=float) for one in (G, W1, H))
        delta = np.empty_like(G)
        after = None
        for t in range(len(G) - 1, -1, -1):
            delta[t] = rule(G[t], after, W1, H[t])
            after = delta[t]
        return delta

    return Mistake(wrong, hint)


def _only_last(g: Any, after: Any, W: Any, h: Any) -> Any:
    return (g if after is None else after @ W.T) * (1 - h**2)


def _outside(g: Any, after: Any, W: Any, h: Any) -> Any:
    return g + (0 if after is None else (after @ W.T) * (1 - h**2))


def _not_turned(g: Any, after: Any, W: Any, h: Any) -> Any:
    return (g + (0 if after is None else after @ W)) * (1 - h**2)


def _no_slope(g: Any, after: Any, W: Any, h: Any) -> Any:
    return (g + (0 if after is None else after @ W.T)) * h


def _case(seed: int, T: int, every: bool) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    G, H = rng.normal(size=(T, 2, 3)), np.tanh(rng.normal(size=(T, 2, 3)))
    if not every:
        G[:-1] = 0.0
    return {"G": G, "W1": rng.normal(size=(3, 3)), "H": H}


repaired_way_back = Exercise(
    "repaired way back",
    answer=_way_back,
    cases=[_case(0, 4, True), _case(1, 5, False), _case(2, 1, True)],
    mistakes=[
        _variant(_only_last, "the losses before the last step are never read"),
        _variant(_outside, "what enters at step t goes through the slope of step t as well"),
        _variant(_not_turned, "forward it was h @ W1, so backward it is the transpose"),
        _variant(_no_slope, "the slope of tanh is one minus the square of its value"),
    ],
    hint="two things arrive at h_t: what its own loss says, and what comes back from step t + 1",
)


# --- break: inputs for which the truncated gradient points the wrong way


def _judge_inputs(attempt: Any) -> str | None:
    x = as_numbers(attempt)
    if x.shape != (4,) or not np.isfinite(x).all() or np.abs(x).max() > 1:
        return f"give four numbers between −1 and 1, please; got {np.round(x, 3).tolist()}."
    states = unroll(x[:, None, None], np.ones((1, 1)), np.array([[1.5]]), np.zeros(1))
    terms = chain_terms(states.a.ravel(), states.h.ravel()[:-1], 1.5, "tanh")
    full, cut = terms.sum(), terms[2:].sum()
    if full * cut < 0 and min(abs(full), abs(cut)) >= 0.01:
        return None
    if full * cut < 0:
        return f"the signs differ, but one is nearly 0: {cut:.4f} and {full:.4f}; make both at least 0.01."
    return f"both point the same way: {cut:.3f} from two steps, {full:.3f} from all four."


misleading_inputs = Exercise(
    "inputs that mislead a short memory",
    judge=_judge_inputs,
    answer=np.array([0.2, -0.4, 0.2, 0.0]),
    hint="the cut gradient sees h₃ and h₂ alone; make them slightly negative while h₁ is positive",
)
