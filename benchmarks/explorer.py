"""What one step of an explorer costs: in the kernel, and in the reader's browser."""

from __future__ import annotations

import json
import statistics

import nbformat
from nbclient import NotebookClient

TITLE = "An explorer's step in a kernel, against `ipywidgets.interact` with an inline PNG of the same figure"
STEPS = 60

STAGE = """
import json, time
import ipywidgets, numpy as np
from chapters_src.models.least_squares import fit_gradient_descent, with_bias
from chapters_src.studio import Explorer, Slider, figure

X = with_bias(np.linspace(0, 2, 12)[:, None])
y = X @ [0.5, 1.0] + 0.2 * np.sin(np.arange(12))
t0, t1 = np.meshgrid(np.linspace(-2, 3, 60), np.linspace(-1, 3, 60))
surface = ((np.stack([t0.ravel(), t1.ravel()], 1) @ X.T - y) ** 2).mean(1).reshape(t0.shape)

def stage():
    fig, (left, right) = figure(1, 2)
    left.contour(t0, t1, surface, levels=12)
    left.set(xlim=(-2, 3), ylim=(-1, 3), title="path")
    right.set(xlim=(0, 40), ylim=(1e-3, 1e3), yscale="log", title="loss")
    path, = left.plot([], [], "o-", ms=3)
    curve, = right.plot([], [])
    def update(eta):
        walk = fit_gradient_descent(X, y, eta, steps=40, tolerance=0.0, theta=np.array([-1.5, 2.5]))
        path.set_data(*walk.path.T)
        curve.set_data(np.arange(len(walk.losses)), walk.losses)
        return f"Learning rate {eta:.3f}."
    return fig, update

values = np.linspace(0.05, 0.40, STEPS)

def seconds(slider):
    times = []
    for value in values:
        start = time.perf_counter()
        slider.value = value
        times.append(time.perf_counter() - start)
    return times
"""

OURS = """
fig, update = stage()
rate = Slider(0.01, 0.45, 0.1, "rate")
explorer = Explorer("Rate", fig, update, alt="A path on a loss and its curve.", eta=rate)
box = explorer.widget()
ours = seconds(box.children[1].children[0])
"""

THEIRS = """
%matplotlib inline
import matplotlib.pyplot as plt
from IPython.display import display

fig, update = stage()

def shown(eta):
    update(eta)
    display(fig)

slider = ipywidgets.FloatSlider(value=0.1, min=0.01, max=0.45, step=0.001)
ipywidgets.interact(shown, eta=slider)
theirs = seconds(slider)
print(json.dumps([ours, theirs]))
"""


def rows() -> list[tuple[str, float, float, float]]:
    """Return (what, our seconds, their seconds, theirs over ours), medians of one run in one kernel."""
    cells = [nbformat.v4.new_code_cell(code.replace("STEPS", str(STEPS))) for code in (STAGE, OURS, THEIRS)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    printed = next(
        o for o in notebook.cells[-1].outputs if o.output_type == "stream" and o.text.startswith("[[")
    )
    ours, theirs = map(statistics.median, json.loads(printed.text))
    return [("one step of a two-panel figure", ours, theirs, theirs / ours)]
