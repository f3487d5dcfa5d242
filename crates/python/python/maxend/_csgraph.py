"""A replacement for `scipy.sparse.csgraph.connected_components`."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _maxend


@overload
def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", *, return_labels: Literal[False]
) -> int: ...
@overload
def connected_components(
    csgraph: Any, directed: bool, connection: str, return_labels: Literal[False]
) -> int: ...
@overload
def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: Literal[True] = True,
) -> tuple[int, NDArray[np.int32]]: ...
@overload
def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> int | tuple[int, NDArray[np.int32]]: ...
def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
) -> int | tuple[int, NDArray[np.int32]]:
    """Find the connected components of a graph.

    The arguments and the results are those of `scipy.sparse.csgraph.connected_components`, except
    that components are numbered in the order of their smallest nodes. The notes name two smaller
    differences.

    Parameters
    ----------
    csgraph : array_like or sparse array or matrix
        The N x N matrix of the graph. Its kind decides which entries are edges. Sparse: every
        stored entry, even a zero. Sparse, in blocks (BSR): every entry that is not zero, because
        zeros pad the blocks. Masked: every entry that is not masked. Dense: every entry except
        zeros, infinities and NaNs.
    directed : bool
        If False, edges are followed in both directions, and `connection` has no effect.
    connection : {'weak', 'strong'}
        Two nodes are weakly connected if they are connected when the direction of edges is
        ignored, and strongly connected if they reach each other along edges. As in scipy, weak is
        the default.
    return_labels : bool
        Whether to return the labels of the nodes too.

    Returns
    -------
    n_components : int
        The number of components.
    labels : ndarray of int32
        For each node, the number of its component. Only returned if `return_labels` is true.

    Notes
    -----
    In a dense matrix, scipy ignores entries whose absolute value is at most 1e-8; here they are
    edges. Before version 1.18, scipy treated zeros in blocks as edges.

    Examples
    --------
    >>> connected_components([[0, 1, 0], [1, 0, 0], [1, 0, 0]], connection="strong")
    (2, array([0, 0, 1], dtype=int32))
    """
    connection = connection.lower()
    if connection not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    indptr, indices = _rows(csgraph)

    def components(indptr: NDArray[Any], indices: NDArray[Any]) -> tuple[int, Any]:
        graph = _maxend.Rows(indptr, indices)
        if directed and connection == "strong":
            return graph.strong_components()
        return graph.weak_components()

    (count, labels), _ = _arrays.graph(components, True, indptr=indptr, indices=indices)
    if not return_labels:
        return count
    return count, np.frombuffer(labels, dtype=np.int32)


def _rows(csgraph: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the graph as compressed sparse rows: where each row begins, and the columns."""
    if hasattr(csgraph, "tocsr"):
        return _sparse_rows(csgraph)
    array = np.ma.asarray(csgraph)
    if array.ndim == 0:
        raise TypeError(f"csgraph must be a matrix, not {type(csgraph).__name__}")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError("a dense graph must be shape (N, N)")
    # Not an `np.matrix`, whose sums along the rows have two dimensions.
    values = np.asarray(array.data)
    if values.dtype.kind not in "biufcO":
        # To numpy, the text "0" differs from 0.
        raise TypeError(f"csgraph must have numbers, not {values.dtype}")
    if np.ma.isMaskedArray(csgraph):
        is_edge = ~np.ma.getmaskarray(array)
    else:
        numbers = np.complex128 if values.dtype.kind == "c" else np.float64
        is_edge = np.isfinite(values.astype(numbers)) & (values != 0)
    ends = np.concatenate(([0], np.cumsum(is_edge.sum(axis=1))))
    columns = np.nonzero(is_edge)[1]
    return ends, columns


def _sparse_rows(csgraph: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows of a sparse matrix, as `_rows`."""
    if csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    if getattr(csgraph, "format", None) == "bsr":
        matrix = csgraph.tocsr(copy=True)
        matrix.eliminate_zeros()
    else:
        matrix = csgraph.tocsr()
    indptr, indices = matrix.indptr, matrix.indices
    # Whoever sets the arrays of a matrix may make them disagree with its shape.
    if len(indptr) != matrix.shape[0] + 1:
        raise ValueError(f"indptr must have {matrix.shape[0] + 1} entries, not {len(indptr)}")
    if indptr.dtype.kind not in "iu":
        raise TypeError(f"indptr must be integers, not {indptr.dtype}")
    return indptr, indices[: indptr[-1]]
