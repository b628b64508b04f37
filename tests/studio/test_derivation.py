import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

from chapters_src.studio.derivation import (
    Derivation,
    DerivationError,
    covariance,
    integers,
    normal,
    positive,
    probabilities,
    uniform,
)
from chapters_src.studio.expectation import expect_gaussian
from chapters_src.studio.oracle import autograd_gradient


def loss(X, y, theta):
    return ((y - X @ theta) ** 2).sum()


def gradient(X, y, theta):
    return autograd_gradient(lambda t, X, y: ((y - X @ t) ** 2).sum(), theta, X, y)


def regression(**options):
    return Derivation(
        "gradient of the squared error", X=normal(8, 3), y=normal(8), theta=normal(3), **options
    )


def started(**options):
    return regression(**options).start(r"\nabla_\theta\lVert y - X\theta\rVert^2", gradient)


def test_a_right_derivation_is_accepted_and_chains():
    d = started().equals(
        r"2X^\top X\theta - 2X^\top y",
        lambda X, y, theta: 2 * X.T @ X @ theta - 2 * X.T @ y,
        because="differentiate term by term",
    )
    assert isinstance(d, Derivation)
    assert len(d.lines) == 2
    assert 0 < d.worst < 1e-13


WRONG = {
    "sign": lambda X, y, theta: 2 * X.T @ X @ theta + 2 * X.T @ y,
    "factor": lambda X, y, theta: X.T @ X @ theta - X.T @ y,
    "missing term": lambda X, y, theta: 2 * X.T @ X @ theta,
    "small slip": lambda X, y, theta: 2 * X.T @ X @ theta - 2.00001 * X.T @ y,
}


@pytest.mark.parametrize("slip", WRONG)
def test_wrong_lines_are_caught(slip):
    d = started()
    with pytest.raises(DerivationError, match="line 2 does not follow"):
        d.equals("wrong", WRONG[slip], because="differentiate")
    assert len(d.lines) == 1  # a wrong line is not kept


def test_a_wrong_transpose_is_caught():
    d = Derivation("trace", A=normal(3, 3), B=normal(3, 3)).start("(AB)^\\top", lambda A, B: (A @ B).T)
    with pytest.raises(DerivationError):
        d.equals(r"A^\top B^\top", lambda A, B: A.T @ B.T, because="transpose each")
    d.equals(r"B^\top A^\top", lambda A, B: B.T @ A.T, because="transpose reverses the order")


def test_the_error_says_everything():
    d = Derivation("doubling", x=3.0, z=normal(5, 5)).start("x + x", lambda x: x + x)
    with pytest.raises(DerivationError) as caught:
        d.equals("3x", lambda x: 3 * x, because="count the terms")
    text = str(caught.value)
    for part in ["doubling", "line 2", "= 3x", "count the terms", "6.0", "9.0", "0.3", "1e-09", "x = 3.0"]:
        assert part in text
    assert "z = an array of shape (5, 5) that begins" in text


def test_the_worst_input_is_the_one_reported():
    d = Derivation("worst", k=integers(0, 5)).start("k", lambda k: k)
    with pytest.raises(DerivationError, match="k = 4"):
        d.equals("k", lambda k: k + (k == 2) * 0.1 + (k == 4), because="looks alike")


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (np.ones((3, 1)), r"shape \(3, 1\) follows shape \(3,\)"),
        (np.array([1, 1, np.nan]), "not finite"),
        (np.array([1, 1, np.inf]), "not finite"),
        (np.ones(0), "empty"),
        ("one", "not made of numbers"),
        (None, "not made of numbers"),
    ],
)
def test_values_that_are_no_line(value, complaint):
    d = Derivation("ones").start("1", lambda: np.ones(3))
    with pytest.raises(DerivationError, match=complaint):
        d.equals("1", lambda: value, because="hope")


def test_scalars_of_any_kind_are_equal():
    d = Derivation("one").start("1", lambda: 1)
    d.equals("1", lambda: np.array(1.0), because="a").equals("1", lambda: np.float64(1), because="b")
    d.equals("1", lambda: torch.tensor(1.0, requires_grad=True), because="c").equals(
        "1", lambda: True, because="d"
    )


def test_a_function_that_raises():
    with pytest.raises(DerivationError, match=r"line 1 fails(.|\n)*ZeroDivisionError"):
        Derivation("bad").start("1/0", lambda: 1 / 0)
    with pytest.raises(DerivationError, match=r"line 1 fails(.|\n)*not finite"):
        Derivation("bad").start("nan", lambda: float("nan"))


def test_inequalities():
    d = Derivation("mean square", x=normal(5)).start("(E x)^2", lambda x: x.mean() ** 2)
    d.at_most("E x^2", lambda x: (x**2).mean(), because="Jensen")
    with pytest.raises(DerivationError):
        d.at_most("E x^2 / 2", lambda x: (x**2).mean() / 2, because="no")
    d.at_least("E x^2 / 2", lambda x: (x**2).mean() / 2, because="half of it")
    with pytest.raises(DerivationError):
        d.at_least("E x^2", lambda x: (x**2).mean(), because="no")
    assert [line.relation for line in d.lines] == ["", "≤", "≥"]


def test_an_inequality_may_be_tight_but_for_rounding():
    d = Derivation("tight", x=normal(50)).start("s", lambda x: x.sum() ** 2)
    d.at_most("s", lambda x: x[::-1].sum() ** 2, because="same sum").at_least(
        "s", lambda x: x.sum() ** 2, because="same sum"
    )


def test_every_entry_of_an_inequality_counts():
    d = Derivation("entries").start("a", lambda: np.array([1.0, 2.0, 3.0]))
    with pytest.raises(DerivationError):
        d.at_most("b", lambda: np.array([5.0, 1.0, 5.0]), because="mostly")


def posterior(theta, y, s):
    return np.exp(-0.5 * ((y - theta) ** 2).sum() / s) / np.sqrt(2 * np.pi * s) ** y.size


def test_proportional():
    d = Derivation("posterior", y=normal(4), theta=normal(), s=positive()).start("p", posterior)
    with pytest.raises(DerivationError, match="ratio of the lines changes"):
        d.proportional_to(
            "r", lambda theta, y, s: np.exp(-((y - theta) ** 2).sum() / s), because="no", of="theta"
        )
    with pytest.raises(DerivationError):  # the normaliser depends on s
        d.proportional_to(
            "q", lambda theta, y, s: np.exp(-0.5 * ((y - theta) ** 2).sum() / s), because="drop", of="s"
        )
    d.proportional_to(
        "q",
        lambda theta, y, s: np.exp(-0.5 * y.size * (theta - y.mean()) ** 2 / s),
        because="drop",
        of="theta",
    )


@pytest.mark.parametrize("zero", [lambda x: 0.0, lambda x: 0 * x])
def test_nothing_is_proportional_to_zero(zero):
    d = Derivation("zero", x=normal()).start("x", lambda x: x)
    with pytest.raises(DerivationError, match="constant of proportionality"):
        d.proportional_to("0", zero, because="times 0", of="x")
    with pytest.raises(DerivationError, match="constant of proportionality"):
        Derivation("zero", x=normal()).start("0", zero).proportional_to(
            "x", lambda x: x, because="over 0", of="x"
        )


def test_proportional_needs_a_variable_that_varies():
    d = Derivation("fixed", x=2.0, k=integers(0, 1)).start("x", lambda x: x)
    for name in ("x", "nothing"):
        with pytest.raises(ValueError, match="of must name an input that is drawn at random"):
            d.proportional_to("2x", lambda x: 2 * x, because="twice", of=name)
    with pytest.raises(ValueError, match="k must vary"):
        d.proportional_to("2x", lambda x: 2 * x, because="twice", of="k")


def test_same_minimiser():
    d = regression(trials=6).start("L", loss)
    half = lambda X, y, theta: loss(X, y, theta) / 2  # noqa: E731
    d.same_minimiser("L/2", half, because="a positive factor", over="theta")
    # not a function of the line before: only the minimiser is the same
    best = lambda X, y, theta: np.cosh(theta - np.linalg.lstsq(X, y, rcond=None)[0]).sum()  # noqa: E731
    d.same_minimiser("c", best, because="least at the solution", over="theta")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda X, y, theta: -loss(X, y, theta),
        lambda X, y, theta: loss(X, y, theta) + 0.01 * theta @ theta,
        lambda X, y, theta: loss(X, -y, theta),
        lambda X, y, theta: np.abs(y - X @ theta).sum(),
        lambda X, y, theta: 0.0,
        lambda X, y, theta: theta,
    ],
)
def test_other_minimisers_are_caught(wrong):
    d = regression(trials=2).start("L", loss)
    with pytest.raises(DerivationError):
        d.same_minimiser("wrong", wrong, because="no", over="theta")


def test_same_minimiser_with_a_kink():
    def lasso(X, y, theta, s):
        return loss(X, y, theta) / (2 * s) + np.abs(theta).sum() / s + 4 * np.log(s)

    d = Derivation("lasso", X=normal(8, 3), y=normal(8), theta=normal(3), s=positive(), trials=4)
    d.start("MAP", lasso)
    with pytest.raises(DerivationError):
        d.same_minimiser(
            "l", lambda X, y, theta: loss(X, y, theta) + np.abs(theta).sum(), because="no", over="theta"
        )
    d.same_minimiser(
        "l", lambda X, y, theta: loss(X, y, theta) + 2 * np.abs(theta).sum(), because="scale", over="theta"
    )


def test_same_minimiser_of_a_scalar_with_a_domain():
    d = Derivation("variance", r=normal(8), v=positive(), trials=6)
    d.start("nll", lambda r, v: 4 * np.log(v) + r @ r / (2 * v))
    d.same_minimiser("square", lambda r, v: (v - r @ r / 8) ** 2, because="set to zero", over="v")
    with pytest.raises(DerivationError, match="values of v at which each line is least"):
        d.same_minimiser("square", lambda r, v: (v - r @ r / 7) ** 2, because="unbiased", over="v")


def test_no_minimiser_at_all():
    d = Derivation("falls", x=normal(2), trials=3).start("-x^2", lambda x: -x @ x)
    with pytest.raises(DerivationError, match="no minimiser over x was found"):
        d.same_minimiser("-2x^2", lambda x: -2 * x @ x, because="a positive factor", over="x")


def test_terms_that_cancel_are_compared_by_their_size():
    d = Derivation("normal equations", X=normal(8, 3), y=normal(8))
    d.start("r", lambda X, y: X.T @ (y - X @ np.linalg.lstsq(X, y, rcond=None)[0]))
    with pytest.raises(DerivationError):  # small, but not rounding
        d.equals("10^{-10}", lambda: np.full(3, 1e-10), because="nearly")
    d.equals("0", lambda: np.zeros(3), because="the minimum is stationary")
    assert d.worst < 1e-13


def test_small_is_not_zero():
    d = Derivation("density", x=uniform(8, 9)).start("p", lambda x: np.exp(-(x**2)))
    assert np.exp(-64) < 1e-27
    with pytest.raises(DerivationError):
        d.equals("2p", lambda x: 2 * np.exp(-(x**2)), because="no")
    with pytest.raises(DerivationError):
        d.equals("0", lambda x: 0.0, because="no")
    d.equals("p", lambda x: np.exp(-x) ** x, because="power of a power")


def test_zero_is_zero():
    assert (
        Derivation("zero").start("0", lambda: 0).equals("0", lambda: np.array(0.0), because="same").worst == 0
    )


def test_a_cancelling_line_that_is_wrong_beyond_rounding():
    d = Derivation("cancel", x=normal(4)).start("x - x", lambda x: x - x)
    with pytest.raises(DerivationError):
        d.equals("10^{-9}x", lambda x: 1e-9 * x, because="nearly")


def test_expectations_fit_in():
    d = Derivation("second moment", m=normal(), v=positive())
    d.start(r"E[x^2]", lambda m, v: expect_gaussian(lambda x: x**2, m, v))
    d.equals("m^2 + v", lambda m, v: m**2 + v, because="variance is the mean square less the squared mean")


def test_lines_cannot_spoil_each_others_inputs():
    def spoil(x):
        x[:] = 0
        return x.sum()

    d = Derivation("spoil", x=normal(3), fixed=[1, 2]).start("0", spoil)
    with pytest.raises(DerivationError):
        d.equals("sum", lambda x: x.sum(), because="x is whole again")


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda d: d.equals("x", lambda x: x, because="  "), "because must say why"),
        (lambda d: d.equals("x", 3, because="why"), "every line runs"),
        (lambda d: d.equals("x", lambda x, w: x, because="why"), "use only the inputs x; got w"),
        (lambda d: d.equals("", lambda x: x, because="why"), "latex must be a formula"),
        (lambda d: d.equals("{x", lambda x: x, because="why"), "braces in pairs"),
        (lambda d: d.equals("}x{", lambda x: x, because="why"), "braces in pairs"),
        (lambda d: d.equals("$x$", lambda x: x, because="why"), r"no \$"),
        (lambda d: d.equals("x", lambda x: x, because="by $x"), "in pairs"),
        (lambda d: d.start("x", lambda x: x), "given once"),
        (lambda d: Derivation("e", x=normal()).equals("x", lambda x: x, because="why"), r"after start"),
        (lambda d: Derivation("e", trials=0), "trials must be at least 1"),
        (lambda d: Derivation("e", within=0), "within must be above 0"),
        (lambda d: Derivation("e", label='"><script>'), "label must be"),
        (lambda d: normal(0), "normal: shape must be at least 1"),
        (lambda d: uniform(2, 1), "uniform: low must be below 1"),
        (lambda d: integers(3, 3), "integers: high must be at least 4"),
        (lambda d: probabilities(), "at least one axis"),
    ],
)
def test_misuse_is_a_value_error(call, rule):
    with pytest.raises(ValueError, match=rule):
        call(Derivation("misuse", x=normal()).start("x", lambda x: x))


def test_because_is_required():
    with pytest.raises(TypeError, match="because"):
        started().equals("x", gradient)


def test_defaults_are_not_inputs():
    Derivation("k", x=normal()).start("x", lambda x, k=2: x).equals("x", lambda x, **rest: x, because="same")


def test_samplers():
    rng = np.random.default_rng(0)
    assert normal(8, 3)(rng).shape == (8, 3)
    assert isinstance(normal()(rng), float)
    assert isinstance(integers(0, 3)(rng), int)
    draws = integers(2, 4, 100)(rng)
    assert set(draws) == {2, 3}
    assert (positive(1000)(rng) > 0).all()
    u = uniform(-1, 2, 1000)(rng)
    assert -1 <= u.min() < -0.9
    assert 1.9 < u.max() <= 2
    rows = probabilities(5, 4)(rng)
    assert rows.shape == (5, 4)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    assert probabilities(4)(rng).shape == (4,)
    S = covariance(3)(rng)
    np.testing.assert_array_equal(S, S.T)
    assert np.linalg.eigvalsh(S).min() > 0.19
    assert repr(uniform(0, 1, 3)) == "uniform(0, 1, 3)"


def test_it_is_deterministic_and_the_seed_counts():
    def draws(**options):
        seen = []
        Derivation("seen", x=normal(), **options).start("x", lambda x: seen.append(x) or x)
        return seen

    assert draws() == draws()
    assert len(set(draws())) == 20
    assert draws() != draws(seed=1)
    assert len(draws(trials=3)) == 3
    assert draws(trials=3) == draws()[:3]


# --- how it looks


def example(**options):
    d = Derivation("a < b & $x^2$", x=positive(), theta=normal(), **options)
    d.start("x", lambda x: x)
    d.equals(r"\frac{2x}{2}<b {}", lambda x: x, because=r"cancel $2$ & 100% <b>, a_b {c} \$5")
    d.at_most("x + 1", lambda x: x + 1, because="add 1")
    d.at_least("x", lambda x: x, because="take 1")
    return d.proportional_to("2x", lambda x: 2 * x, because="twice", of="x")


def test_plain_text():
    lines = str(example()).splitlines()
    assert lines[0] == "a < b & x^2"
    assert lines[1].strip() == "x"
    assert re.fullmatch(r" +≤ x \+ 1 +add 1", lines[3])
    assert "∝ (in x) 2x" in lines[5]
    assert lines[-1] == "checked on 20 random inputs in float64; largest relative disagreement below 1e-14"
    assert len({re.search(r"(add|take) 1", line).start() for line in lines[3:5]}) == 1
    assert repr(example()) == str(example())


def test_check_line_in_other_words():
    assert "checked on the given input in float64" in str(
        Derivation("f", x=1.0).start("x", lambda x: x).equals("x", lambda x: x, because="same")
    )
    assert "checked on 1 random input in" in str(
        Derivation("f", x=normal(), trials=1).start("x", lambda x: x).equals("x", lambda x: x, because="same")
    )
    assert str(Derivation("f").start("1", lambda: 1)).endswith("nothing to check yet")
    rough = Derivation("f", x=normal(), within=0.1).start("x", lambda x: x)
    assert "disagreement 5e-02" in str(rough.equals("x", lambda x: x * 1.05, because="nearly"))


def test_latex():
    bundle = example()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/latex"}
    latex = bundle["text/latex"]
    assert latex.startswith(r"$$\begin{aligned}")
    assert latex.endswith(r"\end{aligned}$$")
    assert latex.count("$") == 2 * 2 + 1  # the display's, and one escaped dollar
    assert r"\$\text{5}" in latex
    bare = re.sub(r"\\[{}\\]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}") == 2
    assert r"\text{cancel }2\text{ }\&\text{ 100}\%" in latex
    assert r"a}\_\text{b }\{\text{c}\}" in latex
    for symbol in [r"\le", r"\ge", r"\propto_{x}", r"\textbf{a < b }"]:
        assert symbol in latex
    assert "checked on 20 random inputs" in latex


def test_names_of_variables_in_latex():
    d = Derivation("v", theta=normal(), mean_x=normal()).start("1", lambda: 1.0)
    d.proportional_to("1", lambda: 1.0, because="constant", of="theta")
    d.proportional_to("1", lambda: 1.0, because="constant", of="mean_x")
    latex = d._repr_mimebundle_()["text/latex"]
    assert r"\propto_{\theta}" in latex
    assert r"\propto_{\mathrm{mean\_x}}" in latex
    square = Derivation("v", theta=normal()).start("a", lambda theta: theta**2)
    square.same_minimiser("b", lambda theta: 3 * theta**2, because="factor", over="theta")
    assert r"\overset{\arg\min_{\theta}}{\equiv}" in square._repr_mimebundle_()["text/latex"]
    assert "same minimiser over theta as b" in str(square)


class Tree(HTMLParser):
    """Insists on nesting, and keeps classes, ids and text."""

    def __init__(self, html):
        super().__init__()
        self.stack, self.classes, self.ids, self.text, self.tags = [], [], [], "", set()
        self.feed(html)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag, attributes):
        self.stack.append(tag)
        self.tags.add(tag)
        self.classes.append(dict(attributes).get("class"))
        self.ids += [value for key, value in attributes if key == "id"]

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_html_on_the_site(monkeypatch):
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    bundle = example(label="eq-least-squares-normal")._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/latex", "text/html"}
    tree = Tree(bundle["text/html"])
    assert tree.classes[0] == "studio-derivation"
    assert tree.classes.count("studio-line") == 5
    assert tree.ids[-2:] == ["eq-least-squares-normal", "eq-least-squares-normal-5"]
    assert "b" not in tree.tags
    assert r"\(\displaystyle \frac{2x}{2}<b {}\)" in tree.text
    assert r"cancel \(2\) & 100% <b>, a_b {c} $5" in tree.text
    # the title's, four relations, five lines, one in a reason and four breaks
    assert tree.classes.count("math notranslate nohighlight") == 1 + 4 + 5 + 1 + 4


def test_ipython_takes_the_bundle():
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter().format(example())
    assert data["text/plain"] == str(example())
    assert "text/latex" in data
