"""Builds a model by Storm and by the example `prism`, in turns, and prints the ratio of the times.

    beside_storm.py EXAMPLE MODEL [NAME=VALUE,...]

EXAMPLE is the compiled example. Needs stormpy 2.0. Times are those of building alone, without reading
the model's text: the best of three for the example, with one thread and with two, and one for Storm.
"""

import re
import subprocess
import sys
import tempfile
import time

import stormpy


def example(command, threads):
    """The counts that the example prints, and the seconds it took."""
    output = subprocess.run([command[0], command[1], str(threads), *command[2:]],
                            capture_output=True, text=True, check=True).stdout
    counts = re.search(r"(\d+) states, (\d+) choices, (\d+) branches", output)
    return [int(count) for count in counts.groups()], float(re.search(r"  ([0-9.]+) s:", output)[1])


def storm(file, constants):
    """The counts of Storm's model, and the seconds it took."""
    text = open(file).read()
    # Storm wants the type, which PRISM takes for granted or reads from anywhere, in the first place.
    kind = r"^\s*(mdp|dtmc|ctmc|nondeterministic|probabilistic|stochastic)\s*$"
    found = re.search(kind, text, re.M)
    text = (found[1] if found else "mdp") + "\n" + re.sub(kind, "", text, flags=re.M)
    with tempfile.NamedTemporaryFile("w", suffix=".nm") as typed:
        typed.write(text)
        typed.flush()
        program = stormpy.parse_prism_program(typed.name, prism_compatibility=True)
    if constants:
        program, _ = stormpy.instantiate_constants(program, constants)
    start = time.perf_counter()
    model = stormpy.build_model(program)
    seconds = time.perf_counter() - start
    return [model.nr_states, model.nr_choices, model.nr_transitions], seconds


def main():
    tool, file = sys.argv[1:3]
    constants = sys.argv[3] if len(sys.argv) > 3 else ""
    command = [tool, file, *filter(None, constants.split(","))]
    best = {1: float("inf"), 2: float("inf")}
    counts = None
    for turn in range(3):
        for threads in best:
            counts, seconds = example(command, threads)
            best[threads] = min(best[threads], seconds)
        if turn == 1:
            expected, reference = storm(file, constants)
    assert counts == expected, f"{counts} states, choices and branches, but Storm has {expected}"
    print(f"{counts[0]} states, {counts[1]} choices, {counts[2]} branches; Storm {reference:.2f} s")
    for threads, seconds in best.items():
        print(f"{threads} threads: {seconds:.3f} s, {reference / seconds:.1f} times as fast")


if __name__ == "__main__":
    main()
