"""Graphs, models and checkpoints in the formats that this version writes: `inlay convert`.

frozen graph                 ─▶ a saved model with one signature
saved model of TensorFlow 1  ─▶ a saved model with the same signatures, whose variables are constants
another saved model          ─▶ the same objects, loaded and saved again
checkpoint in an .npz file   ─▶ a tensor bundle
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files.allowance import allowance
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.core.state import handle_key
from inlay._src.host.bodies.trust import Trust
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import trace
from inlay._src.programs.graph_def import graph_util
from inlay._src.programs.graph_def.foreign import ForeignModel
from inlay._src.programs.graph_def.host_functions import Hosts, bodies_of
from inlay._src.programs.graph_def.importing import add_nodes
from inlay._src.programs.module import Module
from inlay._src.programs.session.options import ConfigProto
from inlay._src.programs.session.session import Session
from inlay._src.saved import loading, saving
from inlay._src.saved.container import GRAPH
from inlay._src.saved.loaded import AbsentTrace, Signatures
from inlay._src.saved.tensorflow_models import coverage
from inlay._src.saved.tensorflow_models.loading import load_into_session
from inlay._src.saved.tensorflow_models.model import TensorFlowModel, has_no_manifest
from inlay._src.saved.tensorflow_models.session_graph import SessionGraph, function_of_signature
from inlay._src.training import checkpoint_files, npz_checkpoint

_WITHOUT_VALUE = frozenset({"Assert", "Const", "NoOp", "Placeholder"})
"""Ops whose nodes are no results, although nothing takes them."""
_WRITTEN_BY_READER = ("format", "version", "entries")


def convert(
    source: str,
    target: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    tags: Sequence[str] = (),
    trust: Any = None,
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
) -> str:
    """Writes a model, a graph or a checkpoint in the format of this version.

    Args:
      source: the folder of a saved model, a file with a `GraphDef`, or a checkpoint in an `.npz` file.
      target: the folder of the model, or the prefix of the checkpoint, that is written.
      inputs, outputs: of a graph: the names of nodes or tensors. By default these are its placeholders, and the nodes
        that nothing takes.
      tags: of a model of TensorFlow with several graphs: the labels of the one that is meant.
      trust: see `saved_model.load`.
      host_functions: the functions for the calls of Python in a model of TensorFlow; see `saved_model.load`. The model
        that is written holds them.

    Returns:
      A sentence about the result.

    Raises:
      AlreadyExistsError: if something else is at `target`.
      ValueError, OpError: if the source cannot be read or saved.
    """
    if os.path.isdir(source):
        return _model(source, target, tags, trust, host_functions or {})
    if host_functions:
        raise ValueError("host_functions= is for saved models of TensorFlow")
    if os.path.isfile(source) and source.endswith((".pb", ".pbtxt")):
        return _graph(source, target, inputs, outputs, trust)
    return _checkpoint(source, target)


# ---------------------------------------------------------------- saved models


def _model(
    source: str, target: str, tags: Sequence[str], trust: Any, host_functions: Mapping[str, Callable[..., Any]]
) -> str:
    root = loading.load(source, tags=list(tags) or None, trust=trust, host_functions=host_functions)
    every: Mapping[str, Any] = getattr(root, "signatures", Signatures({}))
    absent = sorted(name for name, function in every.items() if isinstance(function, AbsentTrace))
    said = f", and lacks those that cannot run: {', '.join(absent)}" if absent else ""
    if isinstance(root, SessionGraph):
        signatures = _frozen(*_session(source, tags, trust), ForeignModel(host_functions), absent)
        root = Module()
        said += "; variables of TensorFlow 1 became constants"
    else:
        signatures = {name: _named(name, function) for name, function in every.items() if name not in absent}
    saving.save(root, target, signatures=signatures)
    return f"{target} has {_counted(signatures)}{said}"


def _counted(signatures: Mapping[str, Any]) -> str:
    return f"the signatures {', '.join(sorted(signatures))}" if signatures else "no signatures"


def _named(name: str, function: ConcreteFunction) -> ConcreteFunction:
    """A signature whose inputs have the names of its keyword arguments."""
    specs = function.structured_input_signature[1]
    taken = [tensor.op.name for tensor in function.program.graph.inputs]
    if taken[: len(specs)] == list(specs) or not all(isinstance(spec, TensorSpec) for spec in specs.values()):
        return function
    named = {key: TensorSpec(spec.shape, spec.dtype, key) for key, spec in specs.items()}
    bound = arguments.bind((), (), named, None)
    with context.using(context.EAGER):
        return trace(lambda **tensors: function(**tensors), name, bound)


def _session(source: str, tags: Sequence[str], trust: Any) -> tuple[TensorFlowModel, Hosts, Trust]:
    """The graph of a session, its Python functions, and what may run of it."""
    if has_no_manifest(source):
        model, trusted = TensorFlowModel(source, list(tags) or None), Trust.of(trust)
        with model.folder.guard(GRAPH):
            return model, Hosts(model.library, trusted), trusted
    inspected = loading.Inspected(source)
    trusted = inspected.allow(trust)
    return *inspected.as_session(trusted), trusted


def _frozen(
    model: TensorFlowModel, hosts: Hosts, trust: Trust, foreign: ForeignModel, absent: Collection[str]
) -> dict[str, Any]:
    """The signatures of a model of TensorFlow 1, without those that are absent, and with its variables as constants."""
    signatures = {name: signature for name, signature in model.signatures.items() if name not in absent}
    graph, names = Graph(), _nodes(signatures)
    with graph.as_default(), Session(graph=graph, config=ConfigProto(allow_soft_placement=True)) as session:
        load_into_session(session, model, hosts, foreign, "")
        try:
            message = graph_util.convert_variables_to_constants(session, graph.as_graph_def(), names)
        except ValueError as error:  # something changes a variable
            raise _stateful(model.folder.path, str(error).partition(". ")[0]) from error
    bodies = bodies_of(message.library.function).values()  # those of the model, which may run, and those supplied
    trusted = trust.with_digests(held.body.digest for held in bodies)
    return _signatures(message, signatures, trusted, model.folder.path)


def _nodes(signatures: Mapping[str, Any]) -> list[str]:
    """The nodes that signatures name."""
    infos = [info for s in signatures.values() for side in (s.inputs, s.outputs) for info in side.values()]
    return list(dict.fromkeys(graph_util.node_name(r) for info in infos for r in coverage.tensors_of(info)))


def _stateful(source: str, why: str) -> errors.UnimplementedError:
    return errors.UnimplementedError(
        None,
        None,
        f"{source} cannot be converted: {why}. Load it into a session with tf.compat.v1.saved_model.load, if it is a "
        "saved model, or freeze the graph where its variables have values",
    )


# ---------------------------------------------------------------- graphs


def _graph(source: str, target: str, inputs: Sequence[str], outputs: Sequence[str], trust: Any) -> str:
    from inlay._src.base.protos.saved_model import SignatureDef

    message = coverage.read_graph(source)
    taken = {graph_util.node_name(reference) for node in message.node for reference in node.input}
    inputs = inputs or [node.name for node in message.node if node.op == "Placeholder"]
    outputs = outputs or [n.name for n in message.node if n.name not in taken and n.op not in _WITHOUT_VALUE]
    if not outputs:
        raise ValueError(f"{source}: every node is taken by another one: name the outputs with --output")
    signature = SignatureDef()
    for side, names in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for name in names:
            node, _, index = name.partition(":")
            key = node.replace("/", "_") + (f"_{index}" if index not in ("", "0") else "")
            side[key].name = f"{node}:{index or 0}"
    signatures = _signatures(message, {saving.DEFAULT: signature}, trust, source)
    saving.save(Module(), target, signatures=signatures)
    sides = (", ".join(sorted(side)) or "nothing" for side in (signature.inputs, signature.outputs))
    return f"{target} has the signature {saving.DEFAULT} from {' to '.join(sides)}"


def _signatures(message: Any, signatures: Mapping[str, Any], trust: Any, source: str) -> dict[str, Any]:
    """The functions of signatures of a graph without variables.

    Raises:
      UnimplementedError: if one of them needs a variable, a table or a node that is not here.
    """
    hosts, foreign = Hosts(message.library.function, trust), ForeignModel({})
    bound = arguments.bind((), (), {}, None)
    with allowance(message.ByteSize()), context.using(context.EAGER):
        wrapped = trace(lambda: add_nodes(message, hosts, "", foreign=foreign), "graph", bound, in_v1=True)
    functions = {name: function_of_signature(wrapped, name, signature) for name, signature in signatures.items()}
    for name, function in functions.items():
        if isinstance(function, AbsentTrace):
            function()  # raises the error that says why
        held = next((node.name for node in function.program.graph.nodes if _is_state(node)), None)
        if held is not None:
            raise _stateful(
                source, f"'{held}' is the state of a variable, a table or random numbers, which the graph does not hold"
            )
        functions[name] = _named(name, function)
    return functions


def _is_state(node: Any) -> bool:
    """Whether a node gives the handle of a variable or of a table."""
    return any(tensor.dtype is dtypes.resource and handle_key(tensor) is not None for tensor in node.outputs)


# ---------------------------------------------------------------- checkpoints


def _checkpoint(source: str, target: str) -> str:
    main = checkpoint_files.main_file(source)
    if main is None:
        raise errors.NotFoundError(None, None, f"there is no saved model, graph or checkpoint at {source}")
    if not main.endswith(npz_checkpoint.SUFFIX):
        raise ValueError(f"{source} is a tensor bundle already, the format of checkpoints")
    occupied: Iterable[str] = checkpoint_files.files_of(target)
    for file in occupied:
        raise errors.AlreadyExistsError(None, None, f"cannot write the checkpoint {target}: {file} exists")
    with checkpoint_files.opened(source) as reader:
        extra = {key: value for key, value in reader.manifest.items() if key not in _WRITTEN_BY_READER}
        with allowance(os.path.getsize(main)):
            values = {name: (reader.read(name), reader.dtype(name)) for name in reader.entries}
        checkpoint_files.write(target, values, extra)
    return f"{target} has {len(values)} values"
