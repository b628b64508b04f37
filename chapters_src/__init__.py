"""The implementations behind the chapters of Every Line Runs."""

__version__ = "0.1.0"
