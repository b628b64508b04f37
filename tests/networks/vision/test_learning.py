"""Moving images, training, gradients by pixels, occlusion, attacks, and the stored record."""

import dataclasses

import numpy as np
import pytest
import torch
from scipy import ndimage
from torch import nn

from chapters_src.core.device import seed
from chapters_src.data import mnist
from chapters_src.data.records import record
from chapters_src.networks.regularisation import shifted
from chapters_src.networks.vision import (
    ClassifierPlan,
    Conv,
    Dense,
    Pool,
    affine_images,
    class_probabilities,
    fit_classifier,
    input_gradient,
    logits_of,
    network,
    occlusion_map,
    randomly_moved,
    sign_attack,
)
from chapters_src.networks.vision.long_runs import ABLATION, fifth, missed_digits

torch.set_num_threads(1)
SMALL = (Conv(4, 5, stride=2, padding=2), Pool(2, 2), Dense(10))
digits = mnist()
images = torch.tensor(digits.images[::25, None], dtype=torch.float32)
labels = torch.tensor(digits.labels[::25])


def model():
    return network(SMALL, 1, 28, seed(0)).eval()


# --- moving


def test_affine_images_against_scipy():
    A = torch.tensor([[[0.9, 0.2], [-0.1, 1.1]]])
    t = torch.tensor([[1.5, -2.0]])
    ours = affine_images(images[:1], A, t)[0, 0].numpy()
    matrix = A[0].numpy()[::-1, ::-1]  # rows first there
    middle = np.array([13.5, 13.5])
    offset = middle - matrix @ middle + t[0].numpy()[::-1]
    theirs = ndimage.affine_transform(images[0, 0].numpy(), matrix, offset, order=1, mode="constant")
    inside = slice(3, -3)
    np.testing.assert_allclose(ours[inside, inside], theirs[inside, inside], atol=1e-4)


def test_a_shift_is_that_of_an_earlier_chapter():
    A, t = torch.eye(2).repeat(3, 1, 1), torch.tensor([[1.0, 2.0], [-0.5, 0.0], [3.0, -1.5]])
    theirs = shifted(images[:3, 0], down=-t[:, 1], right=-t[:, 0])
    torch.testing.assert_close(affine_images(images[:3], A, t)[:, 0], theirs)


def test_no_sizes_no_change_and_the_same_seed_the_same_images():
    still = randomly_moved(images[:4], seed(0), 0.0, 0.0, 0.0, 0.0)
    torch.testing.assert_close(still, images[:4], atol=1e-5, rtol=0)
    one, two = (randomly_moved(images[:4], seed(1)) for _ in range(2))
    assert torch.equal(one, two) and (one - images[:4]).abs().max() > 0.1


# --- training


def test_labels_may_be_any_whole_numbers():
    plan = ClassifierPlan(SMALL, epochs=1)
    one, two = (fit_classifier(plan, images[:50], y[:50], seed(0)) for y in (labels, labels.int()))
    assert torch.equal(logits_of(one, images), logits_of(two, images))


def test_training_learns_and_is_repeatable():
    plan = ClassifierPlan(SMALL, epochs=40, augment=False, drop=0.0)
    fitted = [fit_classifier(plan, images, labels, seed(0), progress=False) for _ in range(2)]
    found = [logits_of(one, images) for one in fitted]
    assert torch.equal(*found)
    assert (found[0].argmax(1) == labels).float().mean() > 0.9
    assert not fitted[0].training


def test_probabilities_do_not_depend_on_the_mode():
    net = network(SMALL, 1, 28, seed(0), norm=True)
    p = class_probabilities(net, images[:5])
    torch.testing.assert_close(p.sum(1), torch.ones(5))
    assert net.training
    torch.testing.assert_close(p, class_probabilities(net.eval(), images[:5]))


def test_plans_run_on_the_meta_device():
    for plan in ABLATION.values():
        net = network(plan.layers, 1, 28, seed(0), plan.activation, plan.norm, plan.drop, "meta")
        assert net(torch.zeros(2, 1, 28, 28, device="meta")).shape == (2, 10)


# --- pixels


def test_input_gradient_against_a_difference_and_a_formula():
    net = network((Conv(3, 3), Dense(10)), 1, 28, seed(0), nn.Tanh).double().eval()
    x, y = images[:2].double(), labels[:2]
    found = input_gradient(net, x, y)
    u, e = torch.randn(x.shape, generator=seed(1), dtype=torch.float64), 1e-5

    def loss(x):
        return nn.functional.cross_entropy(net(x), y, reduction="none").detach()

    slope = (loss(x + e * u) - loss(x - e * u)) / (2 * e)
    torch.testing.assert_close((found * u).sum((1, 2, 3)), slope, rtol=1e-6, atol=1e-9)
    flat = network((Dense(10),), 1, 28, seed(0)).double()
    W = flat[1].weight
    expected = (flat(x).softmax(1) - nn.functional.one_hot(y, 10)) @ W
    torch.testing.assert_close(input_gradient(flat, x, y).flatten(1), expected)


def test_occlusion_by_hand():
    net, image = model(), images[3]
    found = occlusion_map(net, image, 8, step=4, fill=0.5)
    assert found.shape == (6, 6, 10)
    covered = image.clone()
    covered[:, 4:12, 16:24] = 0.5
    torch.testing.assert_close(found[1, 4], net(covered[None])[0].softmax(0).detach())


def test_for_a_linear_model_the_sign_is_the_worst_of_all_small_changes():
    net = network((Dense(2),), 1, 4, seed(0)).double()
    x = torch.full((1, 1, 4, 4), 0.5, dtype=torch.float64)
    y = torch.tensor([0])

    def loss(x):
        return nn.functional.cross_entropy(net(x), y.repeat(len(x)), reduction="none")

    worst = loss(sign_attack(net, x, y, 0.1))
    others = x + 0.1 * (torch.rand(500, 1, 4, 4, generator=seed(2), dtype=torch.float64) * 2 - 1).sign()
    assert (loss(others) <= worst + 1e-12).all()


def test_an_attack_stays_in_range_and_within_reach():
    found = sign_attack(model(), images[:5], labels[:5], 0.2)
    assert found.min() >= 0 and found.max() <= 1
    assert (found - images[:5]).abs().max() <= 0.2 + 1e-6
    torch.testing.assert_close(sign_attack(model(), images[:5], labels[:5], 0.0), images[:5])


# --- the record


def test_each_digit_is_tested_once():
    tests = [fifth(k)[1] for k in range(5)]
    assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(5000))
    for k, test in enumerate(tests):
        train = fifth(k)[0]
        assert len(train) == 4000 and not set(train) & set(test)


def test_the_record_holds_every_plan_on_every_split_and_the_target():
    runs = record("vision")["runs"]
    assert set(runs["ablation"]) == set(ABLATION)
    assert all(len(found) == 5 for found in runs["ablation"].values())
    for k in range(5):
        for missed in (runs["long"][k]["missed"], runs["by_hand"][k]):
            assert set(missed) <= set(fifth(k)[1].tolist())
    assert sum(len(one["missed"]) for one in runs["long"]) <= 75  # 98.5 % of 5,000


def test_a_short_run_of_the_first_fold_is_what_the_code_finds():
    plan = dataclasses.replace(ABLATION["no convolution"], epochs=1)
    missed = missed_digits(plan, 0, progress=False)
    assert set(missed) <= set(fifth(0)[1]) and 20 < len(missed) < 700


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="fit_classifier: labels must have a unit each in the last layer"):
        fit_classifier(ClassifierPlan((Dense(3),)), images, labels, seed(0))
    with pytest.raises(ValueError, match="fit_classifier: images must fill a batch of 50; got 5"):
        fit_classifier(ClassifierPlan(SMALL), images[:5], labels[:5], seed(0))
    with pytest.raises(ValueError, match=r"fit_classifier: images must be torch.float32, as the network is"):
        fit_classifier(ClassifierPlan(SMALL), images.double(), labels, seed(0))
    with pytest.raises(ValueError, match=r"affine_images: A must be torch.float32 on cpu, as images is"):
        affine_images(images[:1], torch.eye(2).double()[None], torch.zeros(1, 2))
    with pytest.raises(ValueError, match=r"affine_images: moved must be torch.float32 on cpu, as images is"):
        affine_images(images[:1], torch.eye(2)[None], torch.zeros(1, 2).double())
    with pytest.raises(ValueError, match="occlusion_map: size must be at most 28; got 29"):
        occlusion_map(model(), images[0], 29)
    with pytest.raises(ValueError, match="sign_attack: epsilon must be at least 0"):
        sign_attack(model(), images[:1], labels[:1], -0.1)
