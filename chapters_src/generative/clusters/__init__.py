"""Groups without labels: by centres, merging, density or cutting a graph; and finding what is similar."""

from chapters_src.generative.clusters.centres import (
    assign,
    fit_k_means,
    means_of,
    spread_out_start,
    squared_distances,
    within_cluster_cost,
)
from chapters_src.generative.clusters.density import fit_dbscan
from chapters_src.generative.clusters.graphs import (
    fit_spectral,
    graph_laplacian,
    neighbour_graph,
    spectral_coordinates,
)
from chapters_src.generative.clusters.judging import adjusted_rand_index, silhouettes
from chapters_src.generative.clusters.merging import LINKAGES, groups_below, merges
from chapters_src.generative.clusters.retrieval import nearest_points, nearest_within_clusters

__all__ = [
    "LINKAGES",
    "adjusted_rand_index",
    "assign",
    "fit_dbscan",
    "fit_k_means",
    "fit_spectral",
    "graph_laplacian",
    "groups_below",
    "means_of",
    "merges",
    "nearest_points",
    "nearest_within_clusters",
    "neighbour_graph",
    "silhouettes",
    "spectral_coordinates",
    "spread_out_start",
    "squared_distances",
    "within_cluster_cost",
]
