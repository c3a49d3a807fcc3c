"""Imports point downwards. The order of the layers is the ```layers block of docs/architecture.md."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from tests.architecture.sources import ARCHITECTURE, PACKAGE, Module, edges, layer_table, modules

Table = list[list[set[str]]]
GENERATED = "# Written by scripts/update_generated.py"

# Packages that are imported inside functions, because they must load late, and why. Of our own modules none is.
LATE = {
    "jax": "takes a second to load, and programs without a GPU and without XLA never need it",
    "scipy": "some special functions only; optional",
    "inlay._src.programs.conversion": "it is a tenth of loading a model, whose functions were converted before",
    "inlay._src.programs.conversion.transpile": "it loads malt, which takes a quarter of a second",
    "inlay._src.host.executors.processes.dispatcher": "it loads subprocess and sockets, which workers need",
    "inlay._src.base.protos": "protobuf takes a tenth of NumPy's time to load; most programs write no messages",
    "threadpoolctl": "only convolutions of some size need it; optional",
    "torch": "datasets are handed to it where it is there; optional",
    "keras": "datasets are handed to it where it is there",
    "tqdm": "only a bar of progress needs it; optional",
    "cloudpickle": "only what leaves the process is pickled",
    "importlib.metadata": "it costs a fifth of `import numpy`; what is saved lists its packages",
    "asyncio": "it costs a third of `import numpy`, and is needed where there are `async def` functions",
    "tensorflow": "the name is answered here, for the length of a block",
    "ray": "optional, and takes a second to load",
    "cryptography": "optional; only signatures need it",
    "inlay._src.base.interpreter.messages": "it loads logging, and most programs are told nothing",
    "traceback": "only errors need it, and it takes a fiftieth of what NumPy takes to load",
    "difflib": "only the message about a name that is not there needs it",
    "pickle": "an error is pickled by whoever sends it to another process, and by nobody else",
}


# Modules that need one another because they are one concept: a graph has operations, these have tensors, and both are
# made in a context that says in which graph.
ONE_CONCEPT = ["core.context", "core.graph", "core.operation", "core.tensor", "core.values"]


def entry(name: str, names: Collection[str]) -> str:
    """The entry of the table that a module belongs to: the longest of `names` that its path below `_src` begins with.

    The package's own file is `__init__`; `*` is every public namespace.
    """
    parts = name.split(".")[1:]
    if not parts or parts == ["__main__"]:
        return parts[0] if parts else "__init__"
    if parts[0] != "_src":
        return parts[0] if name.partition(".")[0] != "inlay" else "*"
    for count in range(len(parts), 1, -1):
        if (prefix := ".".join(parts[1:count])) in names:
            return prefix
    return ".".join(parts[1:]) or "_src"


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
    """Imports of a higher layer, and of an independent neighbor on the same one."""
    problems = []
    names = {name for layer in table for group in layer for name in group}
    for module, target, line in edges(found):
        here, there = rank(table, entry(module.name, names)), rank(table, entry(target, names))
        if here is None or there is None:
            continue  # reported by the exhaustiveness test
        if there[0] > here[0] or (there[0] == here[0] and there[1] != here[1]):
            problems.append(f"{module.relative}:{line} imports {target}: {entry(module.name, names)} may not know it")
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
    return layer_table(ARCHITECTURE.read_text(encoding="utf-8"))


def test_every_module_has_exactly_one_layer(table: Table) -> None:
    named = [name for layer in table for group in layer for name in group]
    assert sorted({name for name in named if named.count(name) > 1}) == []
    entries = {entry(name, named) for name in modules()} - {"_src"}
    entries -= {room for room in ROOMS if room not in named}  # the package file of a room without modules of its own
    assert sorted(entries ^ set(named)) == [], "the ```layers block of docs/architecture.md lists the modules"


ROOMS = {path.name for path in (PACKAGE / "_src").iterdir() if any(path.glob("*.py"))}


def test_the_package_has_rooms_and_generated_namespaces_only() -> None:
    written = {
        module.path.relative_to(PACKAGE).parts[0]
        for module in modules().values()
        if GENERATED in module.path.read_text(encoding="utf-8")
    }
    entries = {path.name for path in PACKAGE.iterdir() if path.suffix != ".pyi"}
    entries -= {"keras"}  # the name of another library's package
    assert entries - (written - {"_src"}) - {"__pycache__"} == {"__init__.py", "__main__.py", "py.typed", "_src"}
    assert len(ROOMS) <= 14


def test_the_table_lists_each_room_in_one_piece(table: Table) -> None:
    order = [name.partition(".")[0] for layer in table for group in layer for name in sorted(group)]
    rooms = [room for room in order if room in ROOMS]
    assert [room for i, room in enumerate(rooms) if room in rooms[:i] and rooms[i - 1] != room] == []


def test_imports_point_downwards(table: Table) -> None:
    assert layer_violations(modules(), table) == []


def test_no_modules_need_one_another() -> None:
    cycles = [[name.removeprefix("inlay._src.") for name in group] for group in import_cycles(modules())]
    assert cycles == [ONE_CONCEPT]


def test_an_import_inside_a_function_is_of_a_package_that_must_load_late() -> None:
    inside = sorted(
        f"{module.relative}:{wanted.line} {wanted.target}"
        for module in modules().values()
        for wanted in module.imports
        if wanted.runs and not wanted.at_import and not late(wanted.target)
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
        "low/a.py:4 imports demo.high: low may not know it",
        "low/b.py:2 imports demo.high: low may not know it",
        "low/c.py:2 imports demo.high: low may not know it",
    ]


def test_the_checker_allows_neighbors_that_share_a_group(faulty: dict[str, Module]) -> None:
    friendly: Table = [[{"low"}], [{"left", "right"}], [{"high"}], [{"__init__"}]]
    assert not any("left.py" in problem for problem in layer_violations(faulty, friendly))


def test_the_checker_finds_cycles_also_those_that_a_function_closes(faulty: dict[str, Module]) -> None:
    assert import_cycles(faulty) == [["demo.high", "demo.low.a", "demo.low.b"]]
    faulty["demo.low.b"].path.write_text("import demo.low.a\n")
    again = modules(faulty["demo"].path.parent)
    assert import_cycles(again) == [["demo.high", "demo.low.a", "demo.low.b"]]
    faulty["demo.high"].path.write_text("")
    again = modules(faulty["demo"].path.parent)
    assert import_cycles(again) == [["demo.low.a", "demo.low.b"]]


def test_the_table_reads_lines_groups_and_remarks() -> None:
    text = "x\n```layers\na\n\nb | c, d   # a remark\n```\n"
    assert layer_table(text) == [[{"a"}], [{"b"}, {"c", "d"}]]
    with pytest.raises(ValueError, match="has no ```layers block"):
        layer_table("nothing here")
