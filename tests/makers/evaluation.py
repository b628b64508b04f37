"""Arguments of evaluation that no annotation describes."""

MAKERS = {}
