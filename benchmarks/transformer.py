"""A GPT beside the same model from torch's own layers, and generation with and without the cache.

Same widths, activation, norm, causal mask, batch and optimiser on both sides, and the same logits to begin
with, because the weights are copied. One thread.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks._timing import Row, against
from chapters_src.core.device import seed
from chapters_src.sequences.decoding import generate
from chapters_src.sequences.language_model import GPT, Config, next_token_loss

TITLE = "GPT: a training step beside torch's layers, and 256 tokens with and without a cache, one thread"


class TorchGPT(nn.Module):
    """The weights of a GPT with learned positions, in `nn.TransformerEncoderLayer`s."""

    def __init__(self, model: GPT) -> None:
        super().__init__()
        self.config, c = model.config, model.config
        self.embedding, self.positions = copy.deepcopy(model.embedding), copy.deepcopy(model.positions)
        self.last = copy.deepcopy(model.last)
        self.blocks = nn.ModuleList()
        for block in model.blocks:
            layer = nn.TransformerEncoderLayer(
                c.d, c.heads, c.hidden, 0.0, c.activation, batch_first=True, norm_first=True
            )
            ours = (
                block.attention_norm,
                block.network_norm,
                block.attention.out,
                block.feed_forward.wide,
                block.feed_forward.back,
            )
            theirs = (layer.norm1, layer.norm2, layer.self_attn.out_proj, layer.linear1, layer.linear2)
            for mine, other in zip(ours, theirs, strict=True):
                other.load_state_dict(mine.state_dict())
            with torch.no_grad():
                layer.self_attn.in_proj_weight.copy_(block.attention.qkv.weight)
                layer.self_attn.in_proj_bias.copy_(block.attention.qkv.bias)
            self.blocks.append(layer)
        hidden = nn.Transformer.generate_square_subsequent_mask(c.context)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        t = tokens.shape[1]
        x = F.embedding(tokens, self.embedding) * math.sqrt(self.config.d) + self.positions[:t]
        for block in self.blocks:
            x = block(x, src_mask=self.hidden[:t, :t], is_causal=True)
        return self.last(x) @ self.embedding.T


def step(model: nn.Module, tokens: torch.Tensor, loss: Callable[..., torch.Tensor]) -> Callable[[], None]:
    """One step of AdamW on a batch."""
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def take() -> None:
        adam.zero_grad()
        loss(model, tokens).backward()
        adam.step()

    return take


def torch_loss(model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def training(batch: int, length: int, d: int, layers: int, repeats: int) -> Row:
    """A step of ours beside a step of theirs, in turn."""
    config = Config(768, length, d, d // 32, layers, position="learned")
    ours = GPT(config, seed(0))
    theirs = TorchGPT(ours)
    tokens = torch.randint(768, (batch, length + 1), generator=seed(1))
    with torch.no_grad():
        assert torch.allclose(ours(tokens[:, :-1]), theirs(tokens[:, :-1]), atol=1e-4)
    words = f"nn.TransformerEncoderLayer: a step, {layers} layers of {d}, {batch} × {length} tokens"
    (row,) = against(
        step(ours, tokens, next_token_loss), {words: step(theirs, tokens, torch_loss)}, repeats=repeats
    )
    return row


def generation(start: int, d: int, repeats: int) -> Row:
    """256 tokens after a prompt, with and without the cache; the tokens are the same."""
    model = GPT(Config(768, 512, d, d // 32, 4), seed(0))
    prompt = torch.randint(768, (1, start), generator=seed(1))
    made: dict[bool, torch.Tensor] = {}

    def write(cache: bool) -> Callable[[], None]:
        return lambda: made.update({cache: generate(model, prompt, 256, seed(2), cache=cache)})

    words = f"no cache: 256 tokens after {start}, 4 layers of {d}"
    (row,) = against(write(True), {words: write(False)}, repeats=repeats, warm_up=0)
    assert torch.equal(made[True], made[False])
    return row


def rows(repeats: int = 15) -> list[Row]:
    """Return the comparisons."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [
            training(16, 64, 128, 4, repeats),
            training(8, 256, 128, 4, repeats),
            generation(16, 256, max(repeats // 5, 1)),
            generation(256, 128, max(repeats // 5, 1)),
        ]
    finally:
        torch.set_num_threads(threads)
