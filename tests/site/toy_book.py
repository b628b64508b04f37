"""A book of one page with one of everything a reader can touch, executed and built in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat

from tools.chapters import ROOT
from tools.running import Run, execute

SETUP = "import numpy as np\nfrom chapters_src.studio import *\nfrom chapters_src.studio import style"
DERIVATION = r"""# @title the binomial, line by line
d = Derivation("the square of a sum", a=normal(), b=normal(), label="eq-toy-square")
d.start("(a+b)^2", lambda a, b: (a + b) ** 2)
d.equals("a(a+b)+b(a+b)", lambda a, b: a * (a + b) + b * (a + b), because="one bracket is $a+b$")
d.equals("a^2+2ab+b^2", lambda a, b: a**2 + 2 * a * b + b**2, because="multiply out")
d.at_most("2a^2+2b^2", lambda a, b: 2 * a**2 + 2 * b**2, because="$2ab\\le a^2+b^2$")"""
STAGE = """# @title the stage
fig, ax = figure()
ax.set(xlim=(0, 1), ylim=(0, 1))
(line,) = ax.plot([0, 1], [0, 0])"""
EXPLORER = """# @title a line that tilts
def update(slope):
    line.set_data([0, 1], [0, slope])
    return f"The line rises by {digits(slope)}."


Explorer("Slope", fig, update, alt="A line that can be tilted.",
    slope=Slider(0, 1, 0.5, "slope", points=5))"""
FIGURE = """# @title two points
fig, ax = figure()
ax.plot([0, 1], [1, 0])
show(fig, alt="A line that falls from one to nought.")"""
QUESTIONS = {
    "predict": r"""predict = Predict(
    "Half of a half", r"What is $\frac12\cdot\frac12$?", answer=0.25, within=0.001, unit="m",
    mistakes=[Mistake(0.5, "that is one half; take half of it once more"),
              Mistake(above(1), "a part of a part is smaller"),
              Mistake(below(0), "no sign has changed: $\\frac12>0$")],
    hints=["draw a square", r"multiply $1\cdot1$ and $2\cdot2$"], why="A quarter: half of each side.")""",
    "choose": r"""choose = Choose(
    "Steps that are too long", r"What does gradient descent do when $\eta>2/\lambda_{\max}$?",
    options=[Option("it converges slowly", why="Slow is what a step that is too *short* does."),
             Option("it diverges", right=True, why=r"Each step multiplies the error by $|1-\eta\lambda|>1$."),
             Option("it stops", why="It stops only where the gradient is zero.")],
    hints=[r"what is the error multiplied by?"])""",
    "false_line": r"""false_line = FalseLine(
    d, {3: Variant("a^2+b^2", lambda a, b: a**2 + b**2)}, why="The middle term $2ab$ was lost.",
    hints=["try $a=b=1$"])""",
    "order": r"""order = Order(
    "One step of descent", "Put the lines in order.",
    lines=["theta = np.zeros(2)", "gradient = X.T @ (X @ theta - y)", "rate = 0.1",
           "theta = theta - rate * gradient"],
    before=[(1, 2, "a gradient is taken somewhere: which line says where?"), (2, 4),
            (3, 4, "the step needs its length")],
    code=True, hints=["what must exist first?"], why="The rate may stand anywhere before the step.")""",
    "proof": r"""proof = Order(
    "The proof", "Put the proof in order.", lines=["Let $n$ be even.", "Then $n=2k$.", "So $n^2=4k^2$."],
    valid=[[1, 2, 3]], hints=["begin with what is assumed"])""",
}
EXERCISE = 'exercise = Exercise("double", answer=lambda x: 2 * x, cases=[{"x": 1}], hint="twice")\n'


def markdown(text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_markdown_cell(text)


def code(source: str, *tags: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def cells() -> list[nbformat.NotebookNode]:
    """The page: prose with claims, a derivation, an explorer, a figure, questions, a code exercise."""
    return [
        markdown(
            "# A toy\n\nThe mean is 12.24, and a share of 52 % is $\\theta=-0.5$ away; ten times as much.\n"
        ),
        code(SETUP, "setup", "remove-cell"),
        code('claim("mean", 12.2398, equals=12.24, within=0.005)'),
        code('share = 0.5234\nclaim("share", share, at_least=0.5, at_most=0.55)'),
        code('claim("distance", -0.5, equals=-0.5, within=0.001)'),
        code('claim("more", 10.3, at_least=9, written="ten times")'),
        markdown("## Derivation\n\nEvery line runs."),
        code(DERIVATION, "derivation", "hide-input"),
        markdown("## Explorer\n\nMove it."),
        code(STAGE, "explorer", "hide-input"),
        code(EXPLORER, "explorer", "hide-input"),
        markdown("A figure with a caption of words."),
        code(FIGURE, "figure", "hide-input"),
        markdown("## Exercises\n\nAll of them."),
        *(
            code(f"# @title {name}\n{source}\n{name}", "exercise", "remove-input")
            for name, source in QUESTIONS.items()
        ),
        code(EXERCISE + "\n\ndef double(x): ...\n\n\nexercise.check(double)", "exercise"),
    ]


def build(
    folder: Path, notebook_cells: list[nbformat.NotebookNode], repository: str = ""
) -> subprocess.CompletedProcess:
    """Execute the cells as ``part/toy`` and build the book; the site is in ``folder``/_build/html."""
    page = folder / "book" / "part" / "toy.ipynb"
    page.parent.mkdir(parents=True)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = nbformat.v4.new_notebook(cells=notebook_cells, metadata=kernel)
    if notebook_cells:
        os.environ["PYTHONPATH"] = str(ROOT)
        notebook, _ = execute(Run("toy", notebook, page.parent, {"EVERY_LINE_SITE": "1"}))
    nbformat.write(notebook, page)
    (folder / "book" / "intro.md").write_text("# A book\n\nWith one page.\n", encoding="utf-8")
    for shared in ("_static", "_data", "references.bib"):
        (folder / "book" / shared).symlink_to(ROOT / "book" / shared)
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    config = config.replace(": book/_ext", f": {ROOT / 'book' / '_ext'}").replace(
        "execute_notebooks: cache", 'execute_notebooks: "off"'
    )
    config = config.replace('  url: ""', f'  url: "{repository}"')
    (folder / "_config.yml").write_text(config, encoding="utf-8")
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: intro\nchapters:\n- file: part/toy\n", encoding="utf-8"
    )
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(folder / "book")]
    command += [
        "--config",
        str(folder / "_config.yml"),
        "--toc",
        str(folder / "_toc.yml"),
        "--path-output",
        str(folder),
        "-W",
    ]
    environment = os.environ | {"EVERY_LINE_SITE": "1", "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
