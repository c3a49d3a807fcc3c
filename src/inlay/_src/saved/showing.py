"""A saved model as text; nothing of it is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types.shapes import TensorShape
from inlay._src.host.bodies.trust import described, printable
from inlay._src.programs.graph_def.attributes import dtype_of
from inlay._src.saved import signing
from inlay._src.saved.container import OBJECTS
from inlay._src.saved.loading import Inspected

_MOST_OPS = 40


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
        ops = Counter(node.op for function in model.library for node in function.node_def)
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
            "variables": [
                {field: o[field] for field in ("name", "dtype", "shape", "trainable")}
                for o in objects
                if o["kind"] == "variable"
            ],
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
    variables = [said for said in model.said["objects"] if said["kind"] == "variable"]
    yield ""
    yield f"Variables ({len(variables)})"
    for said in variables:
        frozen = "" if said["trainable"] else ", not trainable"
        name, dtype, shape = (printable(str(said[part])) for part in ("name", "dtype", "shape"))
        yield f"  {name}: {dtype} {shape}{frozen}"
    assets = [said["file"] for said in model.said["objects"] if said["kind"] == "asset"]
    if assets:
        yield ""
        yield "Files"
        yield from (f"  {printable(name)}: {files[name].size:,} bytes" for name in assets if name in files)
    yield ""
    yield "Ops"
    counted = Counter(node.op for function in model.library for node in function.node_def)
    for op, count in counted.most_common(_MOST_OPS):
        yield f"  {count:6} {printable(op)}"
    yield ""
    bodies = {body.digest: body for body in model.bodies.values()}
    yield f"Python functions ({len(bodies)})"
    for number, body in enumerate(bodies.values()):
        yield described(number + 1, body)


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
