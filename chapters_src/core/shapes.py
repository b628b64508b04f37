"""Shapes in signatures: `Float[ndarray, "n d"]` is an array of floats with n rows and d columns.

With jaxtyping installed the annotations can be checked while the code runs, as the test suite does. Without
it, as on Colab, they are plain annotations that say the same to the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy import ndarray

__all__ = ["Bool", "Float", "Int", "Num", "Tensor", "ndarray"]

if TYPE_CHECKING:
    from typing import Annotated as Bool
    from typing import Annotated as Float
    from typing import Annotated as Int
    from typing import Annotated as Num

    from torch import Tensor
else:
    try:
        from jaxtyping import Bool, Float, Int, Num
    except ImportError:
        from typing import Annotated

        Bool = Float = Int = Num = Annotated


def __getattr__(name: str) -> Any:
    """Import torch only for a module that asks for `Tensor`, because most of the book does without."""
    if name == "Tensor":
        from torch import Tensor

        return Tensor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
