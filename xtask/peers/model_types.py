"""Builds models of the newer types, drawn at random, and compares what maxend and stormpy find.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install stormpy
    cargo build --release
    /tmp/peers/bin/python xtask/peers/model_types.py --maxend target/release/maxend [--models N] [--seed N]

Compared are states, choices, branches and deadlocks, and
- for POMDPs the observation of each state (by which states look alike: both tools number states in the same
  order); the components are those of the same text as an MDP;
- for stochastic games the player of each state;
- for Markov automata the exit rates, and the states in which time passes: Storm drops their choices where
  another one is there (`close`) after it has built all states, so that those that can be reached are counted.
  Where several Markovian commands lead from one state to another, stormpy 2.0 keeps the rate of one (of
  `<> x=0 -> 2 : (x'=1)` and `<> x=0 -> 1.5 : (x'=1)` the second), so that models have one such command.
Storm also reads the archive that maxend writes, and must find the same in it.

Storm demands as many choices of states that look alike, PRISM and maxend the same actions. Of the owners of
choices, Storm knows other rules than PRISM-games and maxend. Models that maxend refuses for either are counted
and not compared.

Result (November 2026, stormpy 2.0, --models 100):
    pomdp: 93 equal, 7 refused, 0 different
    smg: 100 equal, 0 refused, 0 different
    ma: 100 equal, 0 refused, 0 different
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import stormpy


def expression(draw, names):
    """A truth value that depends on the variables."""
    name = draw.choice(names)
    return draw.choice([f"{name}=0", f"{name}>1", f"mod({name}, 2)=0", f"{name}<=max(1, {draw.choice(names)})"])


def module(draw, number, actions, names, and_so=""):
    """A module of one variable, which looks at those of all."""
    own, top = names[number], 3
    lines = [f"module m{number}", f"  {own} : [0..{top}] init {draw.randint(0, top)};"]
    for _ in range(draw.randint(1, 4)):
        action = draw.choice(actions)
        guard = f"{expression(draw, names)} & {draw.choice(['true', expression(draw, names)])}{and_so}"
        weights = draw.choice([["1"], ["0.5", "0.5"], ["1/4", "0.25", "0.5"]])
        updates = [f"{weight} : ({own}'={draw.choice([str(draw.randint(0, top)), f'mod({own}+1, {top + 1})'])})"
                   for weight in weights]
        lines.append(f"  [{action}] {guard} -> {' + '.join(updates)};")
    return "\n".join(lines + ["endmodule"])


def pomdp(draw):
    """What is observable, and the rest of a model."""
    names = [f"x{number}" for number in range(draw.randint(1, 3))]
    modules = "\n".join(module(draw, number, ["", "a", "b"], names) for number in range(len(names)))
    seen = draw.sample(names, draw.randint(0, len(names)))
    observables = f"observables {', '.join(seen)} endobservables\n" if seen else ""
    for number in range(draw.randint(0 if seen else 1, 2)):
        what = draw.choice([expression(draw, names), f"min({', '.join(names)}, 2)"])
        observables += f'observable "seen{number}" = {what};\n'
    # Where all that guards depend on is seen, states that look alike have the same actions.
    if draw.random() < 0.7:
        observables = f"observables {', '.join(names)} endobservables\n"
        modules = modules.replace("endmodule", "endmodule\nmodule coin\n  hidden : [0..1];\n"
                                  "  [a] true -> 0.5 : (hidden'=0) + 0.5 : (hidden'=1);\nendmodule", 1)
    return observables, modules


def smg(draw):
    """The players, and the rest of a game: a turn says whose commands are enabled."""
    names = [f"x{number}" for number in range(draw.randint(2, 3))]
    modules, owned, actions = [], [[], []], [[], []]
    for number in range(len(names)):
        player = number % 2
        own = ["", f"a{number}"]
        modules.append(module(draw, number, own, names, f" & turn={player}"))
        owned[player].append(f"m{number}")
        if f"[a{number}]" in modules[-1]:
            actions[player].append(f"[a{number}]")
    turn = "module turns\n  turn : [0..1];\n"
    for player in (0, 1):
        turn += "".join(f"  {action} true -> (turn'=1-turn);\n" for action in actions[player])
        turn += f"  [go{player}] turn={player} -> 0.5 : (turn'=1-turn) + 0.5 : true;\n"
        actions[player].append(f"[go{player}]")
    players = "".join(f"player p{player} {', '.join(owned[player] + actions[player])} endplayer\n"
                      for player in (0, 1))
    return players, "\n".join([*modules, turn + "endmodule"])


def ma(draw):
    """A Markov automaton: commands with rates beside others."""
    names = [f"x{number}" for number in range(draw.randint(1, 3))]
    modules, left = [], 1
    for number, own in enumerate(names):
        text = module(draw, number, ["", "a", "b"], names)
        timed = ""
        count = draw.randint(0, left)
        left -= count
        for _ in range(count):
            rates = draw.choice([["2"], [f"1+{own}", "0.5"], ["1/4", "0.25", "3"], ["0", "1.5"]])
            updates = [f"{rate} : ({own}'={draw.choice([str(draw.randint(0, 3)), f'mod({own}+1, 4)'])})"
                       for rate in rates]
            timed += f"  <> {expression(draw, names)} -> {' + '.join(updates)};\n"
        modules.append(text.replace("endmodule", timed + "endmodule"))
    return "", "\n".join(modules)


def reached(model):
    """The states of an automaton that can be reached, and the choices and branches they have."""
    if not model.is_closed:
        model.close()
    matrix, found, waiting = model.transition_matrix, set(model.initial_states), list(model.initial_states)
    choices = branches = 0
    while waiting:
        state = waiting.pop()
        for row in range(matrix.get_row_group_start(state), matrix.get_row_group_end(state)):
            targets = [entry.column for entry in matrix.get_row(row) if entry.value]
            choices, branches = choices + 1, branches + len(targets)
            waiting += [target for target in set(targets) - found]
            found |= set(targets)
    return found, choices, branches


def reachable(model):
    """Counts, and for each state its exit rate, of the states that can be reached."""
    found, choices, branches = reached(model)
    deadlocks = len(found & set(model.labeling.get_states("deadlock")))
    rates = sorted((state in set(model.markovian_states), round(model.exit_rates[state], 9)) for state in found)
    return (len(found), choices, branches, deadlocks, rates), ""


def alike(numbers):
    """The same partition, numbered by first occurrence."""
    first = {}
    return [first.setdefault(number, len(first)) for number in numbers]


def run(maxend, *arguments):
    return subprocess.run([maxend, *arguments], capture_output=True, text=True, check=False)


def document(maxend, path):
    done = run(maxend, "decompose", "-q", "--device", "cpu", "--format", "json", path)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def extra(model):
    """What the states of a model have, of which its type has a name."""
    if hasattr(model, "observations"):
        return alike(model.observations)
    return [model.get_player_of_state(state) for state in range(model.nr_states)]


def storms(build):
    try:
        model = build()
        if hasattr(model, "markovian_states"):
            return reachable(model)
        deadlocks = len(list(model.labeling.get_states("deadlock")))
        return (model.nr_states, model.nr_choices, model.nr_transitions, deadlocks, extra(model)), ""
    except Exception as error:  # Storm's errors have no class of their own.
        return None, str(error)


def compare(maxend, folder, kind, draw):
    """What is said of a model: equal, refused, or what differs."""
    head, rest = {"pomdp": pomdp, "smg": smg, "ma": ma}[kind](draw)
    path, plain, archive = folder / "model.prism", folder / "plain.prism", folder / "model.umb"
    path.write_text(f"{kind}\n{head}{rest}\nlabel \"goal\" = x0=2;\n")
    plain.write_text(f"mdp\n{rest}\nlabel \"goal\" = x0=2;\n")
    ours = document(maxend, path)
    if isinstance(ours, str):
        return "refused" if "not the same actions" in ours or "choices" in ours else ours
    run(maxend, "build", "-q", path, "-o", archive)
    source, why = storms(lambda: stormpy.build_model(stormpy.parse_prism_program(str(path))))
    back, why_not = storms(lambda: stormpy.build_model_from_umb(str(archive)))
    counts = tuple(ours["model"][name] for name in ("states", "choices", "branches", "deadlocks"))
    components = [one["states"] for one in ours["components"]]
    same = source is not None and source == back and source[:4] == counts
    if kind != "ma":
        same = same and components == [one["states"] for one in document(maxend, plain)["components"]]
    return "equal" if same else f"{counts}\n{source or why}\n{back or why_not}\n{path.read_text()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw, wrong = random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as name:
        for kind in ("pomdp", "smg", "ma"):
            said = [compare(args.maxend, pathlib.Path(name), kind, draw) for _ in range(args.models)]
            others = [one for one in said if one not in ("equal", "refused")]
            print("\n".join(others))
            print(f"{kind}: {said.count('equal')} equal, {said.count('refused')} refused, {len(others)} different")
            wrong += len(others)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
