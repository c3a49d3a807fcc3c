"""Write tests/golden/programs.json: what TensorFlow gives for the programs in tests/golden/programs.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/golden/make_programs.py
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden.make_expressions import plain

HERE = Path(__file__).parent


def programs() -> dict[str, Callable[[Any], Any]]:
    """Every program by name: a public function of `tf` in a module of the folder."""
    found: dict[str, Callable[[Any], Any]] = {}
    for path in sorted((HERE / "programs").glob("*.py")):
        module = importlib.import_module(f"tests.golden.programs.{path.stem}")
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_"):
                found[f"{path.stem}: {name}"] = function
    return found


def main() -> None:
    import numpy as np
    import tensorflow as tf  # type: ignore[import-not-found]

    made = f"TensorFlow {tf.__version__}, NumPy {np.__version__}, {Path(__file__).name}"
    rows = [f"{json.dumps(name)}:{json.dumps(plain(program(tf)))}" for name, program in programs().items()]
    text = ",\n".join(rows)
    (HERE / "programs.json").write_text(f'{{"made_with":{json.dumps(made)},"values":{{\n{text}\n}}}}\n', "utf-8")
    print(f"{len(rows)} programs", file=sys.stderr)


if __name__ == "__main__":
    main()
