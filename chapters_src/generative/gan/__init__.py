"""Adversarial networks: one network draws, another tells drawn from true; and how close the drawn come."""

from chapters_src.generative.gan.energy import (
    energy_distance,
    expected_energy_distance,
    null_energy_distances,
)
from chapters_src.generative.gan.games import best_discriminator, growth, jensen_shannon, play
from chapters_src.generative.gan.judging import (
    Coverage,
    Found,
    frechet_distance,
    modes_found,
    precision_recall,
    ring,
    ring_centres,
)
from chapters_src.generative.gan.network import (
    GAN,
    between_penalty,
    power_step,
    real_penalty,
    with_unit_norms,
)
from chapters_src.generative.gan.training import Game, critic_loss, fit_gan, game, generator_loss
from chapters_src.generative.gan.transport import Critic, Transport, best_critic, least_transport

__all__ = [
    "GAN",
    "Coverage",
    "Critic",
    "Found",
    "Game",
    "Transport",
    "best_critic",
    "best_discriminator",
    "between_penalty",
    "critic_loss",
    "energy_distance",
    "expected_energy_distance",
    "fit_gan",
    "frechet_distance",
    "game",
    "generator_loss",
    "growth",
    "jensen_shannon",
    "least_transport",
    "modes_found",
    "null_energy_distances",
    "play",
    "power_step",
    "precision_recall",
    "real_penalty",
    "ring",
    "ring_centres",
    "with_unit_norms",
]
