"""Arguments of the generative models that no annotation describes."""

import numpy as np
import torch

from chapters_src.core.device import seed
from chapters_src.generative.autoencoder import Autoencoder, SparseAutoencoder
from chapters_src.generative.components import ICA, PCA
from chapters_src.generative.diffusion import Denoiser, gaussian_denoiser, linear_schedule
from chapters_src.generative.elbo import banana, linear_gaussian
from chapters_src.generative.flows import Coupling
from chapters_src.generative.gan import GAN, game
from chapters_src.generative.mixtures import mixture
from chapters_src.generative.neighbours import joint_affinities, membership_curve
from chapters_src.generative.vae import VAE
from chapters_src.generative.variational import normal_gamma, random_walk

S = np.array([[1.0, 0.3], [0.3, 0.5]])
SCHEDULE = linear_schedule(10, 0.01, 0.3)
X = torch.rand(6, 2, generator=seed(0))
MIXTURE = mixture([0.4, 0.6], [[0.0, 1.0], [1.0, 0.0]], [S, S])
PAIRS = joint_affinities(np.random.default_rng(0).standard_normal((6, 3)), 3)
RESPONSIBILITIES = np.tile([0.3, 0.7], (30, 1))


def two_columns():
    return np.random.default_rng(0).standard_normal((30, 2))


def rows():
    return X.clone()


def coins():
    return X.round()


MAKERS = {
    "discrete_kl.q": lambda: np.array([0.4, 0.6]),
    "discrete_kl.p": lambda: np.array([0.5, 0.5]),
    **{
        f"multivariate_gaussian_kl.{name}_{which}": lambda value=value: value.copy()
        for which in "qp"
        for name, value in (("mean", np.zeros(2)), ("covariance", S))
    },
    **{
        f"{name}.covariance": lambda: S.copy()
        for name in ("gaussian_entropy", "correlated_mean_field", "gaussian_denoiser", "gaussian_noise_left")
    },
    **{f"{name}.P": lambda: PAIRS.copy() for name in ("tsne_loss", "tsne_gradient", "fit_tsne")},
    **{f"{name}.Y": lambda: PAIRS[:, :2].copy() for name in ("tsne_loss", "tsne_gradient", "umap_loss")},
    "fit_tsne.start": lambda: PAIRS[:, :2].copy(),
    **{f"{name}.W": lambda: 1 - np.eye(6) for name in ("umap_loss", "fit_umap")},
    "fit_umap.start": lambda: PAIRS[:, :2].copy(),
    **{f"{name}.curve": lambda: membership_curve(0.1) for name in ("umap_loss", "fit_umap")},
    **{
        f"{name}.X": lambda: np.random.default_rng(0).standard_normal((12, 2))
        for name in ("conditional_affinities", "joint_affinities", "pieces_and_holes")
    },
    **{f"{name}.perplexity": lambda: 3.0 for name in ("conditional_affinities", "joint_affinities")},
    "LinearGaussian": lambda: linear_gaussian(np.zeros(3), np.ones((3, 2)), 0.5),
    "log_evidence.x": lambda: np.ones(3),
    "log_evidence.X": two_columns,
    "gaussian_posterior.x": lambda: np.ones(3),
    "elbo.x": lambda: np.ones(3),
    "elbo.X": coins,
    "elbo.mean": lambda: np.zeros(2),
    "elbo.covariance": lambda: S.copy(),
    "gaussian_elbo.log_joint": lambda: lambda z: -(z**2),
    "grid_posterior.log_joint": lambda: banana().log_joint,
    "grid_posterior.low": lambda: np.array([-1.0, -1.0]),
    "grid_posterior.high": lambda: np.array([1.0, 1.0]),
    "grid_posterior.points": lambda: 9,
    "fit_gaussian.log_joint": lambda: banana().log_joint,
    "fit_gaussian.gradient": lambda: banana().gradient,
    "fit_gaussian.mean": lambda: np.zeros(2),
    "fit_gaussian.covariance": lambda: S.copy(),
    "fit_gaussian.steps": lambda: 3,
    "Mixture": lambda: MIXTURE,
    "mixture.weights": lambda: np.array([0.4, 0.6]),
    "mixture.means": lambda: np.array([[0.0, 1.0], [1.0, 0.0]]),
    "mixture.covariances": lambda: np.array([S, S]),
    **{f"{name}.X": two_columns for name in ("log_likelihood", "responsibilities", "mixture_elbo", "fit_em")},
    **{f"{name}.r": lambda: RESPONSIBILITIES.copy() for name in ("mixture_elbo", "maximised")},
    "PCA": lambda: PCA(np.zeros(2), np.eye(2), np.array([2.0, 1.0]), 3.0),
    "ICA": lambda: ICA(np.zeros(2), np.eye(2), True, 3),
    **{
        f"{name}.X": two_columns
        for name in ("scores", "reconstruction", "reconstruction_error", "whitened", "fit_ica", "unmixed")
    },
    "fit_ppca.X": lambda: np.random.default_rng(1).standard_normal((30, 4)),
    "fit_ppca_em.X": lambda: np.random.default_rng(1).standard_normal((30, 4)),
    "bic.X": two_columns,
    "posterior.X": two_columns,
    "NormalGamma": lambda: normal_gamma(0.0, 1.0, 2.0, 2.0),
    "score_function_gradient.values": lambda: np.array([1.0, 2.0, 4.0]),
    "score_function_gradient.eps": lambda: np.array([[0.5, -0.5], [1.0, 0.2], [-1.0, 0.1]]),
    "score_function_gradient.std": lambda: np.array([1.0, 2.0]),
    "leave_one_out_baseline.values": lambda: np.array([1.0, 2.0, 4.0]),
    "metropolis_hastings.log_density": lambda: banana().log_joint,
    "metropolis_hastings.start": lambda: np.ones((3, 2)),
    "Proposal": lambda: random_walk(1.0),
    "gibbs_sampler.conditionals": lambda: [lambda z, rng: rng.standard_normal(len(z))] * 2,
    "gibbs_sampler.start": lambda: np.ones((3, 2)),
    "leapfrog.gradient": lambda: lambda z: -z,
    "leapfrog.z": lambda: np.ones((3, 2)),
    "leapfrog.v": lambda: np.ones((3, 2)),
    "hamiltonian_walk.log_density": lambda: banana().log_joint,
    "hamiltonian_walk.gradient": lambda: banana().gradient,
    "hamiltonian_walk.start": lambda: np.ones((3, 2)),
    "split_r_hat.chains": lambda: np.random.default_rng(0).standard_normal((30, 3)),
    "effective_sample_size.x": lambda: np.random.default_rng(0).standard_normal(30),
    "Autoencoder": lambda: Autoencoder(2, 1, generator=seed(0)),
    "fit_epochs.X": rows,
    "fit_epochs.loss": lambda: Autoencoder(2, 1, generator=seed(0)).squared_error,
    "fit_autoencoder.X": rows,
    "SparseAutoencoder": lambda: SparseAutoencoder(2, 3, generator=seed(0)),
    **{f"{name}.X": rows for name in ("fit_sparse", "contraction", "denoising_error", "cross_entropy")},
    "VAE": lambda: VAE(2, 1, generator=seed(0)),
    "VAE.likelihood": lambda: "gaussian",
    "binarise.X": rows,
    "fit_vae.X": rows,
    "elbo_terms.X": coins,
    "iwae_bound.X": coins,
    "two_level_terms.X": coins,
    "fit_two_level.X": rows,
    **{
        f"{name}.upper": lambda: VAE(1, 1, likelihood="gaussian", generator=seed(1))
        for name in ("two_level_terms", "fit_two_level", "two_level_samples")
    },
    **{
        f"{name}.{heap}": lambda value=value: np.array(value)
        for name in ("jensen_shannon", "least_transport", "best_critic")
        for heap, value in (("p", [0.4, 0.6]), ("q", [0.5, 0.5]), ("c", [[0.0, 1.0], [1.0, 0.0]]))
    },
    **{f"precision_recall.{name}": two_columns for name in ("real", "fake")},
    "null_energy_distances.n": lambda: 10,
    "null_energy_distances.m": lambda: 12,
    "GAN": lambda: GAN(2, 2, (4,), generator=seed(0)),
    "Game": lambda: game(),
    "fit_gan.X": rows,
    **{f"{name}.loss": lambda: "non-saturating" for name in ("critic_loss", "generator_loss", "game")},
    **{f"{name}.rule": lambda: "extragradient" for name in ("growth", "play")},
    **{
        f"{name}.D": lambda: GAN(2, 2, (4,), generator=seed(0)).D
        for name in ("between_penalty", "real_penalty")
    },
    **{f"{name}.real": rows for name in ("between_penalty", "real_penalty")},
    "between_penalty.fake": rows,
    "with_unit_norms.network": lambda: GAN(2, 2, (4,), generator=seed(0)).D,
    "Coupling.kept": lambda: [True, False],
    "Coupling.hidden": lambda: [4],
    "VelocityNetwork.hidden": lambda: [4],
    "coupling_flow.hidden": lambda: [4],
    "Flow.layers": lambda: [Coupling([True, False], [4], seed(0))],
    **{
        f"{name}.velocity": lambda: lambda x, t: x * t
        for name in ("divergence", "trajectory", "ode_log_density")
    },
    "estimated_divergence.velocity": lambda: lambda x, t: x * t,
    "matching_loss.model": lambda: lambda x, t: x * t,
    "dequantised.x": lambda: torch.tensor([[0, 1], [1, 0]]),
    "unit_to_line.y": rows,
    **{f"{name}.at": lambda: np.array([0.2, 0.5]) for name in ("spline", "spline_inverse")},
    **{
        f"{name}.{knots}": lambda: np.array([0.0, 0.4, 1.0])
        for name in ("spline", "spline_inverse")
        for knots in ("x_knots", "y_knots")
    },
    **{f"{name}.slopes": lambda: np.array([1.0, 2.0, 1.0]) for name in ("spline", "spline_inverse")},
    **{f"{name}.u": lambda: np.array([0.5, 0.2]) for name in ("planar", "planar_inverse")},
    **{f"{name}.w": lambda: np.array([0.5, 0.2]) for name in ("planar", "planar_inverse")},
    **{f"{name}.z": two_columns for name in ("planar",)},
    "planar_inverse.x": two_columns,
    "NoiseSchedule": lambda: SCHEDULE,
    "Step": lambda: 1,
    "Denoiser": lambda: Denoiser(SCHEDULE, 2, seed(0), width=4, depth=1),
    "denoising_loss.model": lambda: Denoiser(SCHEDULE, 2, seed(0), width=4, depth=1),
    "denoising_loss.x_0": rows,
    "fit_denoiser.x_0": rows,
    "time_features.t": lambda: torch.tensor([0, 1, 2]),
    "time_features.count": lambda: 8,
    "gaussian_denoiser.mean": lambda: np.zeros(2),
    "Cloud": two_columns,
    "Denoise": lambda: gaussian_denoiser(SCHEDULE, np.zeros(2), S),
    "guided.model": lambda: Denoiser(SCHEDULE, 2, seed(0), width=4, depth=1, classes=3),
    "timesteps.T": lambda: 10,
    "generalised_step.t": lambda: 3,
    "generalised_step.s": lambda: 2,
    **{
        f"{function}.{name}": rows
        for function, names in {
            "noised": ("x_0", "eps"),
            "posterior": ("x_0", "x_t"),
            "x_0_from_eps": ("x_t", "eps"),
            "generalised_step": ("x_t", "eps"),
            "walk_back": ("x_T",),
            "sample": ("x_T",),
            "sample_ancestral": ("x_T",),
            "expected_noise": ("x_t",),
        }.items()
        for name in names
    },
    **{
        f"{name}.W": lambda: np.exp(-np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0))))
        for name in ("fit_spectral", "graph_laplacian", "spectral_coordinates")
    },
    "dpm_step.s": lambda: 1,
    "heun_step.s": lambda: 1,
    "heun_step.x_t": lambda: torch.zeros(3, 2),
    "solve.x_T": lambda: torch.zeros(3, 2),
}
