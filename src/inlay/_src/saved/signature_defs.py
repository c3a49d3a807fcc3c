"""`SignatureDef` messages: the tensors that a saved graph takes and gives, by name, and whether a server can run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.base.types.nest import Composite
from inlay._src.core import context
from inlay._src.core.eager.attributes import text
from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.serialized import make_tensor_proto
from inlay._src.saved.saving import METHOD, tensor_info

CLASSIFY, REGRESS = "tensorflow/serving/classify", "tensorflow/serving/regress"
_SERVED = {
    CLASSIFY: {"classes": dtypes.string, "scores": dtypes.float32},
    REGRESS: {"outputs": dtypes.float32},
}
"""The outputs of the methods that take serialized examples, which are named `inputs`."""


@export(
    "compat.v1.saved_model.predict_signature_def", "compat.v1.saved_model.signature_def_utils.predict_signature_def"
)
def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> ProtoMessage:
    """A `SignatureDef` of tensors by name.

    Raises:
      ValueError: if there is no input or no output.
    """
    if not inputs or not outputs:
        raise ValueError(f"Prediction `{'outputs' if inputs else 'inputs'}` cannot be None or empty.")
    input_infos, output_infos = ({name: build_tensor_info(t) for name, t in side.items()} for side in (inputs, outputs))
    return build_signature_def(input_infos, output_infos, METHOD)


@export(
    "compat.v1.saved_model.classification_signature_def",
    "compat.v1.saved_model.signature_def_utils.classification_signature_def",
)
def classification_signature_def(examples: Tensor, classes: Tensor | None, scores: Tensor | None) -> ProtoMessage:
    """A `SignatureDef` of a classifier of serialized examples.

    Args:
      examples: a string tensor of a graph.
      classes: a string tensor, the labels; or None.
      scores: a float32 tensor; or None.

    Raises:
      ValueError: for other dtypes, and if there are neither classes nor scores.
    """
    if classes is None and scores is None and examples is not None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    return _served(CLASSIFY, "Classification", examples, {"classes": classes, "scores": scores})


@export(
    "compat.v1.saved_model.regression_signature_def",
    "compat.v1.saved_model.signature_def_utils.regression_signature_def",
)
def regression_signature_def(examples: Tensor, predictions: Tensor) -> ProtoMessage:
    """A `SignatureDef` of a regression over serialized examples.

    Args:
      examples: a string tensor of a graph.
      predictions: a float32 tensor.

    Raises:
      ValueError: for None and for other dtypes.
    """
    if predictions is None and examples is not None:
        raise ValueError("Regression `predictions` cannot be None.")
    return _served(REGRESS, "Regression", examples, {"outputs": predictions})


def _served(method: str, label: str, examples: Any, outputs: Mapping[str, Tensor | None]) -> Any:
    if examples is None:
        raise ValueError(f"{label} `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(f"{label} `examples` must be a string Tensor. Found `examples` of type {type(examples)}.")
    infos = {"inputs": build_tensor_info(examples)}
    infos.update((name, build_tensor_info(tensor)) for name, tensor in outputs.items() if tensor is not None)
    for name, dtype in {"inputs": dtypes.string, **_SERVED[method]}.items():
        if name in infos and infos[name].dtype != dtype.as_datatype_enum:
            raise ValueError(
                f"{label} {name} must be a {dtype.name} Tensor. Found tensors with type {infos[name].dtype}."
            )
    return build_signature_def({"inputs": infos.pop("inputs")}, infos, method)


@export("compat.v1.saved_model.is_valid_signature", "compat.v1.saved_model.signature_def_utils.is_valid_signature")
def is_valid_signature(signature_def: Any) -> bool:
    """Whether a `SignatureDef` has the inputs and outputs of its method: to predict, to classify or to regress.

    Args:
      signature_def: the message; None is no signature.
    """
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    if signature_def.method_name == METHOD:
        return True
    expected = _SERVED.get(signature_def.method_name)
    if (
        expected is None
        or list(signature_def.inputs) != ["inputs"]
        or not expected.keys() >= set(signature_def.outputs)
    ):
        return False
    return signature_def.inputs["inputs"].dtype == dtypes.string.as_datatype_enum and all(
        info.dtype == expected[name].as_datatype_enum for name, info in signature_def.outputs.items()
    )


@export("compat.v1.saved_model.build_signature_def", "compat.v1.saved_model.signature_def_utils.build_signature_def")
def build_signature_def(
    inputs: Any = None, outputs: Any = None, method_name: str | None = None, defaults: Any = None
) -> ProtoMessage:
    """A `SignatureDef`.

    Args:
      inputs, outputs: name -> `TensorInfo`.
      method_name: the kind of the signature, as stored.
      defaults: name of an input -> its default, an eager tensor or a constant of a graph.

    Raises:
      ValueError: for a default that is no constant.
    """
    from inlay._src.base.protos.saved_model import SignatureDef

    signature = SignatureDef(method_name="" if method_name is None else text(method_name, "method_name"))
    for side, infos in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for name, info in (infos or {}).items():
            side[text(name, "inputs or outputs")].CopyFrom(info)
    for name, default in (defaults or {}).items():
        signature.defaults[text(name, "defaults")].CopyFrom(_constant(default))
    return signature


def _constant(tensor: Any) -> Any:
    """The `TensorProto` of a constant."""
    if isinstance(tensor, EagerTensor):
        return make_tensor_proto(tensor.numpy(), tensor.dtype)
    if isinstance(tensor, Tensor) and tensor.op.type == "Const":
        return make_tensor_proto(tensor.op.constant_value(), tensor.dtype)
    raise ValueError(f"Unable to convert object {tensor} of type {type(tensor)} to TensorProto.")


@export("compat.v1.saved_model.build_tensor_info", "compat.v1.saved_model.utils.build_tensor_info")
def build_tensor_info(tensor: Any) -> ProtoMessage:
    """A `TensorInfo` of a tensor of a graph.

    Args:
      tensor: the tensor; of a sparse one the message names its parts.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: for another composite tensor.
    """
    from inlay._src.base.protos.saved_model import TensorInfo

    if context.executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in Eager mode.")
    if isinstance(tensor, SparseTensor):
        info = TensorInfo(dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.shape.as_proto())
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
        return info
    if isinstance(tensor, Composite):
        raise ValueError(f"a TensorInfo describes a tensor or a SparseTensor here, not {type(tensor).__name__}")
    return tensor_info(tensor)


@export("compat.v1.saved_model.get_tensor_from_tensor_info", "compat.v1.saved_model.utils.get_tensor_from_tensor_info")
def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Tensor | SparseTensor:
    """The tensor of a graph that a `TensorInfo` names.

    Args:
      tensor_info: the message.
      graph: the graph; None is the default one.
      import_scope: the scope that names in the message are below.

    Returns:
      A tensor, or a SparseTensor of its parts.

    Raises:
      KeyError: if the graph has no such tensor.
      ValueError: if the message names none.
    """
    of = graph or default_graph()
    scope = f"{import_scope}/" if import_scope else ""
    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return of.get_tensor_by_name(scope + tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        names = (parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name)
        return SparseTensor(*(of.get_tensor_by_name(scope + name) for name in names))
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse` or `name`.")
