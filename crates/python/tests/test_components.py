"""Compares components with naive searches, and checks quotients and graphs of networkx."""

from collections.abc import Sequence

import networkx
import numpy as np
import pytest
from conftest import as_model, random_mdp

import maxend


def graph_of(mdp, retained=None):
    """Return the edges of the retained choices; by default, of all choices."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(mdp)))
    for state, choices in enumerate(mdp):
        for i, targets in enumerate(choices):
            if retained is None or (state, i) in retained:
                graph.add_edges_from((state, target) for target in targets)
    return graph


def naive_mecs(mdp):
    """Find SCCs and drop the choices that leave them, until nothing changes."""
    retained = {(state, i) for state, choices in enumerate(mdp) for i in range(len(choices))}
    while True:
        found = list(networkx.strongly_connected_components(graph_of(mdp, retained)))
        of = {state: k for k, states in enumerate(found) for state in states}
        stays = {
            (state, i) for state, i in retained if all(of[t] == of[state] for t in mdp[state][i])
        }
        if stays == retained:
            mecs = [sorted(c) for c in found if any((s, i) in stays for s in c for i in range(9))]
            return sorted(mecs), stays
        retained = stays


@pytest.mark.parametrize("seed", range(60))
def test_components_agree_with_naive_searches(seed):
    mdp = random_mdp(seed)
    model = as_model(mdp)
    mecs, stays = naive_mecs(mdp)
    found = model.mec(certify=True)
    assert [component.states.tolist() for component in found] == mecs
    assert found.choices.sum() == len(stays)
    sccs = sorted(map(sorted, networkx.strongly_connected_components(graph_of(mdp))))
    for options in ({}, {"device": "cpu"}, {"threads": 2}, {"certify": True}):
        assert [component.states.tolist() for component in model.scc(**options)] == sccs
    bottom = [c for c in sccs if all(t in c for s in c for choice in mdp[s] for t in choice)]
    assert [c.states.tolist() for c in model.scc(bottom=True)] == bottom


def test_components_are_a_sequence(fixtures):
    mecs = maxend.read(fixtures / "running_example.tra").mec()
    assert len(mecs) == len(list(mecs)) == 3
    assert mecs[-1].index == 2
    assert [len(component) for component in mecs] == mecs.sizes.tolist()
    outside = int(np.flatnonzero(mecs.labels < 0)[0])
    assert mecs.of(outside) is None
    assert mecs.labels.dtype == np.int32
    assert mecs.sizes.sum() == (mecs.labels >= 0).sum() == 5
    assert mecs.trivial.sum() == 2
    assert mecs.device
    for component in mecs:
        assert (mecs.labels[component.states] == component.index).all()
        assert mecs.choices[component.choices].all()
        assert mecs.of(component.states[0]).index == component.index
        assert f"Component {component.index}: " in repr(component)
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            mecs[wrong]
    for wrong in (8, -1):
        with pytest.raises(IndexError, match=f"no state {wrong}: the model has 8 states"):
            mecs.of(wrong)
    with pytest.raises(TypeError, match="state must be an integer, not str"):
        mecs.of("a")
    for wrong in (0.5, "a", None):
        with pytest.raises(TypeError, match="index must be an integer or a slice, not "):
            mecs[wrong]
    assert mecs[np.int64(1)].index == 1
    assert [component.index for component in mecs[1:]] == [1, 2]
    assert mecs[::-1] == [mecs[2], mecs[1], mecs[0]] and mecs[5:] == []
    assert repr(mecs) == "<maxend.Components: 3 maximal end components, the largest of 3 states>"
    assert "maximal end components" in mecs._repr_html_()


def test_components_have_the_methods_of_a_sequence(fixtures):
    model = maxend.read(fixtures / "running_example.tra")
    mecs, again, sccs = model.mec(), model.mec(), model.scc()
    assert isinstance(mecs, Sequence)
    assert [mecs.index(component) for component in again] == [0, 1, 2]
    assert list(reversed(mecs)) == [mecs[2], mecs[1], mecs[0]]
    assert mecs.index(mecs[1], 1) == mecs.index(mecs[1], -2, 2) == 1
    assert [mecs.count(component) for component in (*again, 0)] == [1, 1, 1, 0]
    elsewhere = next(component for component in sccs if component not in mecs)
    assert mecs.count(elsewhere) == 0
    for wrong in ((elsewhere,), ("a",), (mecs[1], 2), (mecs[1], 0, 1), (mecs[1], 0, -2)):
        with pytest.raises(ValueError, match="is not one of these components"):
            mecs.index(*wrong)


def test_components_are_equal_if_they_have_the_same_states_and_choices(fixtures):
    model = maxend.read(fixtures / "running_example.tra")
    mecs, again, sccs = model.mec(), model.mec(), model.scc()
    assert mecs[0] == again[0] and mecs[0] != mecs[1] and mecs[0] != 0
    assert len({*mecs, *again}) == 3
    assert all(component in mecs for component in again)
    assert any(component not in mecs for component in sccs)
    assert 0 not in mecs and sccs[len(sccs) - 1] not in mecs


def test_notebooks_show_at_most_ten_components_and_states():
    mecs = maxend.Model.from_csr(range(101), range(100)).mec()
    assert "90 more" in mecs._repr_html_()
    whole = maxend.Model.from_csr(range(101), [*range(1, 100), 0]).mec()
    assert "…" in whole._repr_html_()


@pytest.mark.parametrize("seed", range(20))
def test_quotients_keep_the_choices_that_leave_a_mec(seed):
    mdp = random_mdp(seed)
    mecs = as_model(mdp).mec()
    quotient = mecs.quotient()
    number = quotient.states
    for component in mecs:
        assert len(set(number[component.states])) == 1
    leaving = [c for c in range(mecs.model.num_choices) if not mecs.choices[c]]
    assert sorted(quotient.choices[quotient.choices >= 0]) == leaving
    inside = quotient.model.mec()
    assert all(component.trivial for component in inside)
    with_sink = mecs.quotient(stay=True)
    assert with_sink.sink == with_sink.model.num_states - 1 == quotient.model.num_states
    assert quotient.sink is None
    condensation = as_model(mdp).scc().quotient()
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(condensation.model.to_networkx()))
    assert "Quotient" in repr(quotient) and quotient._repr_html_()


def test_quotients_merge_probabilities_and_keep_labels(root):
    model = maxend.build(root / "crates/cli/tests/good/walk.prism", {"N": 2})
    quotient = model.mec().quotient()
    rows = [[0.1, 0.9, 0], [0, 0.5, 0.5], [0, 0, 1]]
    assert np.allclose(quotient.model.transitions().toarray(), rows)
    assert quotient.model.labels["lit"].tolist() == [2]
    assert quotient.model.initial_states.tolist() == [0]
    assert quotient.choices.tolist() == [1, 3, -1]
    with pytest.raises(ValueError, match="stay"):
        model.scc().quotient(stay=True)


def test_graphs_of_networkx_have_components(fixtures):
    mecs = maxend.read(fixtures / "running_example.tra").mec()
    graph = mecs.to_networkx()
    assert [graph.nodes[state]["component"] for state in graph] == mecs.labels.tolist()
    for source, target, known in graph.edges(data=True):
        if known["stays"]:
            assert mecs.labels[source] == mecs.labels[target] >= 0


@pytest.mark.parametrize("type", ["ma", "smg", "idtmc", "imdp", "mdp", "pomdp"])
def test_each_type_of_model_has_its_quotient_or_is_refused(type):
    arrays = ([0, 2, 3], [0, 1, 2, 3], [0, 1, 1])
    if type == "idtmc":
        arrays = ([0, 1, 2], [0, 2, 3], [0, 1, 1])
    model = maxend.Model.from_arrays(*arrays, type=type)
    has_intervals = type in ("idtmc", "imdp")
    for components in (model.scc(), model.scc(bottom=True), model.mec()):
        if has_intervals or type in ("ma", "smg") and components.kind != "scc":
            with pytest.raises(maxend.ModelError, match="the model is an? (game|interval|Markov)"):
                components.quotient()
        else:
            quotient = components.quotient().model
            assert quotient.num_states == 2
            # A state of the quotient may stand for states with different observations.
            kept = "mdp" if type == "pomdp" else type
            assert quotient.type == ("lts" if components.kind == "scc" else kept)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("type", ["dtmc", "ctmc", "lts", "mdp", "pomdp"])
def test_quotients_have_the_shape_of_their_type(seed, type):
    mdp = random_mdp(seed)
    if type in ("dtmc", "ctmc"):
        mdp = [choices[:1] for choices in mdp]
    elif type == "lts":
        mdp = [[targets[:1] for targets in choices] for choices in mdp]
    model = as_model(mdp, type=type)
    for components in (model.scc(), model.scc(bottom=True), model.mec()):
        for stay in {False, components.kind != "scc"}:
            quotient = components.quotient(stay=stay).model
            arrays = (quotient.choices, quotient.branches, quotient.targets)
            assert maxend.Model.from_arrays(*arrays, type=quotient.type).type == quotient.type
