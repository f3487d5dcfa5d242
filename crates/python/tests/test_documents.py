"""Runs the examples of the documentation: docstrings, the page, and the notebook."""

import doctest
import importlib
import json
import pathlib
import pkgutil

import pytest

import maxend

MODULES = [name for _, name, _ in pkgutil.iter_modules(maxend.__path__) if name != "_maxend"]


@pytest.mark.parametrize("name", ["maxend", *(f"maxend.{name}" for name in MODULES)])
def test_examples_in_docstrings_are_right(name):
    module = importlib.import_module(name)
    names = {**vars(maxend), **vars(module)}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def members(thing):
    """Return the members of a class that it or its base classes in the package define."""
    bases = thing.__mro__ if isinstance(thing, type) else ()
    own = [base for base in bases if base.__module__.startswith("maxend")]
    return [member for base in own for member in vars(base).items()]


def test_every_public_name_has_a_docstring():
    for name in maxend.__all__:
        thing = getattr(maxend, name)
        assert thing.__doc__, name
        for part, member in members(thing):
            if not part.startswith("_") and (callable(member) or isinstance(member, property)):
                assert member.__doc__, f"{name}.{part}"


def test_the_code_of_the_page_runs(root, monkeypatch):
    # Its blocks are one program, which runs in the folder where the models of the project are.
    monkeypatch.chdir(root)
    pytest.importorskip("matplotlib").use("Agg")
    text = (root / "docs/python.md").read_text()
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) > 3
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_the_notebook_runs(root, monkeypatch):
    folder = root / "crates/python/examples"
    monkeypatch.chdir(folder)
    pytest.importorskip("matplotlib").use("Agg")
    notebook = json.loads(pathlib.Path(folder, "components.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3
    names = {}
    for i, cell in enumerate(cells):
        assert cell["outputs"] == [], "outputs are not kept"
        exec(compile("".join(cell["source"]), f"cell {i}", "exec"), names)
