"""Converts models of stormpy, and compares maximal end components with Storm's.

`cargo xtask setup` installs stormpy where there is a package of it; elsewhere these tests are
skipped.
"""

import numpy as np
import pytest

import maxend

from conftest import random_mdp

stormpy = pytest.importorskip(
    "stormpy", minversion="2", reason="no stormpy 2: nothing is compared with Storm"
)

PRISM = {
    "crates/python/examples/walk.prism": "N=5",
    "fixtures/consensus.prism": "WIDTH=3",
    "fixtures/testandset.prism": "PATIENCE=2",
}


def storms(model):
    """Return Storm's MECs: a map from the smallest state of each to its states and choices."""
    found = {}
    for mec in stormpy.analysis.get_maximal_end_components(model):
        retained = {state: frozenset(choices) for state, choices in mec}
        found[min(retained)] = retained
    return found


def ours(model):
    """Return the MECs that this package finds, in the same form."""
    mecs, starts, found = model.mec(), model.choices.tolist(), {}
    for mec in mecs:
        states = mec.states.tolist()
        found[states[0]] = {
            state: frozenset(c for c in range(starts[state], starts[state + 1]) if mecs.choices[c])
            for state in states
        }
    return found


def drn(mdp):
    """Return the model as DRN. States without choices get a self-loop, which Storm requires."""
    rows = [choices or [[state]] for state, choices in enumerate(mdp)]
    lines = ["@type: MDP", "@parameters", "", "@reward_models", "", "@nr_states", str(len(rows))]
    lines += ["@nr_choices", str(sum(map(len, rows))), "@model"]
    for state, choices in enumerate(rows):
        lines.append(f"state {state} init" if state == 0 else f"state {state}")
        for number, targets in enumerate(choices):
            distinct = sorted(set(targets))
            lines.append(f"\taction {number}")
            lines += [f"\t\t{target} : {1 / len(distinct)}" for target in distinct]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", PRISM)
def test_components_of_prism_models_agree_with_storm(root, path):
    program = stormpy.parse_prism_program(str(root / path))
    program, _ = stormpy.instantiate_constants(program, PRISM[path])
    model = stormpy.build_model(program)
    taken = maxend.from_stormpy(model)
    assert taken.num_states == model.nr_states and taken.num_choices == model.nr_choices
    assert ours(taken) == storms(model)


@pytest.mark.parametrize("by_archive", [True, False])
def test_components_of_random_models_agree_with_storm(monkeypatch, tmp_path, by_archive):
    if not by_archive:
        monkeypatch.setattr("maxend._stormpy._by_archive", lambda model: None)
    path, kinds = tmp_path / "model.drn", set()
    for seed in range(60):
        mdp = random_mdp(seed)
        path.write_text(drn(mdp))
        model = stormpy.build_model_from_drn(str(path))
        taken = maxend.from_stormpy(model)
        assert taken.type == "mdp" and taken.labels["init"].tolist() == [0]
        assert np.diff(taken.choices).tolist() == [len(choices) or 1 for choices in mdp]
        found = ours(taken)
        assert found == storms(model), seed
        kinds.update(len(mec) > 1 for mec in found.values())
    assert kinds == {False, True}


def test_rates_of_markov_automata_are_kept(monkeypatch, tmp_path):
    path = tmp_path / "automaton.prism"
    path.write_text(
        """ma
        module automaton
          s : [0..2] init 0;
          <> s=0 -> 3 : (s'=1) + 1 : (s'=2);
          [a] s=1 -> (s'=0);
          [b] s=1 -> 0.25 : (s'=0) + 0.75 : (s'=2);
          <> s=2 -> 5 : (s'=0);
        endmodule
        """
    )
    model = stormpy.build_model(stormpy.parse_prism_program(str(path)))
    model.close()
    of_archive = maxend.from_stormpy(model)
    monkeypatch.setattr("maxend._stormpy._by_archive", lambda model: None)
    of_entries = maxend.from_stormpy(model)
    for taken in (of_archive, of_entries):
        assert taken.type == "ma"
        assert sorted(taken.probabilities.tolist()) == [0.25, 0.75, 1, 1, 3, 5]
    for part in ("choices", "branches", "targets", "probabilities"):
        assert np.array_equal(getattr(of_archive, part), getattr(of_entries, part)), part


def test_what_is_no_model_of_stormpy_is_refused(root):
    program = stormpy.parse_prism_program(str(root / "crates/python/examples/walk.prism"))
    for wrong, kind in ((program, "PrismProgram"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"model must be a sparse model of stormpy, not {kind}"):
            maxend.from_stormpy(wrong)
