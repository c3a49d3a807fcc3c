"""The package's source as the architecture tests see it: modules, and who imports whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "inlay"
ARCHITECTURE = ROOT / "docs" / "architecture.md"


@dataclass(frozen=True)
class Import:
    """One import: the dotted name it asks for, where, whether it runs when the module is imported, whether ever."""

    target: str
    line: int
    at_import: bool
    runs: bool = True


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, path and syntax tree."""

    name: str
    path: Path
    is_package: bool

    @property
    def relative(self) -> str:
        """The path below the rooms' folder, or below the package, as `core/graph.py`."""
        parts = self.name.split(".")[1:]
        parts = parts[1:] if parts[:1] == ["_src"] else parts
        return "/".join([*parts, "__init__.py"] if self.is_package else [*parts[:-1], f"{parts[-1]}.py"])

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every import; `from a import b` asks for `a.b`. Those below `if TYPE_CHECKING:` never run."""
        return tuple(self._walk(self.tree.body, at_import=True))

    def _walk(self, body: list[ast.stmt] | list[ast.AST], at_import: bool) -> Iterator[Import]:
        for node in body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(alias.name, node.lineno, at_import)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                for alias in node.names:
                    yield Import(f"{base}.{alias.name}", node.lineno, at_import)
            elif isinstance(node, ast.If) and _is_type_checking(node.test):
                yield from (replace(wanted, runs=False) for wanted in self._walk(node.body, False))
                yield from self._walk(node.orelse, at_import)
            else:
                if (dynamic := _dynamic_import(node)) is not None:
                    yield Import(dynamic, node.lineno, at_import)
                deferred = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from self._walk(list(ast.iter_child_nodes(node)), at_import and not deferred)

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        keep = len(parts) - node.level + (1 if self.is_package else 0)
        return ".".join(parts[:keep] + ([node.module] if node.module else []))


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _dynamic_import(node: ast.AST) -> str | None:
    """The module that `import_module("x")` or `__import__("x")` asks for, if it is spelled out."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    return None


def modules(package: Path | None = None) -> dict[str, Module]:
    """Every module of a package by dotted name; ours is read once."""
    return _ours() if package is None else _read(package)


@cache
def _ours() -> dict[str, Module]:
    return _read(PACKAGE)


def _read(package: Path) -> dict[str, Module]:
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, path, is_package)
    return found


def edges(found: dict[str, Module]) -> Iterator[tuple[Module, str, int]]:
    """(importer, imported module of this package, line): the longest prefix of what was asked that is a module."""
    for module in found.values():
        root = module.name.split(".")[0]
        for wanted in module.imports:
            if wanted.target.split(".")[0] != root:
                continue
            target = wanted.target
            while target not in found and "." in target:
                target = target.rpartition(".")[0]
            if target != module.name:
                yield module, target, wanted.line


def layer_table(text: str) -> list[list[set[str]]]:
    """The ```layers block of the architecture page, lowest layer first.

    A line is a layer. Names split by `|` know nothing of one another; names split by commas may import one another.
    """
    block = re.search(r"^```layers\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    if block is None:
        raise ValueError("docs/architecture.md has no ```layers block")
    table = []
    for line in block[1].splitlines():
        if line := line.partition("#")[0].strip():
            table.append([{name.strip() for name in group.split(",") if name.strip()} for group in line.split("|")])
    return table
