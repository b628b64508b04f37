"""Generative models: from a bound on the evidence to diffusion."""
