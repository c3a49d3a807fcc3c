"""A saved model as text; nothing of it is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types.shapes import TensorShape
from inlay._src.host.bodies.trust import described, printable
from inlay._src.programs.graph_def.attributes import dtype_of, shape_in
from inlay._src.programs.graph_def.reference_variables import VARIABLES as REFERENCES
from inlay._src.saved import signing
from inlay._src.saved.container import OBJECTS
from inlay._src.saved.loading import Inspected
from inlay._src.saved.tensorflow_models.model import ASSETS

_MOST_OPS = 40
_TRAINABLE = "trainable_variables"


def shown(inspected: Inspected) -> str:
    """A model for someone who wants to know what it is, and whether to trust it.

    Raises:
      DataLossError: if what it says of its objects makes no sense.
    """
    with inspected.container.guard(OBJECTS):
        return "\n".join(_lines(inspected))


def described_model(model: Inspected) -> dict[str, Any]:
    """The description of a model for programs, as a structure of JSON; `shown` has the same facts for readers.

    Raises:
      DataLossError: if what it says of its objects makes no sense.
    """
    with model.container.guard(OBJECTS):
        objects = model.said["objects"]
        bodies = {body.digest: body for body in model.bodies.values()}
        ops = _ops(model)
        try:
            signers = [f"ed25519:{key}" for key in signing.signers(model.container)]
        except errors.FailedPreconditionError:  # what would check them is not installed
            signers = None
        return {
            "model": model.container.path,
            "digest": f"sha256:{model.container.digest}",
            "signers": signers,
            "signatures": {
                name: {
                    side: {tensor: tensor_text(info) for tensor, info in getattr(signature, side).items()}
                    for side in ("inputs", "outputs")
                }
                for name, signature in model.signatures.items()
            },
            "functions": {str(o["name"]): len(o["traces"]) for o in objects if o["kind"] == "function"},
            "variables": _variables(model),
            "files": {name: listed.size for name, listed in model.container.files.items()},
            "ops": dict(ops.most_common()),
            "python_functions": {
                f"sha256:{digest}": {"label": body.label, "source": body.manifest.sources}
                for digest, body in bodies.items()
            },
        }


def _lines(model: Inspected) -> Iterator[str]:
    files = model.container.files
    size = sum(listed.size for listed in files.values())
    yield f"{printable(model.container.path)}: {size:,} bytes in {len(files)} files"
    yield f"  digest  sha256:{model.container.digest}"
    for line in _signed(model):
        yield f"  {line}"
    yield ""
    yield "Signatures"
    for name, signature in sorted(model.signatures.items()):
        inputs, outputs = (_tensors(side) for side in (signature.inputs, signature.outputs))
        yield f"  {printable(name)}({inputs}) -> {outputs}"
    if not model.signatures:
        yield "  none"
    yield ""
    yield "Functions"
    for said in model.said["objects"]:
        if said["kind"] == "function":
            yield f"  {printable(str(said['name']))}: {len(said['traces'])} traces"
    variables = _variables(model)
    yield ""
    yield f"Variables ({len(variables)})"
    for said in variables:
        frozen = ", not trainable" if said["trainable"] is False else ""
        name, dtype, shape = (printable(str(said[part])) for part in ("name", "dtype", "shape"))
        yield f"  {name}: {dtype} {shape}{frozen}"
    assets = [name for name in files if name.startswith(f"{ASSETS}/")]
    if assets:
        yield ""
        yield "Files"
        yield from (f"  {printable(name)}: {files[name].size:,} bytes" for name in assets)
    yield ""
    yield "Ops"
    for op, count in _ops(model).most_common(_MOST_OPS):
        yield f"  {count:6} {printable(op)}"
    yield ""
    bodies = {body.digest: body for body in model.bodies.values()}
    yield f"Python functions ({len(bodies)})"
    for number, body in enumerate(bodies.values()):
        yield described(number + 1, body)


def _ops(model: Inspected) -> Counter[str]:
    """Op type -> its nodes in the functions of a model; of a session, in its graph too."""
    inside = [node.op for function in model.library for node in function.node_def]
    return Counter([*inside, *(node.op for node in model.graph_def.node if model.holds_session)])


def _variables(model: Inspected) -> list[dict[str, Any]]:
    """The name, the dtype, the shape of each variable, and whether it is trainable."""
    if not model.holds_session:
        fields = ("name", "dtype", "shape", "trainable")
        return [{f: o[f] for f in fields} for o in model.said["objects"] if o["kind"] == "variable"]
    return variables_of_graph(model.meta)


def variables_of_graph(meta: Any) -> list[dict[str, Any]]:
    """The variables that are nodes of the graph of a `MetaGraphDef`, as `described_variable` describes them."""
    trainable = _trainable(meta)
    return [
        described_variable(
            node.name,
            node.attr["dtype"].type,
            node.attr["shape"].shape,
            None if trainable is None else node.name in trainable,
        )
        for node in meta.graph_def.node
        if node.op == "VarHandleOp" or node.op in REFERENCES
    ]


def described_variable(name: str, dtype: int, shape: Any, trainable: bool | None) -> dict[str, Any]:
    """A variable for programs.

    Args:
      name: its name.
      dtype: the number of its type in messages.
      shape: its `TensorShapeProto`.
      trainable: whether it is trainable; None if the model does not record it.
    """
    said: TensorShape = shape_in(shape)
    dims = None if said._dims is None else list(said._dims)
    return {"name": name, "dtype": dtype_of(dtype).name, "shape": dims, "trainable": trainable}


def _trainable(meta: Any) -> set[str] | None:
    """The names of the variables of a collection; None if there is no such collection."""
    from inlay._src.base.protos.saved_model import VariableDef
    from inlay._src.base.protos.schema import parsed

    if _TRAINABLE not in meta.collection_def:
        return None
    listed = meta.collection_def[_TRAINABLE].bytes_list.value
    return {parsed(VariableDef, data).variable_name.partition(":")[0] for data in listed}


def _signed(model: Inspected) -> Iterator[str]:
    try:
        keys = signing.signers(model.container)
    except errors.FailedPreconditionError as error:
        yield f"signed  not checked: {error}"
        return
    yield from (f"signed  by ed25519:{key}" for key in keys)
    if not keys:
        yield "signed  by nobody"


def _tensors(infos: Any) -> str:
    return ", ".join(f"{printable(name)}: {tensor_text(info)}" for name, info in sorted(infos.items())) or "nothing"


def tensor_text(info: Any) -> str:
    """A `TensorInfo` as text: `float32 (None, 2)`."""
    try:
        dtype = dtype_of(info.dtype).name
    except ValueError:
        dtype = f"type {info.dtype}"
    sizes = None if info.tensor_shape.unknown_rank else [d.size if d.size >= 0 else None for d in info.tensor_shape.dim]
    return f"{dtype} {TensorShape(sizes)}"
