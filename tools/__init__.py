"""The scripts behind the Makefile."""
