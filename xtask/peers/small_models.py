"""Compares what is counted of the small models in crates/cli/tests/types with Storm and PRISM.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install stormpy
    cargo build --release
    /tmp/peers/bin/python xtask/peers/small_models.py --maxend target/release/maxend [--prism CLASSES:JARS]

Storm builds those of type `pomdp`, `smg` and `ma`; stormpy 2.0 takes neither intervals nor clocks. PRISM builds
the others: `--prism` is a class path with PRISM's classes and libraries (its native ones are not needed), and javac
and java must be there. PRISM's explicit engine knows no `system ... endsystem`, PRISM refuses a label `invariants`
in a timed automaton, and it finds no initial states by a predicate on variables without bounds; such models are
listed as not compared.

Compared are states, choices, branches, deadlocks, how many states each label has, and the sizes of maximal end
components (of chains, of bottom strongly connected components).

Result (November 2026, stormpy 2.0, and PRISM's main branch at 9486c774):
    interval: 20 of 21 equal, with components of 20 and 19 labels
    ma: 22 of 22 equal, with components of 22 and 61 labels
    pomdp: 22 of 22 equal, with components of 22 and 62 labels
    pta: 21 of 23 equal, with components of 21 and 25 labels
    smg: 22 of 22 equal, with components of 22 and 61 labels
    unbounded: 21 of 22 equal, with components of 21 and 20 labels

Since December 2026, maxend leaves out the state of interval/forced.prism to which no possible branch leads, and which
PRISM counts.
"""

import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).parents[2] / "crates/cli/tests/types"

BUILD = """
import java.io.File;
import java.util.*;
import parser.ast.*;
import prism.*;

public class Build {
  public static void main(String[] files) throws Exception {
    Prism prism = new Prism(new PrismDevNullLog());
    for (String file : files) {
      try {
        ModulesFile model = prism.parseModelFile(new File(file));
        prism.loadPRISMModel(model);
        model.setSomeUndefinedConstants(parser.EvaluateContext.create());
        if (model.getModelType().realTime()) {
          PropertiesFile properties = prism.parsePropertiesString(model, "Pmax=?[F false]");
          properties.setSomeUndefinedConstants(parser.EvaluateContext.create());
          pta.DigitalClocks clocks = new pta.DigitalClocks(prism);
          clocks.translate(model, properties, properties.getProperty(0));
          model = clocks.getNewModulesFile();
        }
        explicit.ConstructModel construct = new explicit.ConstructModel(prism);
        construct.setFixDeadlocks(true);
        construct.setAttachLabels(true);
        explicit.Model<?> built =
            construct.constructModel(simulator.ModulesFileModelGenerator.create(model, prism));
        int choices = built.getNumStates();
        if (built instanceof explicit.NondetModel) {
          choices = ((explicit.NondetModel<?>) built).getNumChoices();
        }
        StringBuilder line = new StringBuilder();
        line.append(built.getNumStates() + " " + choices + " " + built.getNumTransitions()
            + " " + built.getNumDeadlockStates());
        for (int size : components(prism, built)) {
          line.append(" " + size);
        }
        for (String label : built.getLabels()) {
          line.append(" " + label + "=" + built.getLabelStates(label).cardinality());
        }
        System.out.println(line);
      } catch (Throwable error) {
        System.out.println("! " + error.getMessage());
      }
    }
  }

  /** The sizes of the maximal end components, or of a chain's bottom strongly connected ones. */
  static List<Integer> components(Prism prism, explicit.Model<?> model) throws Exception {
    List<BitSet> found;
    if (model instanceof explicit.NondetModel) {
      explicit.ECComputer computer =
          explicit.ECComputer.createECComputer(prism, (explicit.NondetModel<?>) model);
      computer.computeMECStates();
      found = computer.getMECStates();
    } else {
      explicit.SCCConsumerStore store = new explicit.SCCConsumerStore();
      explicit.SCCComputer.createSCCComputer(prism, model, store).computeSCCs(false);
      found = new ArrayList<>();
      for (BitSet states : store.getSCCs()) {
        boolean isBottom = true;
        for (int state = states.nextSetBit(0); state >= 0; state = states.nextSetBit(state + 1)) {
          isBottom &= model.allSuccessorsInSet(state, states);
        }
        if (isBottom) {
          found.add(states);
        }
      }
    }
    List<Integer> sizes = new ArrayList<>();
    for (BitSet states : found) {
      sizes.add(states.cardinality());
    }
    Collections.sort(sizes);
    return sizes;
  }
}
"""


# What is compared: states, choices, branches, deadlocks; the sizes of the components; the labels.
Counts = collections.namedtuple("Counts", "numbers components labels")


def ours(maxend, path):
    command = [maxend, "decompose", "-q", "--device", "cpu", "--format", "json", path]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    numbers = [document["model"][name] for name in ("states", "choices", "branches", "deadlocks")]
    sizes = sorted(component["size"] for component in document["components"])
    info = subprocess.run([maxend, "info", "-q", path], capture_output=True, text=True, check=True).stdout
    rows = info.partition("\nlabels\n")[2].splitlines()
    rows = itertools.takewhile(lambda row: row.startswith("  "), rows)
    labels = {words[0]: int(words[1]) for words in map(str.split, rows)}
    return Counts(tuple(numbers), sizes, labels)


def storms(path):
    """What Storm counts. Of Markov automata it builds states that cannot be reached, which do not count."""
    import stormpy
    import stormpy.analysis
    from model_types import reached
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    try:
        model = stormpy.build_model(stormpy.parse_prism_program(str(path), prism_compatibility=True), options=options)
    except RuntimeError as error:
        return str(error).splitlines()[0]
    found, choices, branches = set(range(model.nr_states)), model.nr_choices, model.nr_transitions
    if hasattr(model, "markovian_states"):
        found, choices, branches = reached(model)
    labels = {name: len(found & set(model.labeling.get_states(name))) for name in model.labeling.get_labels()}
    components = []
    for component in stormpy.analysis.get_maximal_end_components(model):
        states = [state for state, _ in component]
        components += [len(states)] if states[0] in found else []
    return Counts((len(found), choices, branches, labels["deadlock"]), sorted(components), labels)


def counts_of_prism(line):
    if line.startswith("!"):
        return line[2:]
    words = line.split()
    labels = dict(word.split("=") for word in words if "=" in word)
    numbers = [int(word) for word in words if "=" not in word]
    if numbers[0] == 0:
        return "PRISM finds no initial state"
    return Counts(tuple(numbers[:4]), numbers[4:], {name: int(count) for name, count in labels.items()})


def differences(ours, theirs):
    """What is not the same; labels are compared that both know."""
    if ours.numbers != theirs.numbers:
        yield f"{ours.numbers}, not {theirs.numbers}"
    if theirs.components not in (None, ours.components):
        yield f"components {ours.components}, not {theirs.components}"
    for name in ours.labels.keys() & theirs.labels.keys():
        if ours.labels[name] != theirs.labels[name]:
            yield f"label {name}: {ours.labels[name]}, not {theirs.labels[name]}"


def prisms(class_path, paths):
    """What PRISM counts of each model, or says of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "Build.java"
        source.write_text(BUILD)
        subprocess.run(["javac", "-cp", class_path, "-d", folder, source], check=True)
        command = ["java", "-cp", f"{class_path}:{folder}", "Build", *paths]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [counts_of_prism(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--prism", help="class path of PRISM")
    args = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    wrong = 0
    for folder in sorted(path for path in MODELS.iterdir() if path.is_dir()):
        paths = sorted(folder.glob("*.prism"))
        by_prism = folder.name in ("interval", "pta", "unbounded")
        if by_prism and not args.prism:
            print(f"{folder.name}: not compared, as --prism is missing")
            continue
        theirs = prisms(args.prism, paths) if by_prism else [storms(path) for path in paths]
        equal = labels = components = 0
        for path, found in zip(paths, theirs):
            mine = ours(args.maxend, path)
            if isinstance(found, str):
                print(f"  {path.name}: not compared: {found}")
                continue
            different = list(differences(mine, found))
            for difference in different:
                print(f"  {path.name}: {difference}")
            wrong += bool(different)
            equal += not different
            labels += len(mine.labels.keys() & found.labels.keys())
            components += found.components is not None
        print(f"{folder.name}: {equal} of {len(paths)} equal, with components of {components} and {labels} labels")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
