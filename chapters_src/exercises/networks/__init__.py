"""Exercises of the part on networks."""
