"""Going downhill: how to minimise a function that has no formula for its minimum."""
