"""Which tests exercise a module: run them after a change to it.

    python -m scripts.tests_of src/inlay/_src/ops/conv.py [MODULE ...]     # test files, one a line
    pytest $(python -m scripts.tests_of src/inlay/_src/ops/conv.py)

A test file exercises the modules that it imports, and those that define the public names it mentions. A module that no
test mentions is exercised by the tests of the modules that import it. `tests/architecture/test_tests.py` holds that
every module has a test at most `FARTHEST` imports away.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from inlay._src.base.export import declaring_modules
from scripts import namespaces
from tests.architecture.sources import ROOT, edges, modules

FARTHEST = 2
"""Imports between a module and one that a test mentions."""
LIBRARY = frozenset({"tf", "inlay"})
"""The names under which tests import the library."""
CASES = {
    "tests/golden/expressions/*.py": "tests/golden/test_expressions.py",
    "tests/golden/programs/*.py": "tests/golden/test_programs.py",
    "tests/recorded/calls/*.py": "tests/recorded/test_results.py",
    "tests/recorded/layers.py": "tests/recorded/test_layers.py",
    "tests/recorded/recurrent.py": "tests/recorded/test_layers.py",
    "tests/recorded/scripts/*.py": "tests/recorded/test_scripts.py",
    "tests/conformance/samples*.py": "tests/conformance/test_kernels.py",
}
"""Files of cases -> the test that runs them. Their texts name public functions and op types."""
CASE_NAMES = {"slim": "contrib.slim", "ds": "compat.v1.distributions"}
"""Names of parts of the library in the texts of cases."""
REACHED = {
    "inlay._src.tools.unmodified.internal": "tests/unit/training/test_auto_trackable.py",  # found by `tf.__internal__`
    "inlay._src.ops.composite.ragged_gather": "tests/unit/composite/test_ragged_rules.py",  # ops of ragged tensors
    "inlay._src.ops.composite.ragged_reductions": "tests/unit/composite/test_ragged_rules.py",
    "inlay._src.ops.composite.ragged_rules": "tests/unit/composite/test_ragged_rules.py",
    "inlay._src.ops.composite.structured_rules": "tests/unit/composite/test_structured_tensor.py",  # ops of records
    "inlay._src.programs.raw_ops": "tests/golden/test_expressions.py",  # forwards every attribute
    "inlay._src.tf1.slim.inception": "tests/recorded/test_layers.py",  # networks are imported by name there
    "inlay._src.tf1.slim.losses": "tests/recorded/test_layers.py",
    "inlay._src.tf1.slim.residual": "tests/recorded/test_layers.py",
    "inlay._src.tf1.slim.vgg": "tests/recorded/test_layers.py",
    "inlay._src.tools.commands.check": "tests/unit/inspection/test_check_command.py",
    "inlay._src.tools.pytest_plugin": "tests/unit/inspection/test_check_command.py",  # an entry point
    "inlay._src.tools.commands.doctor": "tests/unit/test_command.py",  # `tools.command` loads commands by name
    "inlay._src.tools.commands.models": "tests/unit/saved/test_commands.py",
    "inlay._src.tools.commands.output": "tests/unit/test_command.py",
    "inlay._src.tools.commands.programs": "tests/unit/unmodified/test_coverage.py",
    "inlay._src.tools.commands.replay": "tests/unit/inspection/test_replay_command.py",
    "inlay._src.tools.commands.server": "tests/unit/test_command.py",
    "inlay._src.tools.unmodified.private": "tests/unit/unmodified/test_imports.py",  # answers imports of TensorFlow
}
"""Modules that tests reach by a way that their text does not show -> the test."""
NO_MODULE = re.compile(r"tests/(?:architecture|docs)/")
"""Tests of all modules alike: they say nothing of one."""


def dotted(node: ast.AST) -> tuple[str, str]:
    """An attribute chain as (the name that it starts from, the rest); the name is empty if it starts from a value."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else ""), ".".join(reversed(parts))


def mentions(tree: ast.Module) -> Iterator[str]:
    """The dotted names that a test file imports or reads from the library.

    Modules of `_src` have their full name, public names lack the library's. Names bound to a part of the library, as
    `layers = tf.compat.v1.layers`, are resolved.
    """
    aliases = dict.fromkeys(LIBRARY, "")
    nodes = list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value):
                bound = [(target, value)]
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                bound = list(zip(targets, values, strict=False))
            case _:
                bound = []
        for target, value in bound:
            root, rest = dotted(value)
            if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and root in aliases:
                aliases.setdefault(target.id, f"{aliases[root]}.{rest}".lstrip("."))
        match node:
            case ast.ImportFrom(module=str(base)) if base == "inlay" or base.startswith("inlay."):
                for alias in node.names:
                    path = f"{base}.{alias.name}"
                    internal = path.startswith("inlay._src.")
                    if not internal:
                        aliases[alias.asname or alias.name] = path.removeprefix("inlay.")
                    yield path if internal else path.removeprefix("inlay.")
            case ast.Import():
                yield from (alias.name for alias in node.names if alias.name.startswith("inlay._src."))
    for node in nodes:
        if isinstance(node, ast.Attribute):
            root, rest = dotted(node)
            if root in aliases:
                yield f"{aliases[root]}.{rest}".lstrip(".")


def mentions_of_cases(text: str) -> Iterator[str]:
    """The public names and op types that a file of cases mentions, in code and in texts."""
    yield from mentions(ast.parse(text))
    for root, rest in re.findall(r"\b(tf|slim|ds)\.([\w.]*\w)", text):
        yield f"{CASE_NAMES.get(root, '')}.{rest}".lstrip(".")
    for names in re.findall(r"@calls\(\s*\"([^\"]+)\"", text):
        yield from (name.partition(":")[0] for name in names.split())
    yield from re.findall(r"^ +\"([A-Z]\w+)\": ", text, re.M)


@cache
def public() -> Mapping[str, str]:
    """Public path or op type -> the module that defines it."""
    homes = {path: declared.module for path, (declared, _) in namespaces.exports().items()}
    for module in modules().values():
        if module.name.startswith("inlay._src."):
            text = module.path.read_text(encoding="utf-8")
            homes.update(dict.fromkeys(re.findall(r"\bop\(\s*\"([A-Z]\w+)\"", text), module.name))
    return homes


def spellings(path: str) -> Iterator[str]:
    """The paths at which a namespace that continues another one finds a name."""
    yield path
    yield re.sub(r"^compat\.v[12]\.", "", path)
    yield f"compat.v1.{path}"
    yield path.replace("contrib.slim.", "contrib.layers.")


def exercised(names: Iterable[str]) -> set[str]:
    """The modules of the package that define what a test mentions."""
    found: set[str] = set()
    for name in names:
        prefix = name
        while prefix:
            if prefix in modules() and prefix.startswith("inlay._src"):
                found.add(prefix)
                break
            if homes := [public()[path] for path in spellings(prefix) if path in public()]:
                found.add(homes[0])
                break
            prefix = prefix.rpartition(".")[0]
    return found


@cache
def read(path: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """What a file below `tests` mentions, and the modules of `tests` that it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    helpers: set[Path] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            base = ROOT / (node.module or "").replace(".", "/")
            helpers |= {base.with_suffix(".py"), *(base / f"{alias.name}.py" for alias in node.names)}
    return frozenset(mentions(tree)), frozenset(helper for helper in helpers if helper.is_file())


def with_helpers(path: Path) -> set[str]:
    """What a test file and the modules of `tests` that it imports mention."""
    files, names = [path], set[str]()
    for file in files:
        mentioned, helpers = read(file)
        names |= mentioned
        files += sorted(helpers - set(files))
    return names


@cache
def direct() -> Mapping[str, frozenset[str]]:
    """Module -> the test files that mention it."""
    files: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        relative = path.relative_to(ROOT).as_posix()
        if not NO_MODULE.match(relative):
            for module in exercised(with_helpers(path)):
                files[module].add(relative)
    for pattern, test in CASES.items():
        for path in sorted(ROOT.glob(pattern)):
            for module in exercised(mentions_of_cases(path.read_text(encoding="utf-8"))):
                files[module].add(test)
    for module, test in REACHED.items():
        files[module].add(test)
    return {module: frozenset(names) for module, names in files.items()}


@cache
def importers() -> Mapping[str, frozenset[str]]:
    """Module -> the modules that import it."""
    users: dict[str, set[str]] = defaultdict(set)
    for module, target, _ in edges(modules()):
        users[target].add(module.name)
    for table, declared in declaring_modules().items():  # the module that has a table loads those that fill it
        homes = {module.name for module in modules().values() if f'Declared("{table}")' in module.path.read_text()}
        for declaring in declared.values():
            users[declaring] |= homes
    return {module: frozenset(names) for module, names in users.items()}


def tests_of(module: str) -> tuple[int, frozenset[str]]:
    """The imports between a module and the nearest ones that tests mention, and those tests.

    Args:
      module: a dotted name.

    Returns:
      (0, the tests that mention the module itself), else the number of imports and the tests of its importers. Without
      any test, the number is that of the imports searched.
    """
    level, seen, distance = {module}, {module}, 0
    while level:
        if tests := frozenset[str]().union(*(direct().get(name, frozenset()) for name in level)):
            return distance, tests
        level = {user for name in level for user in importers().get(name, ())} - seen
        seen |= level
        distance += 1
    return distance, frozenset()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="+", type=Path, metavar="MODULE", help="a file below src")
    names = {module.path: module.name for module in modules().values()}
    asked = [path.resolve() for path in parser.parse_args(arguments).modules]
    if unknown := [str(path) for path in asked if path not in names]:
        sys.exit(f"no module of the package: {', '.join(unknown)}")
    print(*sorted(frozenset[str]().union(*(tests_of(names[path])[1] for path in asked))), sep="\n")


if __name__ == "__main__":
    main()
