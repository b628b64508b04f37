"""An explorer in a real kernel, moved as a browser moves it, with ipywidgets 8 and with Colab's 7.7.1."""

import queue
import sys
import time

import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from tools.running import start_again

CODE = """
import ipywidgets
from chapters_src.studio import Choice, Explorer, Slider, figure

fig, ax = figure()
ax.set(xlim=(0, 1), ylim=(0, 1))
line, = ax.plot([0, 1], [0, 0])

def update(height, kind, step):
    line.set_ydata([height, height])
    return f"A {kind} line at {height:.2f} after {step}."

explorer = Explorer(
    "Height", fig, update, alt="A level line that can be lifted.",
    height=Slider(0.01, 1, 0.1, "height", scale="log"),
    kind=Choice(["thin", "bold"], "thin", "kind"),
    step=Slider(0, 6, 0, "step", scale="integer", points=3, play=True),
)
box = explorer.widget()
print(ipywidgets.__version__)

def leaves(widget):
    children = getattr(widget, "children", None)
    return [widget] if children is None else [leaf for child in children for leaf in leaves(child)]

for leaf in leaves(box):
    print(type(leaf).__name__, leaf.model_id)
explorer
"""


class Kernel:
    """A kernel in another interpreter, and the little of a front end that moves a slider."""

    def __init__(self, python, folder):
        self.manager = KernelManager()
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager._kernel_spec = KernelSpec(argv=argv, language="python", display_name="test")
        self.manager.start_kernel(cwd=str(folder), extra_arguments=[])
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code):
        """Execute code and return what it printed and what it displayed."""
        self.client.execute(code)
        text, shown = "", {}
        for message in self._messages(60):
            content = message["content"]
            if message["msg_type"] == "stream":
                text += content["text"]
            elif message["msg_type"] == "execute_result":
                shown = content["data"]
            elif message["msg_type"] == "error":
                pytest.fail("\n".join(content["traceback"]))
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return text, shown
        pytest.fail("the kernel did not finish")

    def move(self, model, **state):
        """Change a widget's state as its view in a browser would; return what changed in answer."""
        content = {
            "comm_id": model,
            "data": {"method": "update", "state": state, "buffer_paths": []},
        }
        self.client.shell_channel.send(self.client.session.msg("comm_msg", content))
        changed = {}
        for message in self._messages(20):
            if message["msg_type"] == "comm_msg" and message["content"]["data"].get("method") == "update":
                changed[message["content"]["comm_id"]] = message["content"]["data"]["state"]
            elif message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        return changed

    def _messages(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                yield self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(params=["ipywidgets 8", "Colab's ipywidgets"], scope="module")
def kernel(request, project_root, colab_python, tmp_path_factory):
    python = sys.executable if request.param == "ipywidgets 8" else colab_python
    kernel = start_again(lambda: Kernel(python, project_root))
    kernel.version = request.param
    yield kernel
    kernel.stop()


def test_moving_a_control_redraws_the_figure(kernel):
    text, shown = kernel.run(CODE)
    version, *widgets = text.splitlines()
    assert version.startswith("8." if kernel.version == "ipywidgets 8" else "7.7.1")
    models = dict(row.split() for row in widgets)  # of the two HTMLs the last one, which is the figure
    assert {"FloatLogSlider", "Dropdown", "SelectionSlider", "Play", "HTML"} == set(models)
    assert "application/vnd.jupyter.widget-view+json" in shown and "image/png" in shown

    lifted = kernel.move(models["FloatLogSlider"], value=0.5)[models["HTML"]]["value"]
    assert "A thin line at 0.50 after 0." in lifted and "<svg" in lifted
    later = kernel.move(models["SelectionSlider"], index=1)[models["HTML"]]["value"]
    assert "A thin line at 0.50 after 3." in later  # positions 0, 3, 6: those of the site


def test_a_choice_is_sent_by_its_index(kernel):
    text, _ = kernel.run(CODE)
    models = dict(row.split() for row in text.splitlines()[1:])
    assert "A bold line at 0.10 after 0." in kernel.move(models["Dropdown"], index=1)[models["HTML"]]["value"]
