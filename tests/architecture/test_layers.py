"""Imports point downwards. The order of the layers is the ```layers block of docs/architecture.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.sources import ARCHITECTURE, PACKAGE, Module, edges, layer_table, modules

Table = list[list[set[str]]]
GENERATED = "# Written by scripts/update_generated.py"

# Packages that are imported inside functions, because they must load late, and why. Of our own modules none is.
LATE = {
    "jax": "takes a second to load, and programs without a GPU and without XLA never need it",
    "scipy": "some special functions only; optional",
    "inlay.conversion.transpile": "it loads malt, which takes a quarter of a second",
    "inlay.executors.processes.dispatcher": "it loads subprocess and sockets, which only worker processes need",
    "inlay.protos": "protobuf takes a tenth of what NumPy takes to load, and most programs write no messages",
    "torch": "datasets are handed to it where it is there; optional",
    "keras": "datasets are handed to it where it is there",
    "tqdm": "only a bar of progress needs it; optional",
    "cloudpickle": "only what leaves the process is pickled",
    "asyncio": "it costs a third of `import numpy`, and is needed where there are `async def` functions",
    "tensorflow": "the name is answered here, for the length of a block",
    "ray": "optional, and takes a second to load",
    "cryptography": "optional; only signatures need it",
    "inlay.interpreter.messages": "it loads logging, and most programs are told nothing",
    "traceback": "only errors need it, and it takes a fiftieth of what NumPy takes to load",
    "difflib": "only the message about a name that is not there needs it",
    "pickle": "an error is pickled by whoever sends it to another process, and by nobody else",
}


def entry(name: str) -> str:
    """The top-level entry that a module belongs to; the package's own file is `__init__`."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def rank(table: Table, name: str) -> tuple[int, int] | None:
    """(layer, group within it) of a top-level entry."""
    for depth, layer in enumerate(table):
        for group, names in enumerate(layer):
            if name in names:
                return depth, group
    return None


def late(target: str) -> bool:
    """Whether a module may be imported inside a function."""
    return any(f"{target}.".startswith(f"{name}.") for name in LATE)


def layer_violations(found: dict[str, Module], table: Table) -> list[str]:
    """Imports of a higher layer, and of an independent neighbour on the same one."""
    problems = []
    for module, target, line in edges(found):
        here, there = rank(table, entry(module.name)), rank(table, entry(target))
        if here is None or there is None:
            continue  # reported by the exhaustiveness test
        if there[0] > here[0] or (there[0] == here[0] and there[1] != here[1]):
            problems.append(f"{module.relative}:{line} imports {target}: {entry(module.name)} may not know it")
    return sorted(problems)


def import_cycles(found: dict[str, Module]) -> list[list[str]]:
    """Groups of modules that need one another, be it while they are imported or inside a function."""
    graph: dict[str, set[str]] = {name: set() for name in found}
    for module, target, _ in edges(found):
        if target in found:
            graph[module.name].add(target)
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {tuple(sorted(o for o in reach[name] if name in reach[o])) for name in graph if name in reach[name]}
    return sorted(list(group) for group in groups)


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(graph[name])
    return seen


@pytest.fixture(scope="module")
def table() -> Table:
    """The layers, with `*` replaced by the namespaces that are generated."""
    written = {
        entry(module.name)
        for module in modules().values()
        if module.name.count(".") == 1 and GENERATED in module.path.read_text(encoding="utf-8")
    }
    layers = layer_table(ARCHITECTURE.read_text(encoding="utf-8"))
    written -= {name for layer in layers for group in layer for name in group}  # a package that is a namespace too
    return [[(group - {"*"}) | (written if "*" in group else set()) for group in layer] for layer in layers]


def test_every_top_level_entry_has_exactly_one_layer(table: Table) -> None:
    entries = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir() if _is_source(path)}
    named = [name for layer in table for group in layer for name in group]
    assert sorted(entries ^ set(named)) == [], "the ```layers block of docs/architecture.md lists what there is"
    assert sorted({name for name in named if named.count(name) > 1}) == []


def _is_source(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))


def test_imports_point_downwards(table: Table) -> None:
    assert layer_violations(modules(), table) == []


def test_no_modules_need_one_another() -> None:
    assert import_cycles(modules()) == []


def test_an_import_inside_a_function_is_of_a_package_that_must_load_late() -> None:
    inside = sorted(
        f"{module.relative}:{wanted.line} {wanted.target}"
        for module in modules().values()
        for wanted in module.imports
        if not wanted.at_import and not late(wanted.target)
        if module.name != "inlay"  # a name that is asked for loads what defines it: adr/0007
    )
    assert inside == []


# The checker itself: a package with known faults.

FAULTY = {
    "__init__.py": "from .high import run\n",
    "low/__init__.py": "",
    "low/a.py": "from typing import TYPE_CHECKING\nfrom . import b\nif TYPE_CHECKING:\n    from demo.high import run\n",
    "low/b.py": "def f():\n    from ..high import run\n    return run\n",
    "low/c.py": "import importlib\nhigh = importlib.import_module('demo.high')\n",
    "left.py": "import demo.right\n",
    "right.py": "from . import low\n",
    "high.py": "from demo.low.a import b\n",
}
TABLE: Table = [[{"low"}], [{"left"}, {"right"}], [{"high"}], [{"__init__"}]]


@pytest.fixture
def faulty(tmp_path: Path) -> dict[str, Module]:
    for name, text in FAULTY.items():
        path = tmp_path / "demo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return modules(tmp_path / "demo")


def test_the_checker_finds_upward_sideways_and_dynamic_imports(faulty: dict[str, Module]) -> None:
    assert layer_violations(faulty, TABLE) == [
        "left.py:1 imports demo.right: left may not know it",
        "low/b.py:2 imports demo.high: low may not know it",
        "low/c.py:2 imports demo.high: low may not know it",
    ]


def test_the_checker_allows_neighbours_that_share_a_group(faulty: dict[str, Module]) -> None:
    friendly: Table = [[{"low"}], [{"left", "right"}], [{"high"}], [{"__init__"}]]
    assert not any("left.py" in problem for problem in layer_violations(faulty, friendly))


def test_the_checker_finds_cycles_also_those_that_a_function_closes(faulty: dict[str, Module]) -> None:
    assert import_cycles(faulty) == [["demo.high", "demo.low.a", "demo.low.b"]]
    faulty["demo.low.b"].path.write_text("import demo.low.a\n")
    again = modules(faulty["demo"].path.parent)
    assert import_cycles(again) == [["demo.low.a", "demo.low.b"]]


def test_the_table_reads_lines_groups_and_remarks() -> None:
    text = "x\n```layers\na\n\nb | c, d   # a remark\n```\n"
    assert layer_table(text) == [[{"a"}], [{"b"}, {"c", "d"}]]
    with pytest.raises(ValueError, match="has no ```layers block"):
        layer_table("nothing here")
