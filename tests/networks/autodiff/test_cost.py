"""Operation counts against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.autodiff import logsumexp, relu
from chapters_src.networks.autodiff.cost import count_operations
from chapters_src.networks.autodiff.reverse import gradient, jacobian
from chapters_src.networks.jacobians.forward_mode import forward_jacobian, jvp

rng = np.random.default_rng(0)


class TestCounts:
    def test_by_hand(self):
        A, x = np.ones((4, 3)), np.ones(3)
        assert count_operations(lambda A, x: A @ x, A, x) == {"matmul": 12}
        assert count_operations(lambda A: A @ A.T, A) == {"matmul": 48}
        assert count_operations(lambda A: np.sum(np.sin(A) * 2.0), A) == {
            "sin": 12,
            "multiply": 12,
            "sum": 12,
        }
        assert count_operations(lambda x: x.reshape(1, 3).T[0], x) == {}
        assert count_operations(lambda x: x + np.ones((5, 3)), x) == {"add": 15}

    @pytest.mark.parametrize(
        ("subscripts", "shapes", "work"),
        [
            ("ij,jk->ik", [(3, 4), (4, 5)], 60),
            ("bij,bjk->bik", [(7, 2, 3), (7, 3, 4)], 7 * 24),
            ("i,j->ij", [(3,), (4,)], 12),
            ("ij,jk->ik", [(3, 4), (1, 5)], 60),  # an axis of length 1 is repeated
            ("ij->j", [(3, 4)], 12),
            ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)], 4 * 5 * 2 + 3 * 4 * 2),  # the last two first
            ("ij,jk,kl->il", [(2, 5), (5, 4), (4, 3)], 2 * 5 * 4 + 2 * 4 * 3),  # the first two first
        ],
    )
    def test_sums_of_products_two_at_a_time(self, subscripts, shapes, work):
        arrays = [np.ones(shape) for shape in shapes]
        assert count_operations(lambda *x: np.einsum(subscripts, *x), *arrays) == {"einsum": work}

    def test_the_same_product_in_three_spellings(self):
        A, B = np.ones((3, 4)), np.ones((4, 5))
        for product in (np.matmul, np.dot, lambda A, B: np.tensordot(A, B, 1)):
            assert sum(count_operations(product, A, B).values()) == 60

    def test_reductions_count_what_goes_in(self):
        A = np.ones((4, 3))
        assert count_operations(lambda A: np.max(A, axis=0), A) == {"max": 12}
        assert count_operations(logsumexp, A) == {"logsumexp": 12}
        assert count_operations(lambda A: relu(A)[0], A) == {"relu": 12}

    def test_a_gradient_costs_two_more_products_per_layer(self):
        X, W = rng.standard_normal((8, 5)), [rng.standard_normal((5, 5)) for _ in range(3)]

        def loss(X, *W):
            for w in W:
                X = np.tanh(X @ w)
            return np.sum(X)

        once = count_operations(loss, X, *W)["matmul"]
        assert once == 3 * 8 * 5 * 5
        assert count_operations(gradient(loss, (0, 1, 2, 3)), X, *W)["matmul"] == 3 * once
        # without the gradient by X the first layer needs one product less
        assert count_operations(gradient(loss, (1, 2, 3)), X, *W)["matmul"] == 3 * once - once // 3
        pushed = count_operations(lambda X, *W: jvp(lambda X: loss(X, *W), (X,), (X,))[1], X, *W)["matmul"]
        assert pushed == 2 * once

    @pytest.mark.parametrize(("n", "m"), [(2, 7), (7, 2), (5, 5)])
    def test_jacobians_cost_a_pass_per_input_or_output(self, n, m):
        A = rng.standard_normal((m, n))

        def f(x, A):
            return np.tanh(A @ x)

        x = np.ones(n)
        forwards = count_operations(forward_jacobian(f), x, A)["matmul"]
        backwards = count_operations(jacobian(f), x, A)["matmul"]
        assert forwards == 2 * n * (m * n)  # value and tangent, once per input
        assert backwards == (1 + m) * (m * n)  # value once, one pull per output

    def test_messages(self):
        with pytest.raises(ValueError, match=r"^count_operations: f must be a function"):
            count_operations(3)
        with pytest.raises(ValueError, match=r"^count_operations: an argument must hold real numbers"):
            count_operations(np.sin, "x")

    @pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "svd", "pinv"])
    def test_what_it_cannot_count_is_refused(self, name):
        with pytest.raises(ValueError, match=r"^count_operations: f must be made of functions whose"):
            count_operations(getattr(np.linalg, name), np.eye(3))
