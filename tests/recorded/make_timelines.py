"""Write timelines.json and traced_functions.json: what the programs in `traced_programs` report under TensorFlow.

python -m venv /some/where && /some/where/bin/pip install tensorflow-cpu==2.21.0
PYTHONPATH=. /some/where/bin/python tests/recorded/make_timelines.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.recorded.traced_programs import PROGRAMS, collected, traced

HERE = Path(__file__).parent


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found, unused-ignore]
    from tensorflow.python.client import timeline  # type: ignore[import-not-found, unused-ignore]

    with tempfile.TemporaryDirectory() as folder:
        functions = collected(tf, tf.compat.v1, Path(folder))
    (HERE / "traced_functions.json").write_text(json.dumps(functions, indent=2) + "\n", encoding="utf-8")
    tf.compat.v1.disable_v2_behavior()
    rows = {name: traced(tf, tf.compat.v1, timeline, program) for name, program in PROGRAMS.items()}
    lines = []
    for name, row in rows.items():
        parts = [f"{json.dumps(key)}: [\n{_lines(values)}\n]" for key, values in row.items()]
        lines.append(f"{json.dumps(name)}: {{\n{', '.join(parts)}\n}}")
    (HERE / "timelines.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(values: list[object]) -> str:
    return ",\n".join(json.dumps(value) for value in values)


if __name__ == "__main__":
    main()
