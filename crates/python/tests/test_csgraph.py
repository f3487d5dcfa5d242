"""Compares `connected_components` with scipy's."""

import warnings

import numpy as np
import pytest
from conftest import unaligned
from scipy import sparse
from scipy.sparse.csgraph import connected_components

import maxend

WAYS = [
    {},
    {"connection": "strong"},
    {"connection": "STRONG", "return_labels": False},
    {"directed": False},
    {"directed": False, "connection": "strong", "return_labels": False},
]


def assert_same(graph, **options):
    ours, theirs = (f(graph, **options) for f in (maxend.connected_components, connected_components))
    if not options.get("return_labels", True):
        assert ours == theirs
        return
    assert ours[0] == theirs[0]
    assert ours[1].dtype == theirs[1].dtype and ours[1].shape == theirs[1].shape
    # Equal up to numbering: as many pairs of numbers as components.
    assert len(set(zip(ours[1].tolist(), theirs[1].tolist(), strict=True))) == ours[0]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("options", WAYS)
def test_answers_agree_with_scipy(seed, options):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 9))
    values = draw.choice([1.0, 0.0, np.nan, np.inf, -2.0], size=(n, n), p=[0.3, 0.4, 0.1, 0.1, 0.1])
    assert_same(values, **options)
    assert_same(np.ma.masked_invalid(values), **options)
    assert_same(np.ma.array(values, mask=draw.random((n, n)) < 0.5), **options)
    finite = np.nan_to_num(values)
    for form in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix):
        assert_same(form(finite), **options)
    zeros = sparse.csr_array(finite)
    zeros.data[:] = 0
    assert_same(zeros, **options)
    wide = sparse.csr_array(finite)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert_same(wide, **options)


def test_answers_agree_with_scipy_on_larger_graphs():
    draw = np.random.default_rng(0)
    for n, m in ((20_000, 24_000), (5_000, 50_000)):
        parts = (np.ones(m), (draw.integers(0, n, m), draw.integers(0, n, m)))
        for options in WAYS:
            assert_same(sparse.csr_array(parts, shape=(n, n)), **options)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize("wrong", [3, -1, 2**31 - 1])
def test_indices_out_of_range_are_refused(width, connection, wrong):
    for place in range(9):
        graph = sparse.csr_array(np.ones((3, 3)))
        graph.indices, graph.indptr = graph.indices.astype(width), graph.indptr.astype(width)
        graph.indices[place] = wrong
        with pytest.raises((ValueError, maxend.Error)):
            maxend.connected_components(graph, connection=connection)


@pytest.mark.parametrize("options", WAYS)
def test_zeros_in_blocks_are_not_edges(options):
    draw = np.random.default_rng(0)
    for form in (sparse.bsr_array, sparse.bsr_matrix):
        matrix = form(draw.choice([0.0, 1.0], size=(8, 8), p=[0.8, 0.2]), blocksize=(2, 2))
        before = matrix.data.copy()
        # From version 1.18 on, scipy does this itself.
        rows = matrix.tocsr(copy=True)
        rows.eliminate_zeros()
        assert_same(rows, **options)
        found = maxend.connected_components(matrix, **options)
        assert str(found) == str(maxend.connected_components(rows, **options))
        assert (matrix.data == before).all()
    assert maxend.connected_components(sparse.bsr_array(np.eye(4), blocksize=(2, 2)))[0] == 4


def test_complex_and_small_numbers_are_edges_if_finite():
    for value in (1e-7, 1j, 1e-9j, complex(1, np.nan), complex(1, np.inf), complex(np.inf, 1)):
        graph = np.zeros((2, 2), dtype=type(value))
        graph[0, 1] = value
        for options in WAYS:
            with warnings.catch_warnings():
                # scipy drops imaginary parts once it has found the edges.
                warnings.simplefilter("ignore")
                assert_same(graph, **options)
    # scipy treats these as zeros.
    for value in (1e-8, 1e-300):
        assert maxend.connected_components(np.array([[0, value], [0, 0]]))[0] == 1


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_of_numpy_are_dense():
    for values in (np.eye(3), [[0, 1], [0, 0]], [[0, np.nan], [np.inf, 0]]):
        for options in WAYS:
            assert_same(np.matrix(values), **options)
    # scipy refuses masked matrices.
    masked = np.ma.array(np.matrix(np.eye(2)), mask=[[True, False], [True, True]])
    assert maxend.connected_components(masked)[0] == 1
    masked = np.ma.masked_invalid(np.matrix([[0, np.nan], [np.inf, 0]]))
    assert maxend.connected_components(masked)[0] == 2


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_indices_that_are_not_aligned_are_accepted(width, connection):
    graph = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]]))
    graph.indptr, graph.indices = (unaligned(a, width) for a in (graph.indptr, graph.indices))
    assert_same(graph, connection=connection)


def test_a_graph_without_nodes_has_no_components():
    count, labels = maxend.connected_components(np.zeros((0, 0)))
    assert count == 0 and labels.size == 0


@pytest.mark.parametrize(
    "graph", [np.zeros((2, 3)), np.zeros(3), sparse.csr_array((2, 3)), np.zeros((1, 1, 1))]
)
def test_arrays_that_are_not_square_are_refused(graph):
    for function in (connected_components, maxend.connected_components):
        with pytest.raises(ValueError):
            function(graph)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (None, "csgraph must be a matrix, not NoneType"),
        ({0: [1]}, "csgraph must be a matrix, not dict"),
        (np.array([["0", "0"], ["0", "0"]]), "csgraph must have numbers, not <U1"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(graph, message):
    with pytest.raises(TypeError, match=message):
        maxend.connected_components(graph)


@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize(
    ("indptr", "error", "message"),
    [
        ([0, 1, 2], ValueError, "indptr must have 4 entries, not 3"),
        (np.zeros(0, np.int32), ValueError, "indptr must have 4 entries, not 0"),
        ([0.0, 1.0, 2.0, 2.0], TypeError, "indptr must be integers, not float64"),
        ([0, 1, 2, 9], ValueError, "indptr must ascend from 0 to the number of indices"),
        ([1, 1, 2, 2], ValueError, "indptr must ascend from 0 to the number of indices"),
    ],
)
def test_rows_that_are_not_those_of_the_shape_are_refused(connection, indptr, error, message):
    graph = sparse.csr_array((3, 3))
    graph.data, graph.indices, graph.indptr = np.ones(2), np.array([1, 0]), np.asarray(indptr)
    with pytest.raises(error, match=message):
        maxend.connected_components(graph, connection=connection)


def test_other_connections_are_refused():
    with pytest.raises(ValueError, match="connection must be 'weak' or 'strong'"):
        maxend.connected_components(np.zeros((2, 2)), connection="best")
