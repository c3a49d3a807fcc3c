"""Which names of TensorFlow a program uses, and what of them is here: read from its source, without running it.

    import tensorflow as tf          an alias of a module
    tf.train.Saver(...).save(...)    one use of `tensorflow.train.Saver`
    from tensorflow.python.ops import array_ops    one use; `array_ops.reshape` is another

What a name stands for is found as a running program would find it (`names`). Only names are looked at, not arguments.
"""

from __future__ import annotations

import ast
import enum
import functools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from inlay._src.tools.unmodified import names
from inlay._src.tools.unmodified.dialect import signs
from inlay._src.tools.unmodified.differing import DIFFERING, OUT_OF_SCOPE
from inlay._src.tools.unmodified.imports import StandIn


class Status(enum.Enum):
    """What becomes of a name of TensorFlow's."""

    HERE = "here"
    DIFFERING = "differing"
    ABSENT = "absent"
    OUT_OF_SCOPE = "out of scope"


class Found(NamedTuple):
    """What a name stands for.

    Attributes:
      status: whether it is here.
      says: how it differs, or what to do instead.
    """

    status: Status
    says: str = ""


class Use(NamedTuple):
    """A use of a name.

    Attributes:
      name: "tensorflow.train.Saver".
      file, line: where.
      found: what it stands for here.
    """

    name: str
    file: Path
    line: int
    found: Found


class Coverage(NamedTuple):
    """What a program uses of TensorFlow.

    Attributes:
      files: those that were read and import TensorFlow.
      uses: all uses, in the order of the source.
      unreadable: files that are no Python -> why.
    """

    files: list[Path]
    uses: list[Use]
    unreadable: dict[Path, str]

    def count(self, status: Status) -> int:
        """How many uses are of a status."""
        return sum(use.found.status is status for use in self.uses)

    @property
    def share(self) -> float:
        """The share of uses that are here, of those in scope, in [0, 1]."""
        scope = len(self.uses) - self.count(Status.OUT_OF_SCOPE)
        return (self.count(Status.HERE) + self.count(Status.DIFFERING)) / scope if scope else 1.0


def coverage(path: Path, v1: bool | None = None) -> Coverage:
    """Reads a script, or all scripts and notebooks below a folder.

    Args:
      path: what to read.
      v1: whether `import tensorflow` means that of 1.x; None has each file decide.

    Raises:
      FileNotFoundError: if there is nothing at the path.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    files, uses, unreadable = list[Path](), list[Use](), dict[Path, str]()
    for file in _files(path):
        try:
            tree = ast.parse(_source(file), str(file))
        except (SyntaxError, ValueError, RecursionError, OSError) as error:
            unreadable[file] = f"{type(error).__name__}: {error}"
            continue
        first = next(signs(file, tree), None) is not None if v1 is None else v1
        found = [Use(name, file, line, _found(name, first)) for name, line in _used(tree)]
        uses += found
        if found:
            files.append(file)
    return Coverage(files, uses, unreadable)


def as_json(told: Coverage) -> str:
    """A coverage as JSON: counts, the share in scope, and a row for each name."""
    rows = [
        {"name": name, "uses": uses, "status": found.status.value, "says": found.says, "files": files}
        for (name, found), uses, files in _rows(told)
    ]
    counts = {status.value: told.count(status) for status in Status}
    unreadable = {str(file): why for file, why in told.unreadable.items()}
    head = {"files": len(told.files), "uses": len(told.uses), **counts, "share": round(told.share, 4)}
    return json.dumps({**head, "names": rows, "unreadable": unreadable}, indent=2)


def as_text(told: Coverage) -> str:
    """A coverage as lines to read: what is not here first, the names used most often before others."""
    lines = []
    for status in (Status.ABSENT, Status.OUT_OF_SCOPE, Status.DIFFERING):
        rows = [row for row in _rows(told) if row[0][1].status is status]
        if rows:
            lines.append(f"{status.value}:")
            lines += [
                f"  {uses:5d} x {_short(name)}{f': {found.says}' if found.says else ''}"
                for (name, found), uses, _ in rows
            ]
    lines += [f"not read: {file}: {why}" for file, why in told.unreadable.items()]
    lines.append(
        f"{len(told.uses)} uses of TensorFlow's names in {len(told.files)} files: {told.count(Status.HERE)} here, "
        f"{told.count(Status.DIFFERING)} here and differing, {told.count(Status.ABSENT)} absent, "
        f"{told.count(Status.OUT_OF_SCOPE)} out of scope; {told.share:.1%} of those in scope are here"
    )
    return "\n".join(lines)


def _short(name: str) -> str:
    return "tf" + name.removeprefix("tensorflow")


def _rows(told: Coverage) -> list[tuple[tuple[str, Found], int, int]]:
    """(name, what it stands for), uses, files: the most used first."""
    uses = Counter((use.name, use.found) for use in told.uses)
    files = Counter(key for key, _ in {((use.name, use.found), use.file) for use in told.uses})
    return [(key, count, files[key]) for key, count in sorted(uses.items(), key=lambda item: (-item[1], item[0][0]))]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for found in sorted(p for pattern in ("*.py", "*.ipynb") for p in path.rglob(pattern)):
        if found.is_file() and not any(part.startswith(".") for part in found.relative_to(path).parts):
            yield found


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


def _of_tensorflow(module: str) -> bool:
    return module.partition(".")[0] == "tensorflow"


def _chain(node: ast.expr) -> list[str] | None:
    """`tf.train.Saver` as its parts, or None if it does not begin with a plain name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None


# ---------------------------------------------------------------- what a name stands for


@functools.cache
def _found(name: str, v1: bool) -> Found:
    """What a full name stands for here."""
    parts = name.split(".")
    value: Any = _module("tensorflow", v1)
    for end in range(1, len(parts)):
        below = ".".join(parts[: end + 1])
        inner = names.spaces(below, v1) if isinstance(value, StandIn) else None
        if isinstance(inner, names.Absent):
            return Found(_reason(below), inner.advice)
        try:
            value = getattr(value, parts[end]) if inner is None else StandIn(below, inner, v1)
        except AttributeError as error:
            return Found(Status.ABSENT, str(error).partition(" is not here: ")[2])
        if not isinstance(value, (StandIn, type)):  # an object: what it has is known when it is there
            break
    public = ".".join(part for part in parts[1:] if part not in ("compat", "v1", "v2"))
    told = DIFFERING.get(public) or DIFFERING.get(".".join(parts[1:]))
    return Found(Status.DIFFERING, told) if told else Found(Status.HERE)


def _reason(name: str) -> Status:
    """Whether what is not here is so by decision."""
    parts = [part for part in name.split(".")[1:] if part not in ("compat", "v1", "v2", "contrib", "python")]
    leads = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return Status.OUT_OF_SCOPE if leads & OUT_OF_SCOPE else Status.ABSENT


def _module(name: str, v1: bool) -> StandIn:
    """A module of TensorFlow as a program would find it."""
    found = names.spaces(name, v1)
    return StandIn(name, found if isinstance(found, list) else (), v1)
