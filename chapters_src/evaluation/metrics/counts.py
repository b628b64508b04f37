"""What was called what: the confusion matrix, and the shares that are read from it."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.softmax import class_numbers

__all__ = ["confusion_matrix", "f_score", "one_against_rest", "precision", "recall"]


@checked(y=class_numbers, y_hat=class_numbers, K=at_least(2))
def confusion_matrix(y: Int[ndarray, "n"], y_hat: Int[ndarray, "n"], K: int) -> Int[ndarray, "{K} {K}"]:
    """How many examples of each class (row) were called what (column).

    C_jk = #{i : yᵢ = j, ŷᵢ = k}                      {eq}`eq-metrics-confusion`
    """
    return np.bincount(K * y + y_hat, minlength=K * K).reshape(K, K)


@checked(C=at_least(0))
def precision(C: Float[ndarray, "K K"]) -> Float[ndarray, "K"]:
    """Of all that was called class k, the share that is k; 0 where nothing was.

    P_k = C_kk / Σⱼ C_jk                              {eq}`eq-metrics-precision`
    """
    return _share(np.diag(C), C.sum(axis=0))


@checked(C=at_least(0))
def recall(C: Float[ndarray, "K K"]) -> Float[ndarray, "K"]:
    """Of all that is class k, the share that was called k; 0 where nothing is.

    R_k = C_kk / Σⱼ C_kj                              {eq}`eq-metrics-precision`
    """
    return _share(np.diag(C), C.sum(axis=1))


@checked(C=at_least(0), beta=above(0))
def f_score(C: Float[ndarray, "K K"], beta: float = 1.0) -> Float[ndarray, "K"]:
    """The harmonic mean of precision and recall of each class, recall counting β² times as much.

    F_β = (1 + β²)PR / (β²P + R) = (1 + β²)TP / ((1 + β²)TP + β²FN + FP)     {eq}`eq-metrics-f`
    """
    hits, weight = np.diag(C), beta**2
    return _share((1 + weight) * hits, weight * C.sum(axis=1) + C.sum(axis=0))


@checked(C=at_least(0))
def one_against_rest(C: Float[ndarray, "K K"]) -> Float[ndarray, "K 2 2"]:
    """For each class the two-by-two matrix that is left if all other classes are called *rest*.

    (TP FN; FP TN) of class k, from C_kk, Σⱼ C_kj and Σⱼ C_jk

    Their sum over classes is what micro averages are read from.
    """
    hits = np.diag(C)
    missed, false_alarms = C.sum(axis=1) - hits, C.sum(axis=0) - hits
    rest = C.sum() - hits - missed - false_alarms
    return np.stack([hits, missed, false_alarms, rest], axis=-1).reshape(-1, 2, 2)


def _share(part: Float[ndarray, "K"], whole: Float[ndarray, "K"]) -> Float[ndarray, "K"]:
    """part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
