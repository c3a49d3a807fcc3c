"""Count patterns that the style guide rules out in src: run it before and after a rename or a rewrite.

    python -m scripts.style_counts                     # totals, and one row per top-level folder
    python -m scripts.style_counts --list sentences    # places of one kind: path:line and the text
    python -m scripts.style_counts --list bindings --under src/inlay/ops

Kinds: `bindings` are pairs of a function and a name that it binds out of found, made, given, known, kept and told;
`sentences` are docstring sentences, clauses after a colon or semicolon included, that begin with a free relative
("What is fed.", "Who reads one waits."), "Whether ..." of a bool aside; `classes` are class names, without leading
underscores, defined in more than one module; `lines` are the lines of hand-written modules; `repeats` are pairs of
places with ten equal consecutive lines, stubs and kernels aside.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "inlay"
GENERATED = "# Written by scripts/update_generated.py"
NAMES = frozenset({"found", "made", "given", "known", "kept", "told"})
RELATIVE = re.compile(r"(?:what(?!:)|whatever|who|whoever|whose|whom|which|whichever|how)\b(?! (?:is|are) it\b)", re.I)
SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*] ")
REPEATED = 10  # consecutive equal lines that count as a repetition
KERNELS = SOURCE / "_src" / "ops"  # signatures of kernels repeat by nature

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Place:
    """One counted occurrence."""

    path: Path
    line: int
    text: str

    @property
    def folder(self) -> str:
        """The top-level folder, or a module of the top level; below `_src`, the room."""
        parts = self.path.relative_to(SOURCE).parts
        return "/".join(parts[: 2 if parts[0] == "_src" and len(parts) > 2 else 1])

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Module:
    """A hand-written module of the package."""

    path: Path
    text: str

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of its syntax tree, the module first."""
        return list(ast.walk(ast.parse(self.text)))


def modules() -> list[Module]:
    read = [Module(path, path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    return [module for module in read if GENERATED not in module.text]


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a function without those of functions and classes nested in it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from own_nodes(child)


def bound_name(node: ast.AST) -> str | None:
    """The name that a node binds: a target of an assignment, a parameter, a pattern, an import, a nested function."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=name):
            return name
    return None


def bindings(module: Module) -> Iterator[Place]:
    for function in module.nodes:
        if isinstance(function, Function | ast.Lambda):
            lines: dict[str, int] = {}
            for node in own_nodes(function):
                name = bound_name(node)
                if name in NAMES:
                    lines.setdefault(name, getattr(node, "lineno", function.lineno))
            owner = getattr(function, "name", "lambda")
            yield from (Place(module.path, line, f"{owner} binds {name}") for name, line in lines.items())


def docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes and functions, and strings below an attribute."""
    for node in module.nodes:
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for index, statement in enumerate(body):
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                continue
            attribute = index > 0 and isinstance(body[index - 1], ast.Assign | ast.AnnAssign)
            if isinstance(statement.value.value, str) and (attribute or (index == 0 and isinstance(node, Documented))):
                yield statement.lineno, statement.value.value


def sentences(module: Module) -> Iterator[Place]:
    for line, text in docstrings(module):
        position = 0
        for sentence in SENTENCE.split(text):
            start = text.find(sentence, position)
            position = start + len(sentence)
            words = sentence.strip().strip("`*(\"'")
            if RELATIVE.match(words) and not words.endswith("?"):
                shown = " ".join(words.split())
                yield Place(module.path, line + text.count("\n", 0, start), shown)


def classes(read: list[Module]) -> Iterator[Place]:
    """Every definition of a class name that other modules define too."""
    defined: dict[str, dict[Path, int]] = defaultdict(dict)
    for module in read:
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                defined[node.name.lstrip("_")].setdefault(module.path, node.lineno)
    for name, places in sorted(defined.items()):
        if len(places) > 1:
            yield from (Place(path, line, name) for path, line in places.items())


def repeats(read: list[Module]) -> Iterator[Place]:
    """Places whose ten lines stand elsewhere too, counted once for each run of equal lines."""
    windows: dict[tuple[str, ...], tuple[Path, int]] = {}
    for module in read:
        if KERNELS in module.path.parents:
            continue
        numbered = [(n, s.strip()) for n, s in enumerate(module.text.splitlines(), 1)]
        code = [(n, s) for n, s in numbered if s and not s.startswith(("import ", "from ", "#", '"""'))]
        inside = -REPEATED  # where the last repetition began, so that one longer than ten lines counts once
        for start in range(len(code) - REPEATED + 1):
            window = tuple(s for _, s in code[start : start + REPEATED])
            first = windows.setdefault(window, (module.path, code[start][0]))
            if first != (module.path, code[start][0]):
                if start - inside > 1:
                    yield Place(module.path, code[start][0], f"as {first[0].relative_to(ROOT)}:{first[1]}")
                inside = start


def count() -> dict[str, list[Place]]:
    read = modules()
    return {
        "bindings": [place for module in read for place in bindings(module)],
        "sentences": [place for module in read for place in sentences(module)],
        "classes": list(classes(read)),
        "repeats": list(repeats(read)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", choices=("bindings", "sentences", "classes", "repeats"), metavar="KIND", dest="kind")
    parser.add_argument("--under", type=Path, default=SOURCE, help="only places below this folder")
    options = parser.parse_args()
    under = options.under.resolve()
    places = {kind: [place for place in listed if place.path.is_relative_to(under)] for kind, listed in count().items()}
    if options.kind:
        print(*places[options.kind], sep="\n")
        return
    read = [module for module in modules() if module.path.is_relative_to(under)]
    lines: Counter[str] = Counter()
    for module in read:
        lines[Place(module.path, 1, "").folder] += len(module.text.splitlines())
    by_folder = {kind: Counter(place.folder for place in listed) for kind, listed in places.items()}
    print(f"{'':24}{'bindings':>10}{'sentences':>10}{'classes':>10}{'repeats':>10}{'lines':>10}")
    for folder in sorted(lines, key=lambda name: -lines[name]):
        counts = "".join(f"{by_folder[kind][folder]:>10}" for kind in places)
        print(f"{folder:24}{counts}{lines[folder]:>10}")
    totals = {kind: len(listed) for kind, listed in places.items()} | {
        "classes": len({place.text for place in places["classes"]})
    }
    print(f"{'total':24}" + "".join(f"{totals[kind]:>10}" for kind in places) + f"{lines.total():>10}")


if __name__ == "__main__":
    main()
