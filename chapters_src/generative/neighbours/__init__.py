"""Pictures that keep neighbours: t-SNE, UMAP, and what may be read from them."""

from chapters_src.generative.neighbours.affinities import (
    conditional_affinities,
    joint_affinities,
    perplexities,
)
from chapters_src.generative.neighbours.judging import nearest_of_each, neighbours_kept, pieces_and_holes
from chapters_src.generative.neighbours.tsne import fit_tsne, map_affinities, tsne_gradient, tsne_loss
from chapters_src.generative.neighbours.umap import (
    Curve,
    directed_memberships,
    fit_umap,
    fuzzy_graph,
    membership_curve,
    umap_loss,
)

__all__ = [
    "Curve",
    "conditional_affinities",
    "directed_memberships",
    "fit_tsne",
    "fit_umap",
    "fuzzy_graph",
    "joint_affinities",
    "map_affinities",
    "membership_curve",
    "nearest_of_each",
    "neighbours_kept",
    "perplexities",
    "pieces_and_holes",
    "tsne_gradient",
    "tsne_loss",
    "umap_loss",
]
