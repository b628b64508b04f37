"""Scenes that say what they show; encoding and decoding; the loss term by term; networks of any size."""

import math

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.distributions import Bernoulli, Categorical, Normal

from chapters_src import data
from chapters_src.networks.detection import (
    GridDetector,
    GridTargets,
    Scene,
    Segmenter,
    decode,
    detector_loss,
    draw_scenes,
    grid_targets,
    iou,
    trimmed,
)

DIGITS = data.digits()
SCENES = draw_scenes(DIGITS, 20, np.random.default_rng(0))


def test_scenes_come_from_their_seed():
    again = draw_scenes(DIGITS, 20, np.random.default_rng(0))
    for one, other in zip(SCENES, again, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert_array_equal(mine, theirs)


def test_scenes_say_what_they_show():
    for scene in SCENES:
        assert 1 <= len(scene.boxes) == len(scene.labels) <= 3
        assert set(np.unique(scene.mask)) <= {0, *(scene.labels + 1)}
        inside = np.zeros(scene.mask.shape, bool)
        for left, top, right, bottom in scene.boxes.astype(int):
            assert 0 <= left < right <= 32
            assert 8 <= bottom - top <= 13
            inside[top:bottom, left:right] = True
        assert not scene.mask[~inside].any()
        assert scene.image[scene.mask > 0].mean() > 0.5
        if len(scene.boxes) > 1:
            overlaps = iou(scene.boxes, scene.boxes) - np.eye(len(scene.boxes))
            assert overlaps.max() <= 0.15


def test_trimmed():
    picture = np.zeros((6, 7))
    picture[2:4, 3:6] = 1
    assert_array_equal(trimmed(picture), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"^trimmed: image must have a pixel above 0.3; got at most 0"):
        trimmed(np.zeros((3, 3)))


def perfect_answers(targets, classes):
    n, p, q = targets.here.shape
    answers = torch.zeros(n, 5 + classes, p, q)
    answers[:, 0] = 40 * targets.here - 20
    answers[:, 1:5] = targets.box
    answers[:, 5:] = 20 * torch.nn.functional.one_hot(targets.label, classes).permute(0, 3, 1, 2)
    return answers


def test_decoding_undoes_encoding():
    targets = grid_targets(SCENES)
    for answers, scene in zip(perfect_answers(targets, 10), SCENES, strict=True):
        found = decode(answers, least=0.5)
        assert len(found.boxes) == len(scene.boxes)
        overlaps = iou(scene.boxes, found.boxes)
        assert_allclose(overlaps.max(axis=1), 1, atol=1e-5)
        assert_array_equal(found.labels[overlaps.argmax(axis=1)], scene.labels)
        assert_allclose(found.scores, 1, atol=1e-6)


def test_nothing_found():
    found = decode(torch.full((10, 8, 8), -20.0))
    assert found.boxes.shape == (0, 4)
    assert len(found.scores) == len(found.labels) == 0


def test_two_centres_in_one_cell():
    boxes = np.array([[0.0, 0, 10, 10], [1, 1, 9, 9]])
    scene = Scene(np.zeros((16, 16)), np.zeros((16, 16), int), boxes, np.array([3, 4]))
    targets = grid_targets([scene])
    assert targets.here.sum() == 1
    assert targets.label[0, 1, 1] == 4


def random_targets(rng, n=3, p=4, q=5, classes=3):
    here = torch.tensor((rng.random((n, p, q)) < 0.3) * 1.0)
    box = torch.tensor(rng.normal(size=(n, 4, p, q)))
    return GridTargets(here, box, torch.tensor(rng.integers(0, classes, (n, p, q))))


def test_loss_is_a_negative_log_likelihood():
    rng = np.random.default_rng(1)
    targets, answers = random_targets(rng), torch.tensor(rng.normal(size=(3, 8, 4, 5)))
    sigma, total, objects = 0.4, 0.0, int(targets.here.sum())
    for n in range(3):
        for i in range(4):
            for j in range(5):
                a, o = answers[n, :, i, j], targets.here[n, i, j]
                total -= Bernoulli(logits=a[0]).log_prob(o).item()
                if o:
                    total -= Normal(a[1:5], sigma).log_prob(targets.box[n, :, i, j]).sum().item()
                    total -= Categorical(logits=a[5:]).log_prob(targets.label[n, i, j]).item()
    constant = objects * 4 * math.log(sigma * math.sqrt(2 * math.pi))
    ours = detector_loss(answers, targets, weight=1 / (2 * sigma**2)).item()
    assert 3 * ours == pytest.approx(total - constant)


def test_targets_of_other_pictures_are_refused():
    rng = np.random.default_rng(1)
    answers, targets = torch.tensor(rng.normal(size=(3, 8, 4, 5))), random_targets(rng)
    for part, change, message in (
        (
            "here",
            targets.here[:2],
            r"have here of shape \(3, 4, 5\), as the cells of answers; got \(2, 4, 5\)",
        ),
        (
            "box",
            targets.box[:, :2],
            r"have box of shape \(3, 4, 4, 5\), as the cells of answers; got \(3, 2, 4, 5\)",
        ),
        ("label", targets.label[..., 0], r"have label of shape \(3, 4, 5\), as the cells"),
        ("label", targets.label + 3, "have classes below 3; got 5"),
        ("here", targets.here.float(), "be torch.float64 on cpu, as answers is"),
    ):
        with pytest.raises(ValueError, match=f"^detector_loss: targets must {message}"):
            detector_loss(answers, targets._replace(**{part: change}))


def test_gradient_by_hand_and_by_differences():
    rng = np.random.default_rng(2)
    targets = random_targets(rng)
    answers = torch.tensor(rng.normal(size=(3, 8, 4, 5)), requires_grad=True)
    detector_loss(answers, targets, weight=2.0).backward()
    a, o = answers.detach(), targets.here
    assert_allclose(answers.grad[:, 0], (torch.sigmoid(a[:, 0]) - o) / 3)
    assert_allclose(answers.grad[:, 1:5], o[:, None] * 4 * (a[:, 1:5] - targets.box) / 3, atol=1e-12)
    one_hot = torch.nn.functional.one_hot(targets.label, 3).permute(0, 3, 1, 2)
    assert_allclose(answers.grad[:, 5:], o[:, None] * (torch.softmax(a[:, 5:], 1) - one_hot) / 3, atol=1e-12)
    towards, step = torch.tensor(rng.normal(size=a.shape)), 1e-6
    up, down = (detector_loss(a + sign * step * towards, targets, weight=2.0) for sign in (1, -1))
    assert ((up - down) / (2 * step)).item() == pytest.approx((answers.grad * towards).sum().item(), rel=1e-6)


@pytest.mark.parametrize("side", [16, 32])
def test_any_size_and_any_device(side):
    g = torch.Generator().manual_seed(0)
    assert GridDetector(5, g, 4)(torch.zeros(2, 1, side, side)).shape == (2, 10, side // 4, side // 4)
    assert Segmenter(6, g, 4)(torch.zeros(2, 1, side, side)).shape == (2, 6, side, side)
    far = GridDetector(5, g, 4, device="meta")(torch.zeros(2, 1, side, side, device="meta"))
    assert far.shape == (2, 10, side // 4, side // 4)
    assert Segmenter(6, g, 4, device="meta")(torch.zeros(1, 1, side, side, device="meta")).is_meta


def test_a_shift_by_a_cell_shifts_the_answers():
    net = GridDetector(3, torch.Generator().manual_seed(1), 4).eval()
    x = torch.zeros(1, 1, 48, 48)
    x[:, :, 20:28, 20:26] = torch.rand(8, 6, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        still, moved = net(x), net(torch.roll(x, 4, dims=3))
    assert_allclose(moved[..., 3:9, 4:10], still[..., 3:9, 3:9], atol=1e-6)


def test_the_parts_of_the_segmenter_add_up():
    whole = Segmenter(4, torch.Generator().manual_seed(0), 4).eval()
    x = torch.rand(1, 1, 16, 16, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        coarse = torch.nn.functional.interpolate(whole.what(x), size=16, mode="bilinear")
        assert_allclose(whole(x), coarse + whole.where(x), atol=1e-6)
    alone = Segmenter(4, torch.Generator().manual_seed(0), 4, coarse=False)
    assert sum(p.numel() for p in alone.parameters()) == 4 * 25 + 4
    with pytest.raises(ValueError, match=r"^Segmenter: fine must be True if coarse is not"):
        Segmenter(4, torch.Generator(), coarse=False, fine=False)


def test_messages():
    with pytest.raises(ValueError, match=r"^GridDetector: x must have sides divisible by 4"):
        GridDetector(3, torch.Generator(), 4)(torch.zeros(1, 1, 10, 8))
    with pytest.raises(ValueError, match=r"^Segmenter: x must have sides divisible by 4"):
        Segmenter(3, torch.Generator(), 4)(torch.zeros(1, 1, 10, 8))
    with pytest.raises(ValueError, match=r"^draw_scenes: largest must lie from 8 to 32; got 7"):
        draw_scenes(DIGITS, 1, np.random.default_rng(0), largest=7)
    with pytest.raises(ValueError, match=r"^grid_targets: scenes must be at least one; got 0"):
        grid_targets([])
