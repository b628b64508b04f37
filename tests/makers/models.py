"""Arguments of the models that no annotation describes."""

import numpy as np

from chapters_src.models.ensembles import fit_boosting, fit_forest
from chapters_src.models.generalised import GAUSSIAN, POISSON, Discriminant
from chapters_src.models.kernels import polynomial_kernel
from chapters_src.models.shrinkage import ridge_path
from chapters_src.models.trees import fit_tree

SIGNS = np.where(np.arange(30) % 2 == 0, 1.0, -1.0)

MAKERS = {
    **{f"{name}.y": lambda: SIGNS for name in ("kernel_machine", "kernel_machine_fast")},
    **{f"{name}.k": lambda: polynomial_kernel for name in ("kernel_machine", "kernel_machine_fast")},
    "spectrum_kernel.first": lambda: ["kernel", "colonel"],
    "spectrum_kernel.second": lambda: ["kernels"],
    "cross_validation.path": lambda: ridge_path,
    "Family": lambda: POISSON,
    "glm_loss.y": lambda: np.arange(30.0) % 4,
    "Discriminant": lambda: Discriminant(
        np.eye(2, 3), np.repeat(np.eye(3)[None], 2, axis=0), np.array([0.4, 0.6])
    ),
    "dispersion.y": lambda: np.arange(30.0) % 4,
    "fit_lda.y": lambda: np.arange(30) % 3,
    "fit_qda.y": lambda: np.arange(30) % 3,
    "fit_lda.K": lambda: 3,
    "fit_qda.K": lambda: 3,
    "fit_outputs.Y": lambda: np.random.default_rng(0).normal(size=(30, 2)),
    "fit_outputs.families": lambda: (GAUSSIAN, GAUSSIAN),
    "predicted_means.W": lambda: np.ones((3, 2)),
    "predicted_means.families": lambda: (GAUSSIAN, GAUSSIAN),
    "fit_glm.y": lambda: np.arange(30.0) % 4,
    "fit_perceptron.y": lambda: SIGNS,
    "mistake_bound.y": lambda: SIGNS,
    "mistake_bound.X": lambda: np.column_stack([SIGNS, np.linspace(0, 1, 30)]),
    "mistake_bound.theta": lambda: np.array([2.0, 0.0]),
    "binary_cross_entropy.y": lambda: np.arange(30.0) % 2,
    **{
        f"{name}.y": lambda: np.arange(30.0) % 2
        for name in (
            "fit_logistic",
            "fit_logistic_by_blocks",
            "fit_logistic_descent",
            "logistic_gradient",
            "logistic_loss",
            "separates",
        )
    },
    "gini.p": lambda: np.array([0.2, 0.3, 0.5]),
    "Forest": lambda: fit_forest(
        np.arange(90.0).reshape(30, 3), np.arange(30.0), np.random.default_rng(0), trees=40, max_depth=2
    ),
    "permutation_importance.loss": lambda: lambda X: float(np.abs(X).sum()),
    "Boosted": lambda: fit_boosting(np.arange(90.0).reshape(30, 3), np.arange(30.0), rounds=3),
    "Tree": lambda: fit_tree(np.arange(12.0).reshape(6, 2), np.arange(6.0), max_depth=2),
    **{
        f"{name}.y": lambda: SIGNS
        for name in (
            "complementary_slackness",
            "dual_objective",
            "fit_hinge_descent",
            "max_margin",
            "scores",
            "signed_distances",
            "smo",
            "smo_fast",
            "soft_margin",
            "soft_margin_subgradient",
        )
    },
    **{
        f"{name}.K": lambda: np.exp(-0.1 * np.subtract.outer(np.arange(30.0), np.arange(30.0)) ** 2)
        for name in ("complementary_slackness", "dual_objective", "smo", "smo_fast")
    },
    "entropy.p": lambda: np.array([0.2, 0.3, 0.5]),
    **{
        f"{name}.K": lambda: np.exp(-0.1 * np.subtract.outer(np.arange(30.0), np.arange(30.0)) ** 2)
        for name in ("gaussian_process", "kernel_ridge")
    },
    **{
        f"{name}.steps": lambda: 3
        for name in ("fit_softmax_descent", "fit_logistic_descent", "fit_hinge_descent")
    },
    "class_region.k": lambda: 1,
}
