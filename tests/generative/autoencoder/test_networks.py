"""Autoencoders: no global randomness, a linear one finds the principal components, loops report means."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from chapters_src.core import device
from chapters_src.generative.autoencoder import Autoencoder, fit_autoencoder, fit_epochs

torch.set_num_threads(1)


def test_weights_come_from_the_generator_alone():
    torch.manual_seed(5)
    before = torch.rand(1)
    torch.manual_seed(5)
    a, b, c = (Autoencoder(3, 2, [4], generator=device.seed(n)).encoder for n in (1, 1, 2))
    assert torch.equal(torch.rand(1), before)
    assert torch.equal(a[0].weight, b[0].weight) and not torch.equal(a[0].weight, c[0].weight)
    assert [type(layer).__name__ for layer in a] == ["Linear", "ReLU", "Linear"]
    for layer, inputs in ((a[0], 3), (a[2], 4)):
        for tensor in (layer.weight, layer.bias):
            assert tensor.abs().max() <= inputs**-0.5 and tensor.abs().min() > 0


def test_the_forward_pass_by_hand():
    model = Autoencoder(4, 2, [3], generator=device.seed(0))
    X = torch.randn(5, 4, generator=device.seed(1))
    W1, b1, W2, b2 = [p.detach().numpy() for p in model.encoder.parameters()]
    h = np.maximum(X.numpy() @ W1.T + b1, 0)
    np.testing.assert_allclose(model.encode(X).detach().numpy(), h @ W2.T + b2, rtol=1e-5, atol=1e-6)
    assert model.decode(model.encode(X)).shape == X.shape
    expected = ((model.decode(model.encode(X)) - X) ** 2).sum(1)
    torch.testing.assert_close(model.squared_error(X), expected)
    assert [layer.out_features for layer in model.decoder if hasattr(layer, "out_features")] == [3, 4]


def test_a_linear_one_reaches_the_principal_components():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)) @ np.diag([3, 2, 1, 0.3, 0.2])
    pca = PCA(2).fit(X)
    best = np.sum((pca.inverse_transform(pca.transform(X)) - X) ** 2) / 200
    model = Autoencoder(5, 2, generator=device.seed(0))
    losses = fit_autoencoder(
        model, torch.tensor(X, dtype=torch.float32), 150, generator=device.seed(1), learning_rate=2e-2
    )
    assert losses.shape == (150,)
    assert losses[-1] == pytest.approx(best, rel=0.01)
    assert losses[-1] > best * 0.999, "nothing linear does better"


def test_fit_reports_the_mean_over_examples_and_weighs_a_short_batch_less():
    """With a learning rate of next to nothing every epoch's mean is the mean over all rows."""
    model = Autoencoder(3, 1, generator=device.seed(0))
    X = torch.randn(10, 3, generator=device.seed(1))
    expected = model.squared_error(X).mean().item()
    losses = fit_autoencoder(
        model, X, 2, generator=device.seed(2), batch_size=4, learning_rate=1e-12, progress=False
    )
    np.testing.assert_allclose(losses, expected, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 3])
def test_one_step_is_enough_of_a_loop(rows):
    model = Autoencoder(2, 1, generator=device.seed(0))
    assert len(fit_autoencoder(model, torch.ones(rows, 2), 1, generator=device.seed(0))) == 1


def test_the_same_seed_gives_the_same_model():
    X = torch.randn(30, 4, generator=device.seed(1))
    models = [Autoencoder(4, 2, [3], generator=device.seed(0)) for _ in range(2)]
    first, second = (fit_autoencoder(m, X, 3, generator=device.seed(7), batch_size=8) for m in models)
    np.testing.assert_array_equal(first, second)


def test_progress_can_be_asked_for(capsys):
    model = Autoencoder(2, 1, generator=device.seed(0))
    fit_autoencoder(model, torch.ones(2, 2), 2, generator=device.seed(0), progress=True)
    assert "training" in capsys.readouterr().err
    fit_autoencoder(model, torch.ones(2, 2), 2, generator=device.seed(0))
    assert capsys.readouterr().err == ""


def test_on_the_meta_device():
    model = Autoencoder(6, 2, [4], generator=device.seed(0), device="meta")
    X = torch.empty(3, 6, device="meta")
    error = model.squared_error(X)
    assert error.device.type == "meta" and error.shape == (3,)
    error.mean().backward()
    assert all(p.grad is not None and p.grad.device.type == "meta" for p in model.parameters())


g = device.seed(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Autoencoder(4, 1, [3, 0], generator=g), r"^Autoencoder: hidden must be at least 1; got 0$"),
        (
            lambda: Autoencoder(4, 1, generator=1),
            r"^Autoencoder: generator must be a torch.Generator, as from device.seed",
        ),
        (lambda: Autoencoder(4, 0, generator=g), r"^Autoencoder: latent must be at least 1; got 0$"),
        (
            lambda: Autoencoder(4, 2, generator=g).encode(torch.ones(3, 5)),
            r"^encode: X must have shape \(n, 4\); got \(3, 5\)$",
        ),
        (
            lambda: Autoencoder(4, 2, generator=g).decode(torch.ones(2)),
            r"^decode: z must have shape \(n, 2\); got \(2,\)$",
        ),
        (
            lambda: Autoencoder(1, 1, generator=g).encode(torch.tensor([[float("nan")]])),
            r"^encode: X must be finite; got NaN or inf$",
        ),
        (
            lambda: Autoencoder(1, 1, generator=g).encode(torch.ones(1, 1, dtype=torch.int64)),
            r"^encode: X must be a tensor of floats, shape \(n, 1\); got shape \(1, 1\), torch.int64$",
        ),
        (
            lambda: fit_autoencoder("model", torch.ones(1, 1), 1, generator=g),
            r"^fit_autoencoder: model must be an Autoencoder; got 'model'$",
        ),
        (
            lambda: fit_autoencoder(
                Autoencoder(1, 1, generator=g), torch.ones(2, 1).double(), 1, generator=g
            ),
            r"^fit_autoencoder: X must be torch.float32 on cpu, as the model is; got torch.float64 on cpu$",
        ),
        (
            lambda: Autoencoder(1, 1, generator=g).encode(torch.ones(2, 1, device="meta")),
            r"^encode: X must be torch.float32 on cpu, as the model is; got torch.float32 on meta$",
        ),
        (
            lambda: Autoencoder(2, 1, "ab", generator=g),
            r"^Autoencoder: hidden must be a sequence of whole numbers; got 'ab'$",
        ),
        (
            lambda: fit_epochs(Autoencoder(1, 1, generator=g), torch.ones(0, 1), None, 1, generator=g),
            r"^fit_epochs: X must be a tensor of floats, shape \(n, d\); got shape \(0, 1\), torch.float32$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


bad = st.one_of(st.none(), st.text(max_size=3), st.booleans(), st.floats(), st.integers(max_value=0))


@given(bad)
def test_nonsense_is_refused(value):
    model, X = Autoencoder(2, 1, generator=g), torch.ones(2, 2)
    for call in (
        lambda: Autoencoder(2, 1, [value], generator=g),
        lambda: Autoencoder(2, 1, generator=value),
        lambda: Autoencoder(value, 1, generator=g),
        lambda: model.encode(value),
        lambda: model.decode(value),
        lambda: fit_autoencoder(model, value, 1, generator=g),
        lambda: fit_autoencoder(model, X, value, generator=g),
        lambda: fit_autoencoder(model, X, 1, generator=value),
        lambda: fit_autoencoder(model, X, 1, generator=g, batch_size=value),
        lambda: fit_epochs(model, X, model.squared_error, value, generator=g),
    ):
        with pytest.raises(ValueError, match=r"^\w+: \w+ must "):
            call()


def test_cross_entropy_by_torch_and_by_hand():
    model = Autoencoder(4, 2, [3], likelihood="bernoulli", generator=device.seed(0))
    X = torch.rand(5, 4, generator=device.seed(1))
    p = model.decode(model.encode(X))
    assert p.min() > 0 and p.max() < 1
    expected = torch.nn.functional.binary_cross_entropy(p, X, reduction="none").sum(dim=1)
    torch.testing.assert_close(model.cross_entropy(X), expected)
    q, x = p.detach().double().numpy(), X.double().numpy()
    by_hand = -(x * np.log(q) + (1 - x) * np.log(1 - q)).sum(axis=1)
    np.testing.assert_allclose(model.cross_entropy(X).detach().numpy(), by_hand, rtol=1e-5)
    torch.testing.assert_close(model.squared_error(X), ((p - X) ** 2).sum(dim=1))


def test_cross_entropy_of_means_cuts_them_to_probabilities():
    model = Autoencoder(3, 1, generator=device.seed(0))
    with torch.no_grad():
        for part in model.parameters():
            part.zero_()
        model.decoder[-1].bias.copy_(torch.tensor([2.0, -1.0, 0.25]))
    x = torch.tensor([[1.0, 0.0, 0.5]])
    expected = -2 * np.log(0.999) - 0.5 * np.log(0.25) - 0.5 * np.log(0.75)
    assert model.cross_entropy(x).item() == pytest.approx(expected, rel=1e-4)


def test_a_bernoulli_model_is_trained_on_the_cross_entropy():
    """Without a code that helps, the best probabilities are the means of the columns."""
    X = (torch.rand(400, 3, generator=device.seed(0)) < torch.tensor([0.2, 0.5, 0.9])).float()
    model = Autoencoder(3, 1, likelihood="bernoulli", generator=device.seed(1))
    model.encoder.requires_grad_(False)
    with torch.no_grad():
        for part in model.encoder.parameters():
            part.zero_()
    losses = fit_autoencoder(model, X, 60, generator=device.seed(2), learning_rate=5e-2)
    means = X.mean(dim=0).double()
    entropy = -(means * means.log() + (1 - means) * (1 - means).log()).sum().item()
    assert losses[-1] == pytest.approx(entropy, rel=0.01)
    torch.testing.assert_close(model.decode(model.encode(X[:1]))[0].double(), means, atol=0.03, rtol=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Autoencoder(2, 1, likelihood="poisson", generator=g),
            r"^Autoencoder: likelihood must be one of 'gaussian', 'bernoulli'; got 'poisson'$",
        ),
        (
            lambda: Autoencoder(2, 1, generator=g).cross_entropy(torch.full((1, 2), 1.5)),
            r"^cross_entropy: X must hold grey values from 0 to 1; got 1.5 to 1.5$",
        ),
        (
            lambda: fit_autoencoder(
                Autoencoder(2, 1, likelihood="bernoulli", generator=g),
                torch.full((1, 2), -0.5),
                1,
                generator=g,
            ),
            r"^fit_autoencoder: X must hold grey values from 0 to 1; got -0.5 to -0.5$",
        ),
    ],
)
def test_bad_likelihoods_and_greys_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
