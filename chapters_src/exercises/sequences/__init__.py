"""Exercises of the part on sequences."""
