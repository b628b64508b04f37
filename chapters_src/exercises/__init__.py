"""The checkers of the chapters' exercises, one module a chapter."""
