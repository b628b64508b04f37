"""Arguments of the chapter on many machines that no annotation describes."""

import numpy as np
import torch

from chapters_src.core.device import seed
from chapters_src.scale.parallel import FITS
from chapters_src.scale.parallel.processes import Place
from chapters_src.sequences.language_model import GPT, Config

MAKERS = {
    "TwoTermLaw": lambda: FITS["fitted again in 2024"],
    "run_script.options": lambda: ["--help"],
    "share.batch": lambda: torch.arange(12.0).reshape(6, 2),
    "share.rank": lambda: 1,
    "share.count": lambda: 2,
    "wrapped.method": lambda: "replicated",
    "split_network.activation": lambda: np.tanh,
    "split_network.X": lambda: np.ones((3, 2)),
    "GPT": lambda: GPT(Config(5, 4, 4, 2, 1), seed(0)),
    "Place": lambda: Place(0, 1, torch.device("cpu")),
    "by_rows.pieces": lambda: 2,
}
