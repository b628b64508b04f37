"""Exercises of the part on generative models."""
