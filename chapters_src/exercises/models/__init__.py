"""Exercises of the part on models."""
