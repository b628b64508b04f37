"""Exercises of the chapter on regularisation: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from chapters_src.networks.regularisation.stopping import stop_early
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "as_much_as_a_penalty",
    "losses_on_the_screen",
    "repaired_patience",
    "uneven_noise",
    "whole_channels",
]


# --- predict: 1 − (1 − ηc)ᵗ passes c/(c + λ)

as_much_as_a_penalty = Predict(
    "1. Predict: as many steps as a penalty",
    r"A parabola has the curvature $c=0.5$. Descent from zero has the rate $\eta=0.2$. After how many steps "
    r"does it keep, for the first time, at least as much of the minimum as the penalty $\lambda=0.5$ does?",
    answer=7,
    within=0.01,
    mistakes=[
        Mistake(
            10, r"that is $1/(\eta\lambda)$, which is right only for directions much flatter than this one"
        ),
        Mistake(6, r"after 6 steps it has gone $1-0.9^6$, a little less than half of the way"),
        Mistake(4, r"each step keeps $1-\eta c$ of the distance, not $1-c$ or $1-2\eta c$: that is 0.9"),
        Mistake(14, "that would be for three quarters: what share does the penalty keep?"),
    ],
    hints=[
        r"The penalty keeps $\frac c{c+\lambda}$ of the minimum. How much is that here?",
        r"The distance to the minimum shrinks by the factor $1-\eta c=0.9$ per step.",
        r"Half of the way: $0.9^t\le\frac12$.",
    ],
    why=r"The penalty keeps a half. $0.9^6=0.531$ and $0.9^7=0.478$, so it takes 7 steps. The rule "
    r"$\lambda=1/(\eta t)$ would say 10; in a direction as steep as this, stopping shrinks less.",
)


# --- choose: the training loss has the masks in it

losses_on_the_screen = Choose(
    "2. Choose: two losses on a screen",
    "A network with dropout prints two losses after every epoch: the mean over its training batches, as they "
    "were computed while it learned, and the loss on validation data. For many epochs the training loss is "
    "the *larger* of the two. The split was random and the sets are large. What should you check first?",
    options=[
        Option(
            "Whether the network overfits.",
            why="Overfitting shows the other way round: a training loss far below the validation loss.",
        ),
        Option(
            "Whether the masks were on in only one of them.",
            right=True,
            why="The training loss was computed with masks, and pays for their noise. Compute it again on "
            "the training data without masks before you compare.",
        ),
        Option(
            "Whether validation examples slipped into the training set.",
            why="Examples that were learned would have about the loss of the training set under the same "
            "conditions, so a leak brings the two together. It cannot put the training loss above.",
        ),
        Option(
            "Whether the validation examples are easier.",
            why="With a random split and large sets the two are about equally hard. Look at how the two "
            "numbers are computed.",
        ),
    ],
    hints=[
        "What differs between the two computations, apart from the data?",
        "On a linear model, what does dropout add to the expected squared error?",
    ],
)


# --- find the false line: noise of another size in each column


def _under_noise(X: Any, y: Any, theta: Any, s: Any) -> Any:
    """The exact mean of the squared error over noise ±√sⱼ in column j."""
    signs = [np.reshape(sign, X.shape) for sign in product((-1.0, 1.0), repeat=X.size)]
    return np.mean([np.sum((y - (X + np.sqrt(s) * sign) @ theta) ** 2) for sign in signs])


def _uneven() -> Derivation:
    d = Derivation(
        "noise of another size in each column",
        where={"n": "rows of X", "D": r"= \operatorname{diag}(s)"},
        X=normal(3, 2),
        y=normal(3),
        theta=normal(2),
        s=uniform(0.3, 2.0, 2),
    )
    d.start(r"\mathbb E\lVert y-(X+\varepsilon)\theta\rVert^2", _under_noise)
    d.equals(
        r"\sum_i\left((y_i-\theta^\top x_i)^2+\sum_js_j\theta_j^2\right)",
        because="squared mean plus variance, in each row",
    )
    d.equals(r"\lVert y-X\theta\rVert^2+n\sum_js_j\theta_j^2", because="add up the rows")
    return d.equals(
        r"\lVert y-X\theta\rVert^2+n\,\theta^\top D\,\theta", because=r"variances on the diagonal of $D$"
    )


uneven_noise = FalseLine(
    _uneven(),
    {
        3: Variant(r"\lVert y-X\theta\rVert^2+\sum_js_j\theta_j^2", because="add up the rows"),
        4: Variant(
            r"\lVert y-X\theta\rVert^2+\theta^\top D\,\theta", because=r"variances on the diagonal of $D$"
        ),
    },
    name="3. Find the false line: noise of another size in each column",
    why=r"Every row brings its own noise, so the second sum is added $n$ times. With the mean of the squares "
    r"in place of their sum the $n$ would be gone.",
    hints=[
        "Check each line for a single column and two rows.",
        r"In $\sum_i(a_i+c)$, how often is $c$ added?",
    ],
)


# --- repair: patience


def _best(losses: Any, patience: int) -> int:
    return stop_early(losses, patience).best


def _against_the_last(losses: Any, patience: int) -> int:
    """Compares with the check before, but returns the lowest so far."""
    waited = 0
    for check in range(1, len(losses)):
        waited = 0 if losses[check] < losses[check - 1] else waited + 1
        if waited == patience:
            return int(np.argmin(losses[: check + 1]))
    return int(np.argmin(losses))


repaired_patience = Exercise(
    "repaired patience",
    answer=_best,
    cases=[
        # long enough that every mistake below ends at another check
        {"losses": np.array([50, 30, 40, 35, 38, 25, 28, 26, 29, 27, 15, 16, 17, 18, 10.0]), "patience": 3},
        {"losses": np.array([5.0, 4.0, 3.0, 2.0]), "patience": 2},
        {"losses": np.array([1.0, 2.0, 3.0, 4.0, 0.5]), "patience": 3},
        {"losses": np.array([4.0, 3.0, 3.0, 3.0, 2.0]), "patience": 3},
        {"losses": np.array([4.0, 3.0, 3.5, 3.2, 2.5, 2.7]), "patience": 4},
    ],
    mistakes=[
        Mistake(
            lambda losses, patience: stop_early(losses, patience).last,
            "this is where training ended, not the copy to keep",
        ),
        Mistake(
            _against_the_last,
            "compare with the lowest loss so far: a dip between two high values is no progress",
        ),
        Mistake(
            lambda losses, patience: int(np.argmin(losses)), "it looks at checks after training has stopped"
        ),
        Mistake(
            lambda losses, patience: stop_early(losses, patience + 1).best, "it waits one check too long"
        ),
    ],
    hint="remember the check with the lowest loss, and count from there",
)


# --- implement: dropout of whole channels


def _whole_channels(x: Any, p: float, u: Any) -> Any:
    return x * (u >= p)[:, :, None, None] / (1 - p)


def _channels_with(mask: Any, scale: Any) -> Any:
    """Another mask or another scale."""
    return lambda x, p, u: x * mask(u, p)[:, :, None, None] * scale(p)


def _channels(seed: int, shape: tuple[int, int, int, int], p: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.normal(size=shape), "p": p, "u": rng.random(shape[:2])}


whole_channels = Exercise(
    "dropout of whole channels",
    answer=_whole_channels,
    cases=[
        _channels(0, (3, 4, 2, 2), 0.3),
        _channels(1, (2, 2, 3, 2), 0.6),
        _channels(2, (1, 5, 1, 1), 0.0),
        _channels(3, (4, 1, 2, 3), 0.8),
    ],
    mistakes=[
        Mistake(
            _channels_with(lambda u, p: u >= p, lambda p: 1.0), "divide the survivors, so that the mean stays"
        ),
        Mistake(
            _channels_with(lambda u, p: u >= p, lambda p: 1 - p),
            "this makes the survivors smaller; the others are missing already",
        ),
        Mistake(
            _channels_with(lambda u, p: u < p, lambda p: 1 / (1 - p)),
            "this keeps a channel with probability p and silences it with 1 − p",
        ),
        Mistake(
            _channels_with(lambda u, p: np.broadcast_to(u[:1] >= p, u.shape), lambda p: 1 / (1 - p)),
            "every example needs a mask of its own",
        ),
    ],
    hint="the mask has one entry per example and channel: give it two axes of length 1 more",
)
