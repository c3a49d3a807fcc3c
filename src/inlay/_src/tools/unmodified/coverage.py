"""The names of TensorFlow that a program uses, and whether inlay has them: read from its source without running it.

    import tensorflow as tf          an alias of a module
    tf.train.Saver(...).save(...)    one use of `tensorflow.train.Saver`
    from tensorflow.python.ops import array_ops    one use; `array_ops.reshape` is another

Names are resolved as a running program would resolve them (`names`). Arguments are not examined. Packages that import
TensorFlow themselves are named, for a program's names say nothing of theirs.
"""

from __future__ import annotations

import ast
import enum
import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from inlay._src.tools.unmodified import names
from inlay._src.tools.unmodified.dialect import signs
from inlay._src.tools.unmodified.differing import DIFFERING, OUT_OF_SCOPE
from inlay._src.tools.unmodified.stand_ins import ModuleStandIn, StandIns

COMPANIONS = {
    "tensorflow_addons": "its ops are compiled for TensorFlow",
    "tensorflow_datasets": "it imports TensorFlow: `inlay run` gives it inlay",
    "tensorflow_hub": "its models are saved models: pass their folders to tf.saved_model.load",
    "tensorflow_probability": "its package for JAX needs no TensorFlow: tensorflow_probability.substrates.jax",
    "tensorflow_text": "its ops are compiled for TensorFlow",
}
"""Packages of others that import TensorFlow -> the advice for a program that uses them."""


class Availability(enum.Enum):
    """Whether inlay has a name of TensorFlow's."""

    HERE = "here"
    DIFFERING = "differing"
    ABSENT = "absent"
    OUT_OF_SCOPE = "out of scope"


class Resolution(NamedTuple):
    """The counterpart of a name.

    Attributes:
      status: whether there is one.
      advice: the difference, or an alternative.
    """

    status: Availability
    advice: str = ""


class NameUse(NamedTuple):
    """A use of a name.

    Attributes:
      name: "tensorflow.train.Saver".
      file, line: the place of the use.
      resolution: its counterpart in inlay.
    """

    name: str
    file: Path
    line: int
    resolution: Resolution


class NameRow(NamedTuple):
    """All uses of a name: their files and lines."""

    name: str
    resolution: Resolution
    places: list[tuple[Path, int]]


class Coverage(NamedTuple):
    """The uses of TensorFlow in a program.

    Attributes:
      files: the files that import TensorFlow.
      uses: all uses, in the order of the source.
      unreadable: files that are no Python -> why.
      companions: packages of `COMPANIONS` that are imported -> the places.
    """

    files: list[Path]
    uses: list[NameUse]
    unreadable: dict[Path, str]
    companions: dict[str, list[str]]

    def count(self, status: Availability) -> int:
        """The number of uses of a status."""
        return sum(use.resolution.status is status for use in self.uses)

    @property
    def share(self) -> float:
        """The share of uses that are here, of those in scope, in [0, 1]."""
        scope = len(self.uses) - self.count(Availability.OUT_OF_SCOPE)
        return (self.count(Availability.HERE) + self.count(Availability.DIFFERING)) / scope if scope else 1.0


_MOST_PLACES = 3
"""The number of places that a line of text lists."""


def coverage(path: Path, v1: bool | None = None) -> Coverage:
    """Reads a script, or all scripts and notebooks below a folder.

    Args:
      path: a file or folder.
      v1: whether `import tensorflow` means that of 1.x; None detects it for each file.

    Raises:
      FileNotFoundError: if there is nothing at the path.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    files, uses, unreadable = list[Path](), list[NameUse](), dict[Path, str]()
    companions: dict[str, list[str]] = {}
    for file in _files(path):
        try:
            tree = ast.parse(_source(file), str(file))
        except (SyntaxError, ValueError, RecursionError, OSError) as error:
            unreadable[file] = f"{type(error).__name__}: {error}"
            continue
        for package, line in _companions(tree):
            companions.setdefault(package, []).append(f"{file}:{line}")
        first = next(signs(file, tree), None) is not None if v1 is None else v1
        file_uses = [NameUse(name, file, line, _resolved(name, first)) for name, line in _used(tree)]
        uses += file_uses
        if file_uses:
            files.append(file)
    return Coverage(files, uses, unreadable, companions)


def as_json(report: Coverage) -> str:
    """A coverage as JSON: counts, the share in scope, and a row for each name; the share is null without a use."""
    rows = [
        {
            "name": row.name,
            "uses": len(row.places),
            "status": row.resolution.status.value,
            "says": row.resolution.advice,
            "files": len({file for file, _ in row.places}),
            "places": [f"{file}:{line}" for file, line in row.places],
        }
        for row in _rows(report)
    ]
    counts = {status.value: report.count(status) for status in Availability}
    unreadable = {str(file): why for file, why in report.unreadable.items()}
    share = round(report.share, 4) if report.uses else None
    head = {"files": len(report.files), "uses": len(report.uses), **counts, "share": share}
    return json.dumps({**head, "names": rows, "packages": report.companions, "unreadable": unreadable}, indent=2)


def as_text(report: Coverage) -> str:
    """A coverage as lines of text: absent names first, the most frequent before others."""
    lines = []
    rows = _rows(report)
    for status in (Availability.ABSENT, Availability.OUT_OF_SCOPE, Availability.DIFFERING):
        listed = [row for row in rows if row.resolution.status is status]
        if listed:
            lines.append(f"{status.value}:")
            lines += map(_line, listed)
    if report.companions:
        lines.append("other packages that import TensorFlow:")
        lines += [f"  {name}: {COMPANIONS[name]}  {_listed(places)}" for name, places in report.companions.items()]
    lines += [f"not read: {file}: {why}" for file, why in report.unreadable.items()]
    if not report.uses:
        return "\n".join([*lines, "no TensorFlow here"])
    counts = {status: report.count(status) for status in Availability}
    lines.append(
        f"{len(report.uses)} uses of TensorFlow's names in {len(report.files)} files: "
        f"{counts[Availability.HERE]} here, {counts[Availability.DIFFERING]} here and differing, "
        f"{counts[Availability.ABSENT]} absent, "
        f"{counts[Availability.OUT_OF_SCOPE]} out of scope; {report.share:.1%} of those in scope are here"
    )
    return "\n".join(lines)


def _line(row: NameRow) -> str:
    advice = f": {row.resolution.advice}" if row.resolution.advice else ""
    places = _listed([f"{file}:{line}" for file, line in row.places])
    return f"  {len(row.places):5d} x {_short(row.name)}{advice}  {places}"


def _listed(places: list[str]) -> str:
    """The first places of a use, in brackets."""
    more = f", and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return f"[{', '.join(places[:_MOST_PLACES])}{more}]"


def _short(name: str) -> str:
    return "tf" + name.removeprefix("tensorflow")


def _rows(report: Coverage) -> list[NameRow]:
    """The names with their uses, the most used first."""
    places: dict[tuple[str, Resolution], list[tuple[Path, int]]] = {}
    for use in report.uses:
        places.setdefault((use.name, use.resolution), []).append((use.file, use.line))
    rows = [NameRow(name, resolution, listed) for (name, resolution), listed in places.items()]
    return sorted(rows, key=lambda row: (-len(row.places), row.name))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for file in sorted(p for pattern in ("*.py", "*.ipynb") for p in path.rglob(pattern)):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts):
            yield file


def _source(file: Path) -> str | bytes:
    """The source of a script, or of a notebook's code cells without the lines that are for the notebook's shell."""
    if file.suffix != ".ipynb":
        return file.read_bytes()
    cells = json.loads(file.read_text(encoding="utf-8")).get("cells", ())
    lines = [
        line
        for cell in cells
        if cell.get("cell_type") == "code"
        for line in "".join(cell.get("source", ())).splitlines()
    ]
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


# ---------------------------------------------------------------- uses in a source


def _used(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The full names of TensorFlow that a source uses, with their lines."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _of_tensorflow(alias.name):
                    aliases[alias.asname or "tensorflow"] = alias.name if alias.asname else "tensorflow"
                    if alias.name.count(".") and alias.name not in ("tensorflow.compat.v1", "tensorflow.compat.v2"):
                        yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and not node.level and _of_tensorflow(node.module or ""):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if alias.name == "*":
                    continue
                aliases[alias.asname or alias.name] = name
                yield name, node.lineno
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            chain = _chain(node)
            if chain is not None and chain[0] in aliases:
                yield ".".join([aliases[chain[0]], *chain[1:]]), node.lineno


def _companions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The packages of `COMPANIONS` that a source imports, with their lines."""
    for node in ast.walk(tree):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module or ""]
        for module in modules:
            if (package := module.partition(".")[0]) in COMPANIONS:
                yield package, getattr(node, "lineno", 0)


def _of_tensorflow(module: str) -> bool:
    return module.partition(".")[0] == "tensorflow"


def _chain(node: ast.expr) -> list[str] | None:
    """`tf.train.Saver` as its parts, or None if it does not begin with a plain name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None


# ---------------------------------------------------------------- resolution of a name


@functools.cache
def _resolved(name: str, v1: bool) -> Resolution:
    """The counterpart of a full name."""
    parts = name.split(".")
    value: Any = _module("tensorflow", v1)
    for end in range(1, len(parts)):
        below = ".".join(parts[: end + 1])
        inner = names.spaces(below, v1) if isinstance(value, ModuleStandIn) else None
        if isinstance(inner, names.Absent):
            return Resolution(_reason(below), inner.advice)
        try:
            value = getattr(value, parts[end]) if inner is None else _stand_in(below, inner, v1)
        except ImportError as error:  # Keras is not installed
            return Resolution(Availability.ABSENT, str(error))
        except AttributeError as error:
            return Resolution(Availability.ABSENT, str(error).partition(" is not here: ")[2])
        if not isinstance(value, (ModuleType, type)):  # an object: what it has is known when it is there
            break
    public = ".".join(part for part in parts[1:] if part not in ("compat", "v1", "v2"))
    difference = DIFFERING.get(public) or DIFFERING.get(".".join(parts[1:]))
    return Resolution(Availability.DIFFERING, difference) if difference else Resolution(Availability.HERE)


def _reason(name: str) -> Availability:
    """Whether a name is absent by decision."""
    parts = [part for part in name.split(".")[1:] if part not in ("compat", "v1", "v2", "contrib", "python")]
    leads = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return Availability.OUT_OF_SCOPE if leads & OUT_OF_SCOPE else Availability.ABSENT


def _module(name: str, v1: bool) -> ModuleStandIn:
    """A module of TensorFlow as a program would find it."""
    namespaces = names.spaces(name, v1)
    return _stand_in(name, namespaces if isinstance(namespaces, list) else (), v1)


def _stand_in(name: str, namespaces: Sequence[str], v1: bool) -> ModuleStandIn:
    return ModuleStandIn(name, namespaces, v1, StandIns(v1).load)
