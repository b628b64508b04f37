"""Models that are fitted in one go: least squares and its relatives."""
