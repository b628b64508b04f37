"""Sequences: attention, tokens and transformers."""
