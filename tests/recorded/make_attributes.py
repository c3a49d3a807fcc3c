"""Write tests/recorded/attributes.json: which numbers and texts the attributes of TensorFlow's ops may be.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/recorded/make_attributes.py

Of each op the attributes that have a least number (or a least length, of a list of numbers) or some texts to be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NUMBERS = ("int", "list(int)")


def limits_of(attr: Any) -> Any:
    """The least number of an attribute, or the texts that it may be; None if anything goes."""
    if attr.type in NUMBERS and attr.has_minimum:
        return attr.minimum
    return sorted(text.decode() for text in attr.allowed_values.list.s) or None


def main() -> None:
    from tensorflow.core.framework import op_def_pb2  # type: ignore[import-not-found]
    from tensorflow.python.client import pywrap_tf_session  # type: ignore[import-not-found]

    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    limits = {op.name: {attr.name: limits_of(attr) for attr in op.attr} for op in ops.op}
    rows = {name: {a: limit for a, limit in attrs.items() if limit is not None} for name, attrs in limits.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows) if rows[name]]
    (HERE / "attributes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
