"""Exercises of the part on optimisation."""
