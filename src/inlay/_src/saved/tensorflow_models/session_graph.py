"""A saved model of TensorFlow 1: the graph of a session, its signatures by tensors, and how it is restored.

While executing eagerly the graph becomes a function graph that holds its variables and tables; each signature is the
part of it between the tensors that the signature names. In a session it is added to the session's graph.

A model says how it is loaded by names of nodes: `saver_def` restores variables, and the main operation fills tables
from files. Both may only do that: see `confined`. The restore operation is fed a name of the checkpoint, which is open.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.variables import creating
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import trace
from inlay._src.programs.functions.pruning import pruned
from inlay._src.programs.graph_def.foreign import ForeignModel
from inlay._src.programs.graph_def.host_functions import Hosts
from inlay._src.programs.graph_def.importing import add_nodes
from inlay._src.saved.loaded import AbsentTrace, LoadedObject, Signatures
from inlay._src.saved.tensorflow_models.confined import check
from inlay._src.saved.tensorflow_models.model import VARIABLES, TensorFlowModel
from inlay._src.training import meta_graph
from inlay._src.training.checkpoint_ops import readable

MAIN_OPS = ("saved_model_main_op", "main_op", "legacy_init_op")
"""The collections of the operation that runs when a model is loaded."""
INIT = "__saved_model_init_op"
"""The signature, and its output, that names the same."""
_ASSETS = "saved_model_assets"


class SessionGraph(LoadedObject):
    """A saved model of TensorFlow 1 while executing eagerly.

    Attributes:
      graph: its graph.
      prune: makes a function of a part of it; see `ConcreteFunction.prune`.
      signatures: name -> function.
      variables: its variables.
    """


def loaded_eagerly(model: TensorFlowModel, hosts: Hosts, foreign: ForeignModel) -> SessionGraph:
    """The graph of a model as an object with signatures."""
    with context.using(context.EAGER):
        bound = arguments.bind((), (), {}, None)
        wrapped = trace(lambda: _added(model, hosts, foreign, ""), "session_graph", bound, in_v1=True)
    graph = wrapped.graph
    with closing(_steps(model, graph, "")) as steps:
        for operation, feeds in steps:
            run = wrapped.prune(list(feeds), operation)
            with _damage(model):
                run(*[convert_to_tensor(value, tensor.dtype) for tensor, value in feeds.items()])
    root = SessionGraph("session_graph")
    attributes = vars(root)
    attributes["graph"], attributes["prune"] = graph, wrapped.prune
    attributes["variables"] = _eager_variables(graph)
    attributes["trainable_variables"] = [v for v in attributes["variables"] if v.trainable]
    attributes["signatures"] = Signatures(
        {n: function_of_signature(wrapped, n, s) for n, s in model.signatures.items()}
    )
    return root


@contextmanager
def _damage(model: TensorFlowModel) -> Iterator[None]:
    """In the block a model is restored: values that do not fit it are damage."""
    try:
        yield
    except (errors.InvalidArgumentError, errors.FailedPreconditionError) as error:
        raise model.folder.damaged(VARIABLES, errors.said_by(error)) from error


def _eager_variables(graph: Any) -> list[Variable]:
    """The variables of a graph, which may be used where nothing is traced from now on."""
    for key in graph.collections:
        for item in graph.get_collection(key):
            handle = item.handle if isinstance(item, Variable) else None
            if isinstance(handle, SymbolicTensor) and graph.outside(handle) is not None:
                creating.made_eager(item, graph.outside(handle))
    every = [item for item in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if isinstance(item, Variable)]
    return list({id(item): item for item in every}.values())


def _added(model: TensorFlowModel, hosts: Hosts, foreign: ForeignModel, prefix: str) -> None:
    """Adds the nodes and collections of a model to the graph in force."""
    add_nodes(model.meta.graph_def, hosts, prefix, foreign=foreign)
    meta_graph.add_collections(graphs.default_graph(), model.meta, prefix, without=(_ASSETS,))


def main_op(meta: Any) -> str | None:
    """The name of the operation that runs when a model is loaded; None if there is none."""
    if INIT in meta.signature_def:
        return str(meta.signature_def[INIT].outputs[INIT].name.partition(":")[0])
    for name in MAIN_OPS:
        nodes = meta.collection_def[name].node_list.value if name in meta.collection_def else ()
        if nodes:
            return str(nodes[0])
    return None


def asset_feeds(model: TensorFlowModel) -> Iterator[tuple[str, str]]:
    """(name of the tensor that holds its path, path) of each file of a model."""
    from inlay._src.base.protos.saved_model import AssetFileDef
    from inlay._src.base.protos.schema import parsed

    files = list(model.meta.asset_file_def)
    if not files and _ASSETS in model.meta.collection_def:
        files = [parsed(AssetFileDef, item.value) for item in model.meta.collection_def[_ASSETS].any_list.value]
    seen: dict[str, str] = {}
    for file in files:
        seen.setdefault(file.tensor_info.name, model.asset(file.filename))
    yield from seen.items()


# ---------------------------------------------------------------- signatures


def function_of_signature(wrapped: ConcreteFunction, name: str, signature: Any) -> Any:
    """The function of a signature: keyword arguments, and a dict of results.

    Args:
      wrapped: the trace of the whole graph.
      name: the name of the signature.
      signature: the `SignatureDef`.
    """
    try:
        inputs = {key: _tensors(wrapped.graph, signature.inputs[key]) for key in sorted(signature.inputs)}
        outputs = {key: _value(wrapped.graph, signature.outputs[key]) for key in sorted(signature.outputs)}
        feeds = [tensor for tensors in inputs.values() for tensor in tensors]
        traced, _ = pruned(wrapped.graph, feeds, outputs, name)
    except errors.UnimplementedError as error:
        return AbsentTrace(name, error.message)
    specs = {key: _spec(key, tensors) for key, tensors in inputs.items()}
    concrete = ConcreteFunction(traced, arguments.bind((), (), specs, None))
    return concrete


def _tensors(graph: Graph, info: Any) -> list[SymbolicTensor]:
    """The tensors of a graph that a `TensorInfo` names, the parts of a sparse one."""
    if info.WhichOneof("encoding") == "coo_sparse":
        parts = info.coo_sparse
        names = [parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name]
    else:
        names = [info.name]
    return [graph.get_tensor_by_name(name) for name in names]


def _value(graph: Graph, info: Any) -> Any:
    """A result: a tensor, a sparse tensor, or the value of a variable whose handle is named."""
    tensors = _tensors(graph, info)
    if len(tensors) == 3:
        return SparseTensor(*tensors)
    (tensor,) = tensors
    if tensor.dtype is dtypes.resource and info.dtype != dtypes.resource.as_datatype_enum:
        reads = [n for n in tensor.consumers() if n.type == "ReadVariableOp" and not n.control_inputs]
        if not reads:
            raise ValueError(f"nothing reads the variable {tensor.name}, which is a result")
        return reads[0].outputs[0]
    return tensor


def _spec(key: str, tensors: Sequence[SymbolicTensor]) -> Any:
    if len(tensors) == 1:
        return TensorSpec(tensors[0].shape, tensors[0].dtype, key)
    return SparseTensor(*tensors)._type_spec


# ---------------------------------------------------------------- in a session


def loaded_into(sess: Any, model: TensorFlowModel, hosts: Hosts, foreign: ForeignModel, import_scope: str) -> None:
    """Adds a model to the graph of a session, gives its variables their values there, and runs its main operation."""
    graph = meta_graph.graph_of(sess)
    with graph.as_default():
        prefix = meta_graph.prefix_of(import_scope)
        _added(model, hosts, foreign, prefix)
    with closing(_steps(model, graph, prefix)) as steps:
        for operation, feeds in steps:
            with _damage(model):
                sess.run(operation, feeds)


# ---------------------------------------------------------------- what runs when a model is loaded


def _steps(
    model: TensorFlowModel, graph: Graph, prefix: str
) -> Generator[tuple[Operation, dict[SymbolicTensor, Any]], None, None]:
    """The operations that give variables and tables their values, each with the values that it is fed.

    Args:
      model: the model.
      graph: the graph that its nodes were added to.
      prefix: the prefix of their names there.
    """
    saver = model.meta.saver_def
    if model.has_variables and saver.restore_op_name:
        restore = graph.get_operation_by_name(prefix + saver.restore_op_name)
        path = graph.get_tensor_by_name(prefix + saver.filename_tensor_name)
        check(model.folder.path, graph, "its restore operation", [restore], [path])
        with _damage(model), model.variables() as reader, readable(reader) as name:
            yield restore, {path: name}
    main = main_op(model.meta)
    if main is not None:
        feeds = {graph.get_tensor_by_name(prefix + name): file for name, file in asset_feeds(model)}
        operation = graph.get_operation_by_name(prefix + main)
        check(model.folder.path, graph, "its main operation", [operation], list(feeds), python=model.has_bodies)
        yield operation, feeds
