"""Boosting against two of scikit-learn's, against its definition, and where it must end."""

import numpy as np
import pytest
import torch
from scipy.special import expit
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier

from chapters_src import data
from chapters_src.models.ensembles import LOSSES, boosted_scores, fit_boosting, staged_scores
from chapters_src.models.trees import leaf_of


def test_squared_loss_equals_scikit_learn():
    table = data.diabetes()
    ours = fit_boosting(table.X, table.y, rounds=50, max_depth=3)
    theirs = GradientBoostingRegressor(n_estimators=50, max_depth=3, random_state=0).fit(table.X, table.y)
    np.testing.assert_allclose(boosted_scores(ours, table.X), theirs.predict(table.X), rtol=1e-11)


@pytest.mark.parametrize(("depth", "least", "rounds"), [(1, 1, 30), (2, 5, 30), (3, 3, 9)])
def test_logistic_loss_equals_scikit_learns_second_order_trees(depth, least, rounds):
    # float32 there: sooner or later a near tie in a small leaf is settled otherwise
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.logistic(size=200) > 1).astype(float)
    ours = fit_boosting(X, y, "logistic", rounds=rounds, max_depth=depth, min_leaf=least)
    theirs = HistGradientBoostingClassifier(
        max_iter=rounds, max_depth=depth, min_samples_leaf=least, max_leaf_nodes=None, early_stopping=False
    ).fit(X, y)
    np.testing.assert_allclose(
        boosted_scores(ours, X), theirs.decision_function(X), atol=1e-6
    )  # float32 there


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_slopes_and_curvatures_against_torch_and_differences(name):
    rng = np.random.default_rng(0)
    y, f = rng.integers(0, 2, 9).astype(float), rng.normal(size=9)
    by_torch = {
        "squared": lambda f: 0.5 * (f - torch.tensor(y)) ** 2,
        "logistic": lambda f: torch.nn.functional.binary_cross_entropy_with_logits(
            f, torch.tensor(y), reduction="none"
        ),
    }[name]
    t = torch.tensor(f, requires_grad=True)
    (slope,) = torch.autograd.grad(by_torch(t).sum(), t, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), t) if slope.requires_grad else (torch.ones(9),)
    loss = LOSSES[name]
    np.testing.assert_allclose(loss.slope(y, f), slope.detach().numpy(), rtol=1e-12)
    np.testing.assert_allclose(loss.curvature(y, f), curvature.numpy(), rtol=1e-12)
    e, value = 1e-5, lambda f: by_torch(torch.tensor(f)).numpy()
    np.testing.assert_allclose(loss.slope(y, f), (value(f + e) - value(f - e)) / (2 * e), atol=1e-9)
    bends = (loss.slope(y, f + e) - loss.slope(y, f - e)) / (2 * e)
    np.testing.assert_allclose(loss.curvature(y, f), bends, atol=1e-9)


def test_a_leaf_answers_minus_slope_over_curvature():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), (rng.random(60) < 0.4).astype(float)
    model = fit_boosting(X, y, "logistic", rounds=2, rate=1.0, max_depth=2)
    f = np.full(60, np.log(y.mean() / (1 - y.mean())))
    for tree in model.trees:
        p, leaf = expit(f), leaf_of(tree, X)
        for one in np.unique(leaf):
            rows = leaf == one
            newton = (y - p)[rows].sum() / (p * (1 - p))[rows].sum()
            assert tree.value[one] == pytest.approx(newton, rel=1e-9)
        f = f + tree.value[leaf]
    np.testing.assert_allclose(boosted_scores(model, X), f, rtol=1e-9)


def test_stages():
    table = data.diabetes()
    model = fit_boosting(table.X, table.y, rounds=12, rate=0.3, max_depth=2)
    stages = staged_scores(model, table.X)
    assert stages.shape == (13, 442)
    np.testing.assert_allclose(stages[0], table.y.mean())
    shorter = fit_boosting(table.X, table.y, rounds=5, rate=0.3, max_depth=2)
    np.testing.assert_allclose(stages[5], boosted_scores(shorter, table.X), rtol=1e-12)
    errors = ((stages - table.y) ** 2).mean(axis=1)
    assert (np.diff(errors) < 0).all()


def test_a_step_leaves_its_share_of_the_residual():
    X, y = np.arange(4.0)[:, None], np.array([0.0, 0.0, 6.0, 6.0])
    stages = staged_scores(fit_boosting(X, y, rounds=22, rate=0.1, max_depth=1), X)
    np.testing.assert_allclose(y - stages[-1], 0.9**22 * (y - 3), rtol=1e-10)


def test_no_rounds_is_the_best_constant():
    X, y = np.arange(5.0)[:, None], np.array([0.0, 0, 1, 1, 1])
    assert boosted_scores(fit_boosting(X, y, "logistic", rounds=0), X)[0] == pytest.approx(np.log(1.5))


def test_scores_that_separate_stay_finite():
    X, y = np.arange(10.0)[:, None], np.repeat([0.0, 1.0], 5)
    scores = boosted_scores(fit_boosting(X, y, "logistic", rounds=300, rate=1.0, max_depth=1), X)
    assert np.isfinite(scores).all()
    assert ((scores > 0) == (y == 1)).all()


def test_share_draws_rows():
    table = data.diabetes()
    model = fit_boosting(table.X, table.y, rounds=3, share=0.5, rng=np.random.default_rng(0))
    assert [tree.weight[0] for tree in model.trees] == [221, 221, 221]
    assert len({tree.threshold[0] for tree in model.trees}) > 1


def test_errors():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    with pytest.raises(ValueError, match=r"^fit_boosting: y must hold 0 and 1 for the logistic loss"):
        fit_boosting(X, y, "logistic")
    with pytest.raises(ValueError, match=r"^fit_boosting: y must hold both classes; got 1 only$"):
        fit_boosting(X, np.ones(6), "logistic")
    with pytest.raises(ValueError, match=r"^fit_boosting: rng must be a generator, because share draws rows"):
        fit_boosting(X, y, share=0.5)
    with pytest.raises(ValueError, match=r"^fit_boosting: rate must be above 0 and at most 1; got 0$"):
        fit_boosting(X, y, rate=0)
    with pytest.raises(ValueError, match=r"^fit_boosting: loss must be one of"):
        fit_boosting(X, y, "absolute")
