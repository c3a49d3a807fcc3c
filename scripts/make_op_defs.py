"""Write op_defs.jsonl, TensorFlow's declarations of the ops that graphs are written with, and other_ops.txt.

    python -m scripts.op_names > names.txt                                            # with inlay
    python scripts/make_op_defs.py names.txt src/inlay/_src/programs/graph_def        # tensorflow-cpu==2.21.0

other_ops.txt has the names of the ops that are not among them, with "*" behind that of a stateful one.

One line per op: its name, inputs and outputs as "name:type", where a type is that of an attribute (`T`), fixed
(`float32`), as many of one type as an attribute says (`N*T`), or listed by one (`[Tin]`), and `&` before it marks a
reference to a variable; then attributes with their kinds and, where they have one, default values. Shapes are lists,
null if nothing is known; tensors have a type and a value.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session


def argument(arg: Any) -> str:
    kind = arg.type_attr or (tf.as_dtype(arg.type).name if arg.type else f"[{arg.type_list_attr}]")
    number = f"{arg.number_attr}*" if arg.number_attr else ""
    return f"{arg.name}:{'&' if arg.is_ref else ''}{number}{kind}"


def shape(value: Any) -> Any:
    return None if value.unknown_rank else [dim.size for dim in value.dim]


def plain(kind: str, value: Any) -> Any:
    if kind.startswith("list("):
        inner = kind[5:-1]
        field = {"int": "i", "float": "f", "bool": "b", "string": "s"}.get(inner, inner)
        return [one(inner, item) for item in getattr(value.list, field)]
    field = {"int": "i", "float": "f", "bool": "b", "string": "s"}.get(kind, kind)
    return one(kind, getattr(value, field))


def one(kind: str, value: Any) -> Any:
    if kind == "type":
        return tf.as_dtype(value).name
    if kind == "shape":
        return shape(value)
    if kind == "float":
        return float(str(tf.constant(value, tf.float32).numpy()))
    if kind == "tensor":
        array = tf.make_ndarray(value)
        return {"dtype": array.dtype.name, "value": array.tolist()}
    return value.decode() if kind == "string" else value


def attribute(attr: Any) -> list[Any]:
    kind = attr.type if attr.type != "numbertype" else "type"
    return [kind, plain(kind, attr.default_value)] if attr.HasField("default_value") else [kind]


def declared(op: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"op": op.name}
    row["in"] = [argument(a) for a in op.input_arg]
    row["out"] = [argument(a) for a in op.output_arg]
    row["attr"] = {a.name: attribute(a) for a in op.attr}
    if op.is_stateful:
        row["stateful"] = True
    return row


def main() -> None:
    wanted = set(Path(sys.argv[1]).read_text(encoding="utf-8").split())
    ops = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())).op
    folder, ops = Path(sys.argv[2]), sorted(ops, key=lambda op: op.name)
    rows = [json.dumps(declared(op), separators=(", ", ": ")) for op in ops if op.name in wanted]
    others = [op.name + "*" * op.is_stateful for op in ops if op.name not in wanted and not op.name.startswith("_")]
    for name, lines in (("op_defs.jsonl", rows), ("other_ops.txt", others)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
