"""Compares what is counted of the small models in crates/cli/tests/types with Storm and PRISM.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install stormpy
    cargo build --release
    /tmp/peers/bin/python xtask/peers/small_models.py --maxend target/release/maxend [--prism CLASSES:JARS]

Storm builds those of type `pomdp`, `smg` and `ma` (as in model_types.py); stormpy 2.0 takes neither intervals
nor clocks. PRISM builds the others: `--prism` is a class path with PRISM's classes and libraries (its native
ones are not needed), and javac and java must be there. PRISM's explicit engine knows no `system ... endsystem`,
and PRISM refuses a label `invariants` in a timed automaton; such models are listed as not compared.

Compared are states, choices, branches and deadlocks.

Result (November 2026, stormpy 2.0, and PRISM's main branch at 9486c774):
    interval: 20 of 21 equal, 1 not compared
    ma: 22 of 22 equal
    pomdp: 22 of 22 equal
    pta: 21 of 23 equal, 2 not compared
    smg: 22 of 22 equal
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).parents[2] / "crates/cli/tests/types"

BUILD = """
import java.io.File;
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
        explicit.Model<?> built =
            construct.constructModel(simulator.ModulesFileModelGenerator.create(model, prism));
        int choices = built.getNumStates();
        if (built instanceof explicit.NondetModel) {
          choices = ((explicit.NondetModel<?>) built).getNumChoices();
        }
        System.out.println(built.getNumStates() + " " + choices + " " + built.getNumTransitions()
            + " " + built.getNumDeadlockStates());
      } catch (Throwable error) {
        System.out.println(error.getMessage());
      }
    }
  }
}
"""


def ours(maxend, path):
    command = [maxend, "decompose", "-q", "--device", "cpu", "--format", "json", path]
    model = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["model"]
    return tuple(model[name] for name in ("states", "choices", "branches", "deadlocks"))


def storms(path):
    import stormpy
    from model_types import reachable
    model = stormpy.build_model(stormpy.parse_prism_program(str(path)))
    if hasattr(model, "markovian_states"):
        return reachable(model)[0][:4]
    deadlocks = len(list(model.labeling.get_states("deadlock")))
    return model.nr_states, model.nr_choices, model.nr_transitions, deadlocks


def prisms(class_path, paths):
    """What PRISM counts of each model, or says of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "Build.java"
        source.write_text(BUILD)
        subprocess.run(["javac", "-cp", class_path, "-d", folder, source], check=True)
        command = ["java", "-cp", f"{class_path}:{folder}", "Build", *paths]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    numbers = [line.split() for line in lines]
    return [tuple(map(int, words)) if all(word.isdigit() for word in words) else line
            for words, line in zip(numbers, lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxend", default="target/release/maxend")
    parser.add_argument("--prism", help="class path of PRISM")
    args = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    wrong = 0
    for folder in sorted(path for path in MODELS.iterdir() if path.is_dir()):
        paths = sorted(folder.glob("*.prism"))
        by_prism = folder.name in ("interval", "pta")
        if by_prism and not args.prism:
            print(f"{folder.name}: not compared, as --prism is missing")
            continue
        theirs = prisms(args.prism, paths) if by_prism else [storms(path) for path in paths]
        equal = 0
        for path, found in zip(paths, theirs):
            mine = ours(args.maxend, path)
            equal += mine == found
            if isinstance(found, str):
                print(f"  {path.name}: not compared: {found}")
            elif mine != found:
                print(f"  {path.name}: {mine}, not {found}")
                wrong += 1
        print(f"{folder.name}: {equal} of {len(paths)} equal")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
