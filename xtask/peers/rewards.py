"""Whether maxend and Storm find the same rewards in models whose choices are made of several commands.

    pip install stormpy
    python3 xtask/peers/rewards.py [--maxend target/release/maxend]

Models with one variable each are drawn at random: DTMCs, CTMCs, and Markov automata, in which a state has one
Markovian command at most (where there are several, Storm adds what they earn). maxend writes them in DRN, which
Storm reads; states have the same order. Compared are the rewards of states and of choices.

Result (November 2026, stormpy 2.0, --models 100): 100 of 100 of each type equal
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import stormpy


def command(draw, kind, top):
    """A command without a guard, and whether it is Markovian."""
    targets = [draw.randint(0, top) for _ in range(draw.randint(1, 2))]
    if kind == "ctmc":
        weights = [draw.choice(["2", "0.5", "1/4"]) for _ in targets]
    else:
        weights = ["1"] if len(targets) == 1 else ["0.25", "0.75"]
    update = " + ".join(f"{weight} : (x'={target})" for weight, target in zip(weights, targets))
    return f"[{draw.choice(['', 'a', 'b'])}]", update


def model(draw, kind):
    top = draw.randint(1, 4)
    lines = [kind, "module m", f"  x : [0..{top}];"]
    for state in range(top + 1):
        if kind == "ma" and draw.random() < 0.5:
            lines.append(f"  <> x={state} -> {draw.choice(['3', '0.5'])} : (x'={draw.randint(0, top)});")
            continue
        for _ in range(draw.randint(1, 3)):
            action, update = command(draw, kind, top)
            lines.append(f"  {action} x={state} -> {update};")
    lines += ["endmodule", 'rewards "r"', f"  x>{draw.randint(0, top)} : x/3;"]
    # Storm refuses rewards of actions that no command has.
    used = [action for action in ("", "a", "b") if any(f"  [{action}]" in line for line in lines)]
    for action in used:
        lines.append(f"  [{action}] x<{draw.randint(1, top + 1)} : {draw.choice(['2', 'x+1', '1/3'])};")
    return "\n".join([*lines, "endrewards", ""])


def rewards(found):
    """Of states, then of choices, with 9 digits; none are zeros."""
    earned = found.reward_models["r"]
    states = list(earned.state_rewards) if earned.has_state_rewards else [0.0] * found.nr_states
    choices = list(earned.state_action_rewards) if earned.has_state_action_rewards else [0.0] * found.nr_choices
    return [float(f"{value:.9g}") for value in states + choices]


def differs(maxend, folder, text):
    """What is different, if anything is."""
    source, drn = folder / "model.prism", folder / "model.drn"
    source.write_text(text)
    program = stormpy.parse_prism_program(str(source), prism_compatibility=True)
    options = stormpy.BuilderOptions()
    options.set_build_all_reward_models()
    theirs = stormpy.build_model(program, options=options)
    subprocess.run([maxend, "build", "-q", source, "-o", drn], check=True)
    ours = stormpy.build_model_from_drn(str(drn))
    if rewards(ours) == rewards(theirs):
        return None
    return f"{text}{rewards(ours)}\n{rewards(theirs)} in Storm"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw, wrong = random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as name:
        for kind in ("dtmc", "ctmc", "ma"):
            said = [differs(args.maxend, pathlib.Path(name), model(draw, kind)) for _ in range(args.models)]
            different = [one for one in said if one]
            print("\n".join(different[:3]), end="\n" if different else "")
            print(f"{kind}: {args.models - len(different)} equal, {len(different)} different")
            wrong += len(different)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
