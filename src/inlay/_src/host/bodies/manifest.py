"""The manifest of a saved function: its requirements and, for a reader, its source.

A manifest is read from a file that anyone may have written. The fields that decide whether and how the function runs
(its kind, its import names, its Python, its declaration) are part of the body's digest. The others (label, imports,
packages, sources) are annotations without proof.
"""

from __future__ import annotations

import dis
import functools
import inspect
import json
import os
import site
import sys
import sysconfig
import types
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from inlay._src.base.files.damage import guarded, json_of

VALUE, NAME = "value", "name"
MOST_MANIFEST = 4 << 20
"""Bytes of a manifest that are read."""
_MOST_SOURCE = 1 << 16
PYTHON = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
"""The Python whose bytecode and classes a pickle holds."""


@dataclass(frozen=True, slots=True)
class BodyManifest:
    """The manifest of a body.

    Attributes:
      label: the function's name and where it was defined.
      kind: `VALUE` or `NAME`.
      names: for `NAME`, `module:qualname` of each part.
      python: implementation and minor version of the Python that pickled it.
      declared: the declaration from which the layer above rebuilds its record of the function; JSON, or "".
      variables: the number of variables that it is bound to when it is opened.
      imports: modules that it refers to.
      packages: installed package -> version, of those modules.
      sources: name of a function within -> its text.
    """

    label: str
    kind: str
    names: tuple[str, ...]
    python: str
    declared: str = ""
    variables: int = 0
    imports: tuple[str, ...] = ()
    packages: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def binding(self) -> bytes:
        """The part that decides what runs, as the digest of the body covers it."""
        parts = [self.kind, list(self.names), self.python, self.declared, self.variables]
        return json.dumps(parts, ensure_ascii=True).encode()

    def to_json(self) -> str:
        """The manifest as text."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str | bytes) -> BodyManifest:
        """A manifest from text that anyone may have written.

        Raises:
          DataLossError: if it is none.
        """
        with guarded("The manifest of a saved function"):
            if len(text) > MOST_MANIFEST:
                raise ValueError(f"it has {len(text):,} bytes, more than {MOST_MANIFEST:,}")
            read = json_of(text.encode() if isinstance(text, str) else text)
            if not isinstance(read, dict) or set(read) != set(BodyManifest.__slots__):
                raise ValueError(f"it must be an object with the entries {', '.join(BodyManifest.__slots__)}")
            for name, kind in _KINDS.items():
                if not kind(read[name]):
                    raise ValueError(f"{name!r} is of the wrong type")
            if read["kind"] not in (VALUE, NAME):
                raise ValueError(f"the kind {read['kind']!r} is neither {VALUE!r} nor {NAME!r}")
        return BodyManifest(**{**read, "names": tuple(read["names"]), "imports": tuple(read["imports"])})


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _text_of_text(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


_KINDS: dict[str, Any] = {
    "label": _text,
    "kind": _text,
    "names": _texts,
    "python": _text,
    "declared": _text,
    "variables": lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 20,
    "imports": _texts,
    "packages": _text_of_text,
    "sources": _text_of_text,
}


# ---------------------------------------------------------------- where modules come from


@functools.cache
def _installed_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {*site.getsitepackages(), site.getusersitepackages()}
    return tuple(os.path.realpath(folder) + os.sep for folder in folders)


@functools.cache
def _distributions() -> dict[str, list[str]]:
    import importlib.metadata

    return dict(importlib.metadata.packages_distributions())


@functools.cache
def installed(module: str) -> bool:
    """Whether a module is Python's, ours or of an installed package, so that another machine can have it, too.

    A module beside the program is not installed: its functions are saved by value.
    """
    return _top_installed(module.partition(".")[0])


@functools.cache
def _top_installed(top: str) -> bool:
    if top in sys.stdlib_module_names or top in ("builtins", "inlay", "cloudpickle"):
        return True
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if file is None:
        return True
    real = os.path.realpath(file)
    if real.startswith(_installed_folders()) or {"site-packages", "dist-packages"} & set(real.split(os.sep)):
        return True
    return top in _distributions()  # installed so that it may be edited where it lies


@functools.cache
def _version(package: str) -> str:
    import importlib.metadata

    return importlib.metadata.version(package)


def packages_of(imports: Iterable[str]) -> dict[str, str]:
    """The installed packages of modules, with their versions."""
    versions = {}
    for top in {name.partition(".")[0] for name in imports} - set(sys.stdlib_module_names) - {"inlay"}:
        for package in _distributions().get(top, ()):
            versions[package] = _version(package)
    return dict(sorted(versions.items()))


def sources_of(functions: Iterable[Any]) -> dict[str, str]:
    """The source texts of functions; a function without one is left out."""
    texts: dict[str, str] = {}
    for function in functions:
        try:
            text = inspect.getsource(function)
        except (OSError, TypeError, SyntaxError, IndexError):  # written by `exec`, typed at a prompt, since edited
            continue
        texts.setdefault(getattr(function, "__qualname__", repr(function)), text[:_MOST_SOURCE])
    return texts


def imports_in(code: types.CodeType) -> set[str]:
    """The modules that import statements in code, and in functions within it, may name."""

    names = {str(i.argval) for i in dis.get_instructions(code) if i.opname == "IMPORT_NAME" and i.argval}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= imports_in(constant)
    return names
