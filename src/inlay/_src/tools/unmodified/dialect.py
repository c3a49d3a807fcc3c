"""The version of TensorFlow that a script is written for, by its source.

Names of TensorFlow 1 that `import tensorflow as tf` has no more since 2.0 mark a program of 1.x. They are searched
in the script and in the modules of its own folder that it imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FIRST_NAMES = frozenset(
    """
    Session InteractiveSession placeholder placeholder_with_default get_variable variable_scope app flags gfile layers
    global_variables_initializer initialize_all_variables local_variables_initializer get_default_graph contrib
    reset_default_graph ConfigProto trainable_variables global_variables py_func to_float to_int32 to_int64 log
    set_random_seed random_uniform random_normal get_collection add_to_collection enable_eager_execution
    """.split()
)
"""Names right below `tf` that 2.x lacks: any of them marks a program of 1.x."""


class Sign(NamedTuple):
    """Evidence that a script is written for TensorFlow 1.

    Attributes:
      path: the file.
      line: the line.
      name: `tf.Session`.
    """

    path: Path
    line: int
    name: str


def first_version(script: Path) -> Sign | None:
    """The first sign, in a script or in modules beside it that it imports, that it is of TensorFlow 1; None without."""
    waiting, seen = [script], set[Path]()
    while waiting:
        path = waiting.pop(0).resolve()
        if path in seen:
            continue
        seen.add(path)
        try:
            tree = ast.parse(path.read_bytes(), str(path))
        except (OSError, SyntaxError, ValueError):  # running it says what is wrong
            continue
        if (sign := next(signs(path, tree), None)) is not None:
            return sign
        waiting.extend(_beside(script.resolve().parent, tree))
    return None


def signs(path: Path, tree: ast.Module) -> Iterator[Sign]:
    """The signs in one file's source that it is of TensorFlow 1."""
    modules = {
        alias.asname or "tensorflow": alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] == "tensorflow"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if modules.get(node.value.id) == "tensorflow" and node.attr in FIRST_NAMES:
                yield Sign(path, node.lineno, f"{node.value.id}.{node.attr}")
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (Sign(path, node.lineno, name) for name in imported if name.startswith("tensorflow.contrib"))


def _beside(folder: Path, tree: ast.Module) -> Iterator[Path]:
    """The files in a script's folder that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for module in modules:
            base = folder.joinpath(*module.split("."))
            yield from (p for p in (base.with_suffix(".py"), base / "__init__.py") if module and p.is_file())
