"""Checks models that are read from files, and models made of arrays."""

import copy
import gc
import os
import pathlib
import pickle
import warnings

import numpy as np
import pytest
from conftest import unaligned

import maxend


def test_a_file_gives_a_graph_and_details(root):
    model = maxend.build(root / "crates/cli/tests/good/walk.prism", {"N": 2})
    assert (model.type, model.num_states, model.num_choices, model.num_branches) == ("mdp", 4, 5, 8)
    assert model.deadlocks == 1
    assert model.valuations["x"].tolist() == [0, 1, 2, 2]
    assert model.valuations["done"].tolist() == [False, False, False, True]
    assert model.labels["lit"].tolist() == [3]
    assert model.initial_states.tolist() == [0]
    assert [model.action_names[i] for i in model.actions] == ["step", "step", "turn", "light", ""]
    rows = [[0.1, 0.9, 0, 0], [0, 0.1, 0.9, 0], [1, 0, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0, 1]]
    assert np.allclose(model.transitions().toarray(), rows)
    assert model.edges().toarray().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    assert repr(model) == "<maxend.Model: mdp, 4 states, 5 choices, 8 branches>"
    html = model._repr_html_()
    assert "PRISM language" in html and "<td" in html and "halfway" in html


def test_changes_to_a_model_are_warnings(root):
    message = "1 state without a choice given a self-loop"
    with pytest.warns(maxend.ModelWarning, match=message) as warned:
        maxend.build(root / "crates/cli/tests/good/walk.prism", {"N": 2})
    # The warning names the line of the caller.
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = maxend.build(root / "crates/cli/tests/good/walk.prism", {"N": 2}, deadlocks="keep")
    assert kept.num_choices == 4


def test_rewards_have_names_and_parts(tmp_path):
    path = tmp_path / "m.prism"
    path.write_text(
        "mdp module m x:[0..1]; [a] x=0 -> (x'=1); [b] x=1 -> true; endmodule"
        ' rewards "r" x=1 : 2; [a] true : 3; endrewards rewards true : 1; endrewards'
    )
    model = maxend.read(path)
    assert model.rewards["r"].states.tolist() == [0, 2]
    assert model.rewards["r"].choices.tolist() == [3, 0]
    assert model.rewards[""].states.tolist() == [1, 1]
    assert model.rewards[""].branches is None


def test_constants_are_written_in_the_syntax_of_prism(tmp_path):
    path = tmp_path / "m.prism"
    path.write_text(
        "dtmc const bool b; const double p; const int n;"
        " module m x:[0..n]; [] b -> p:(x'=n) + 1-p:(x'=0); endmodule"
    )
    for truth in (True, np.bool_(True)):
        model = maxend.build(path, {"b": truth, "p": "1/4", "n": np.int64(3)})
        assert model.probabilities[0] in (0.25, 0.75)
    with pytest.raises(maxend.ModelError, match="n") as error:
        maxend.build(path, {"b": True, "p": 0.5})
    assert error.value.file == str(path)


def test_without_details_only_the_graph_is_read(fixtures):
    model = maxend.read(fixtures / "running_example.tra", details=False)
    assert model.probabilities is None and model.labels == {} and model.actions is None
    assert len(model.mec()) == 3
    with pytest.raises(ValueError, match="not known"):
        model.transitions()


def test_interval_models_have_no_probabilities(root):
    model = maxend.read(root / "crates/cli/tests/types/interval/coin.prism")
    assert model.probabilities is None
    assert len(model.mec()) > 0
    with pytest.raises(maxend.ModelError, match="interval model"):
        model.mec().quotient()


def test_errors_have_a_file_a_line_and_a_column(root):
    path = root / "crates/cli/tests/bad/out_of_range.prism"
    with pytest.raises(maxend.ModelError) as caught:
        maxend.read(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 6, 17)
    assert str(error).startswith("module `m` sets `x` to 4, outside its range [0..3]\n")
    assert isinstance(error, maxend.Error) and isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.file, again.line) == (str(error), error.file, 6)


def test_missing_files_and_files_without_a_model_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        maxend.read(tmp_path / "none.tra")
    with pytest.raises(maxend.ModelError, match="directory") as caught:
        maxend.read(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path), None)
    empty = tmp_path / "empty.tra"
    empty.touch()
    with pytest.raises(maxend.ModelError) as caught:
        maxend.read(empty)
    assert caught.value.file == str(empty)
    with pytest.raises(ValueError, match="self-loop"):
        maxend.read(empty, deadlocks="remove")
    with pytest.raises(ValueError, match="mdp, dtmc"):
        maxend.read(empty, type="xyz")


def test_file_names_may_contain_any_characters(tmp_path, fixtures):
    text = (fixtures / "running_example.tra").read_bytes()
    path = pathlib.Path(tmp_path, "mödél ünd (1).tra")
    path.write_bytes(text)
    assert maxend.read(os.fspath(path)).num_states == 8
    path = os.fsencode(tmp_path) + b"/\xff.tra"
    pathlib.Path(os.fsdecode(path)).write_bytes(text)
    assert maxend.read(pathlib.Path(os.fsdecode(path))).num_states == 8


def test_every_fixture_is_read_and_decomposed(fixtures):
    endings = {".tra", ".pexp", ".umb", ".drn", ".aut", ".exp", ".prism"}
    paths = [path for path in sorted(fixtures.rglob("*")) if path.suffix in endings]
    assert len(paths) > 20
    read = 0
    for path in paths:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = maxend.read(path)
        except maxend.ModelError as error:
            # Some fixtures are wrong on purpose.
            assert str(error)
            continue
        read += 1
        sccs, mecs = model.scc(certify=True), model.mec(certify=True)
        # No MEC lies in two SCCs.
        pairs = set(zip(mecs.labels.tolist(), sccs.labels.tolist(), strict=True))
        assert len({pair for pair in pairs if pair[0] >= 0}) == len(mecs)
        assert repr(model) and model._repr_html_() and model.edges().shape[0] == model.num_states
        for values in model.valuations.values():
            assert len(values) == model.num_states
    assert read > 20


def test_reading_stops_at_the_limit_of_states(root):
    path = root / "crates/cli/tests/good/walk.prism"
    with pytest.raises(maxend.ModelError, match="3 states"):
        maxend.build(path, {"N": 100}, max_states=3)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_arrays_of_32_bits_are_borrowed(dtype):
    arrays = [np.array(a, dtype=dtype) for a in ([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])]
    model = maxend.Model.from_arrays(*arrays)
    assert np.shares_memory(model.targets, arrays[2])
    # numpy must not move an array that is borrowed.
    with pytest.raises(ValueError, match="resize"):
        arrays[2].resize(100)
    mecs = model.mec()
    del model
    del arrays
    gc.collect()
    assert mecs.labels.tolist() == [0, -1, 1]


def resident():
    """Return the resident memory of this process, in bytes."""
    status = pathlib.Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return 1024 * int(line.split()[1])


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="there is no /proc")
def test_borrowed_arrays_are_not_copied_again():
    n = 4_000_000
    each, targets = np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32)
    maxend.Model.from_arrays([0, 1], [0, 1], [0])
    before = resident()
    model = maxend.Model.from_arrays(each, each, targets)
    assert resident() - before < targets.nbytes / 4
    assert model.num_branches == n


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64, ">i4", ">u8"])
def test_arrays_of_other_integers_are_copied(dtype):
    arrays = [np.array(a, dtype=dtype) for a in ([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])]
    assert maxend.Model.from_arrays(*arrays).mec().labels.tolist() == [0, -1, 1]


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint16])
def test_arrays_that_are_not_aligned_are_copied(dtype):
    arrays = ([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
    model = maxend.Model.from_arrays(
        *(unaligned(array, dtype) for array in arrays), probabilities=unaligned([1] * 5, float)
    )
    assert model.mec().labels.tolist() == [0, -1, 1]
    assert model.mec().quotient().model.probabilities.tolist() == [1] * 4
    rows = maxend.Model.from_csr(unaligned([0, 1, 2], dtype), unaligned([1, 0], dtype))
    assert rows.scc().labels.tolist() == [0, 0]


def test_empty_arrays_of_any_type_are_accepted():
    for empty in ([], np.array([]), np.array([], dtype=np.float32), np.array([], dtype=bool)):
        model = maxend.Model.from_arrays([0], [0], empty, labels={"none": empty})
        assert model.num_states == 0 and model.labels["none"].tolist() == []
        assert maxend.Model.from_csr([0, 0], empty).num_choices == 0
        with pytest.raises(maxend.ModelError, match="choices must not be empty"):
            maxend.Model.from_arrays(empty, [0], empty)


def test_arrays_with_gaps_and_lists_are_accepted():
    targets = np.array([0, 9, 1, 9, 2, 9, 0, 9, 2, 9], dtype=np.int32)[::2]
    model = maxend.Model.from_arrays([0, 2, 3, 4], (0, 1, 3, 4, 5), targets)
    assert model.mec().labels.tolist() == [0, -1, 1]
    readonly = np.array([0, 1, 2, 0, 2], dtype=np.int32)
    readonly.flags.writeable = False
    assert len(maxend.Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], readonly).mec()) == 2


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        (([0, 1], [0, 1], [1]), maxend.ModelError, "leads to state 1, but the graph has 1 state"),
        (([0, 1], [0, 0], []), maxend.ModelError, "state 0 has no target"),
        (([0, 2], [0, 1], [0]), maxend.ModelError, "choices must end with 1, the number of choices: one less than branches has entries, not 2"),
        (([], [0], []), maxend.ModelError, "choices must not be empty: its first entry is 0"),
        (([0], [], []), maxend.ModelError, "branches must not be empty: its first entry is 0"),
        (([1, 1], [0, 1], [0]), maxend.ModelError, "choices must begin with 0, not 1"),
        (
            ([0, 1], [0, 2, 1], [0]),
            maxend.ModelError,
            r"choices must end with 2",
        ),
        (
            ([0, 2], [0, 2, 1], [0]),
            maxend.ModelError,
            r"branches must not descend: branches\[2\] is 1, after 2",
        ),
        (
            ([0, 1], [0, 2], [0]),
            maxend.ModelError,
            "branches must end with 1, the length of targets, not 2",
        ),
        (([0, 1], [0, 1], [-1]), ValueError, "targets must be between 0 and .*, not -1"),
        (([0, 1], [0, 1], np.array([-1], np.int32)), ValueError, "targets must be between 0 and .*, not -1"),
        (([0, 1], [0, 1], [2**32]), ValueError, "between 0 and 4294967295, not 4294967296"),
        (([0, 1], [0, 1], [2**63]), ValueError, f"4294967295, not {2**63}"),
        # These become arrays of floats and of objects.
        (([0, 1], [0, 1, 2**63], [0]), ValueError, f"branches must be .*, not {2**63}"),
        (([0, 2**70], [0, 1], [0]), ValueError, f"choices must be .*, not {2**70}"),
        (([0, 1], [0, 1], (-(2**70),)), ValueError, f"4294967295, not -{2**70}"),
        (([0, 1], [0, 1], np.array([2**70])), ValueError, f"4294967295, not {2**70}"),
        (([0, 1], [0, 1], [2**70, 0.5]), TypeError, "targets must be integers, not object"),
        (([0, 1], [0, 1], np.array([0], object)), TypeError, "must be integers, not object"),
        (([0, 1], [0, 1], [0.5]), TypeError, "targets must be integers, not float64"),
        (([0, 1], [0, 1], [[0]]), ValueError, "targets must have one dimension, not 2"),
        (([0, 1], [0, 1], ["a"]), TypeError, "must be integers"),
        (([0, 1], [0, 1], {0}), TypeError, "targets must be an array, not set"),
        ((None, [0, 1], [0]), TypeError, "choices must be an array, not NoneType"),
        (
            ([0, 1], [0, 1], np.ma.array([0], mask=[True])),
            ValueError,
            "targets must not have masked entries",
        ),
        (
            ([0, 1], np.ma.array(np.array([0, 1], np.int64), mask=[False, True]), [0]),
            ValueError,
            "branches must not have masked entries",
        ),
    ],
)
def test_wrong_arrays_are_refused(arrays, error, message):
    with pytest.raises(error, match=message):
        maxend.Model.from_arrays(*arrays)


CHAINS = ("dtmc", "ctmc", "idtmc")
TYPES = (*CHAINS, "mdp", "lts", "pomdp", "smg", "ma", "imdp")


@pytest.mark.parametrize("type", TYPES)
def test_arrays_have_the_shape_of_their_type(type):
    # State 1 has two choices. The second choice of state 2 has three branches.
    choices = ([0, 1, 3, 3], [0, 1, 2, 3], [0, 1, 2])
    branches = ([0, 1, 1, 3], [0, 1, 2, 5], [0, 1, 0, 1, 2])
    chain = ([0, 1, 1, 2], [0, 2, 4], [0, 1, 1, 2])
    lts = ([0, 1, 1, 2], [0, 1, 2], [1, 2])

    def is_refused(arrays, message):
        with pytest.raises(maxend.ModelError, match=message):
            maxend.Model.from_arrays(*arrays, type=type)

    assert maxend.Model.from_arrays(*lts, type=type.upper()).type == type
    if type in CHAINS:
        message = f"^state 1 has 2 choices: expected at most one in an? {type.upper()}$"
        is_refused(choices, message)
        is_refused(branches, "^state 2 has 2 choices")
    elif type == "lts":
        assert maxend.Model.from_arrays(*choices, type=type).type == type
        is_refused(branches, "^choice 1 of state 2 has 3 branches: expected one in an LTS$")
        is_refused(chain, "^choice 0 of state 0 has 2 branches")
        with pytest.raises(maxend.ModelError, match="^choice 0 of state 1 has 2 branches"):
            maxend.Model.from_csr([0, 1, 3], [0, 0, 1], type=type)
    else:
        for arrays in (choices, branches):
            assert maxend.Model.from_arrays(*arrays, type=type).type == type
    if type != "lts":
        assert maxend.Model.from_arrays(*chain, type=type).type == type
        assert maxend.Model.from_csr([0, 2, 2], [0, 1], type=type).type == type


def test_the_first_state_of_a_wrong_shape_is_named():
    # Several threads check these arrays, each a part of them.
    n = 100_000
    choices = np.arange(n + 1, dtype=np.int32)
    choices[70_000:] += 1
    choices[-1] += 3
    each = np.arange(choices[-1] + 1, dtype=np.int32)
    targets = np.zeros(choices[-1], dtype=np.int32)
    with pytest.raises(maxend.ModelError, match="^state 69999 has 2 choices"):
        maxend.Model.from_arrays(choices, each, targets, type="dtmc")
    branches = each.copy()
    branches[80_001:] += 1
    targets = np.zeros(branches[-1], dtype=np.int32)
    with pytest.raises(maxend.ModelError, match="^choice 0 of state 79999 has 2 branches"):
        maxend.Model.from_arrays(choices, branches, targets, type="lts")


def test_wrong_options_of_arrays_are_refused():
    arrays = ([0, 1], [0, 1], [0])
    for options, message in (
        ({"type": 5}, "type must be a str, not int"),
        ({"type": None}, "type must be a str, not NoneType"),
        ({"labels": ["a"]}, "labels must map names to states, not be a list"),
        ({"labels": {1: [0]}}, "labels must have names that are str, not int"),
    ):
        with pytest.raises(TypeError, match=message):
            maxend.Model.from_arrays(*arrays, **options)
    with pytest.raises(TypeError, match="type must be a str, not int"):
        maxend.Model.from_csr([0, 1], [0], type=5)
    for make, arrays in (("from_arrays", ([0, 1], [0, 1], [0])), ("from_csr", ([0, 1], [0]))):
        with pytest.raises(ValueError, match='"maze" is not one of dtmc, ctmc, mdp'):
            getattr(maxend.Model, make)(*arrays, type="maze")
    masked = np.ma.array([1.0], mask=[True])
    with pytest.raises(ValueError, match="probabilities must not have masked entries"):
        maxend.Model.from_csr([0, 1], [0], probabilities=masked)
    with pytest.raises(TypeError, match="bottom must be True or False, not 'no'"):
        maxend.Model.from_csr([0, 1], [0]).scc(bottom="no")


def test_each_row_of_a_csr_graph_is_a_choice():
    model = maxend.Model.from_csr([0, 2, 2, 3], [0, 1, 2])
    assert (model.num_states, model.num_choices) == (3, 2)
    assert model.choices.tolist() == [0, 1, 1, 2]
    assert model.mec().labels.tolist() == [-1, -1, 0]
    assert model.scc(bottom=True).labels.tolist() == [-1, 0, 1]
    with pytest.raises(ValueError, match="indptr must ascend from 0"):
        maxend.Model.from_csr([0, 2, 1], [0, 1])
    with pytest.raises(ValueError, match="indptr must ascend from 0"):
        maxend.Model.from_csr([], [])


def test_a_graph_without_states_has_no_components():
    for model in (maxend.Model.from_csr([0], []), maxend.Model.from_arrays([0], [0], [])):
        for components in (model.scc(), model.mec(), model.scc(bottom=True)):
            assert len(components) == 0 and components.labels.tolist() == []
            assert components.quotient().model.num_states == 0
            assert "0" in repr(components) and components._repr_html_()
        assert model.edges().shape == (0, 0)


def test_probabilities_and_labels_of_arrays_are_kept():
    model = maxend.Model.from_arrays(
        [0, 1, 2], [0, 2, 3], [0, 1, 1], probabilities=[0.5, 0.5, 1], labels={"init": [0]}
    )
    assert model.transitions().toarray().tolist() == [[0.5, 0.5], [0, 1]]
    assert model.initial_states.tolist() == [0]
    with pytest.raises(ValueError, match="must have 3 values"):
        maxend.Model.from_arrays([0, 1, 2], [0, 2, 3], [0, 1, 1], probabilities=[1])


def test_labels_of_arrays_are_sets_of_states():
    arrays = ([0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2])
    given = np.array([2, 0, 0], dtype=np.int32)
    model = maxend.Model.from_arrays(*arrays, labels={"a": given, "b": (1,)})
    given[:] = 1
    assert model.labels["a"].tolist() == [0, 2] and model.labels["b"].tolist() == [1]
    assert model.mec().quotient().model.labels["a"].tolist() == [0, 2]
    for wrong in ([0, 3], np.array([2**32 - 1])):
        with pytest.raises(maxend.ModelError, match="label 'a' has state .*, but the graph has 3"):
            maxend.Model.from_arrays(*arrays, labels={"a": wrong})
    with pytest.raises(ValueError, match="label 'a' must be between 0 and .*, not -1"):
        maxend.Model.from_arrays(*arrays, labels={"a": [-1]})


def test_models_cannot_be_pickled():
    model = maxend.Model.from_csr([0, 1], [0])
    for thing in (model, model.mec(), model.mec().quotient()):
        for pickled in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=f"{type(thing).__name__} cannot be pickled: "):
                pickled(thing)
        assert type(copy.copy(thing)) is type(thing)
    assert copy.copy(model).mec().labels.tolist() == [0]
    component = model.mec()[0]
    assert pickle.loads(pickle.dumps(component)) == component


def test_models_have_no_public_constructor():
    with pytest.raises(TypeError, match="maxend.read"):
        maxend.Model()


def test_graphs_of_networkx_have_states_and_branches(root):
    model = maxend.build(root / "crates/cli/tests/good/walk.prism", {"N": 2})
    graph = model.to_networkx()
    assert graph.number_of_nodes() == 4 and graph.number_of_edges() == 8
    assert graph.nodes[3] == {"labels": ["deadlock", "lit"], "x": 2, "done": True}
    light = {"choice": 3, "action": "light", "probability": 0.5}
    assert sorted(graph.edges(2, data=True)) == [(2, 2, light), (2, 3, light)]


def test_graphs_of_networkx_keep_variables_of_any_name(tmp_path):
    variables = ("labels", "component", "node_for_adding", "x")
    declared = " ".join(f"{name} : [0..7] init 5;" for name in variables)
    program = tmp_path / "names.prism"
    program.write_text(f"mdp module m {declared} [] true -> true; endmodule")
    graph = maxend.read(program).mec().to_networkx()
    own = {"labels_": 5, "component_": 5, "node_for_adding": 5, "x": 5}
    assert graph.nodes[0] == {"labels": ["init"], "component": 0, **own}


def test_the_package_knows_its_version():
    assert maxend.__version__.count(".") == 2
