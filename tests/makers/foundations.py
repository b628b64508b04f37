"""Arguments of the foundations that no annotation describes."""

MAKERS = {
    "einsum.subscripts": lambda: "ij,jk->ik",
    "einsum_by_loops.subscripts": lambda: "ij,jk->ik",
    "einsum_by_matmul.subscripts": lambda: "ij,jk->ik",
}
