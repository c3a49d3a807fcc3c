"""Write tests/recorded/signatures.json: the signatures of TensorFlow's public names, of 2.x and of `compat.v1`.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/recorded/make_signatures.py

Names of areas that inlay leaves out (`SKIPPED`) are not recorded. A name that is the same object as one recorded before
is written as "= that name".
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.recorded.signatures import signature_of

HERE = Path(__file__).parent
SKIPPED = frozenset(
    "keras raw_ops estimator lite tpu distribute distributed feature_column experimental.dtensor mlir "
    "saved_model profiler tools layers graph_util quantization xla sysconfig version audio queue lookup".split()
)
"""Namespaces of which nothing is here, or planned for later."""


def members(module: ModuleType) -> list[str]:
    """The public names of a namespace. Those of TensorFlow load when asked for, so `dir` says what there is."""
    return sorted(n for n in dir(module) if not n.startswith("_") and n not in SKIPPED)


def recorded(root: Any, prefix: str = "") -> dict[str, Any]:
    """Dotted name below `tf` -> signature, "= name" for an object met before."""
    found: dict[str, Any] = {}
    first: dict[int, str] = {}
    seen = {id(root)}
    todo: list[tuple[str, Any]] = [(prefix, root)]
    while todo:
        path, module = todo.pop(0)
        for name in members(module):
            value, dotted = getattr(module, name, None), f"{path}{name}"
            if dotted in SKIPPED or dotted == "compat.v2" or dotted.startswith("compat.v1.compat"):
                continue
            if isinstance(value, ModuleType):
                lazy = "Lazy" in type(value).__name__  # stands for a module of Keras
                if id(value) not in seen and not lazy and value.__name__.startswith("tensorflow._api"):
                    seen.add(id(value))
                    todo.append((f"{dotted}.", value))
            elif id(value) in first:
                found[dotted] = f"= {first[id(value)]}"
            elif (signature := signature_of(value)) is not None:
                found[dotted], first[id(value)] = signature, dotted
    return dict(sorted(found.items()))


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    rows = recorded(tf)
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(signature)}" for name, signature in rows.items())
    made = json.dumps(f"TensorFlow {tf.__version__}, Python {sys.version_info.major}.{sys.version_info.minor}")
    (HERE / "signatures.json").write_text(f'{{"made_with": {made}, "signatures": {{\n{text}\n}}}}\n', "utf-8")
    print(f"{len(rows)} names", file=sys.stderr)


if __name__ == "__main__":
    main()
