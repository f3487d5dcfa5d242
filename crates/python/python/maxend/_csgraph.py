"""A stand-in for `scipy.sparse.csgraph.connected_components`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _maxend


def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
) -> int | tuple[int, NDArray[np.int32]]:
    """Analyze the connected components of a sparse graph.

    Takes what `scipy.sparse.csgraph.connected_components` takes, and answers as it does, but for
    the numbers of the components: here they are in the order of their smallest states.

    Parameters
    ----------
    csgraph : array_like or sparse array or matrix
        The N x N matrix of the graph. In a sparse one every stored entry is an edge, even a zero;
        in a dense one every entry but zeros, infinities and NaNs.
    directed : bool
        If False, edges are followed in both directions, whatever `connection` says.
    connection : {'weak', 'strong'}
        Whether nodes of a component are connected if the direction of edges is ignored, or reach
        each other along edges. As in scipy, weak is the default.
    return_labels : bool
        Whether to return the labels of the nodes too.

    Returns
    -------
    n_components : int
        The number of components.
    labels : ndarray of int32, only if `return_labels`
        The component of each node.

    Examples
    --------
    >>> connected_components([[0, 1, 0], [1, 0, 0], [1, 0, 0]], connection="strong")
    (2, array([0, 0, 1], dtype=int32))
    """
    if connection.lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    rows, columns = _rows(csgraph)
    graph = _maxend.Graph.from_csr(_arrays.indices("indptr", rows), columns)
    if directed and connection.lower() == "strong":
        found = graph.decompose("scc", "auto", None, None, False, None)
        count, labels = len(found), found.labels
    else:
        count, numbers = graph.weak_components()
        labels = lambda: numbers  # noqa: E731
    if not return_labels:
        return count
    return count, np.frombuffer(labels(), dtype=np.int32)


def _rows(csgraph: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rows of a graph: where each begins, and its columns."""
    from scipy import sparse

    if sparse.issparse(csgraph):
        if csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
            raise ValueError("compressed-sparse graph must be shape (N, N)")
        rows = csgraph if csgraph.format == "csr" else csgraph.tocsr()
        return rows.indptr, _arrays.indices("indices", rows.indices[: rows.indptr[-1]])
    masked = np.ma.isMaskedArray(csgraph)
    array = np.ma.masked_invalid(np.ma.asarray(csgraph, dtype=np.float64), copy=True)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError("graph should have two dimensions, as many rows as columns")
    if masked:
        is_edge = ~np.ma.getmaskarray(array)
    else:
        is_edge = ~np.ma.getmaskarray(array) & (array.data != 0)
    ends = np.concatenate(([0], np.cumsum(is_edge.sum(axis=1))))
    return ends, _arrays.indices("indices", np.nonzero(is_edge)[1])
