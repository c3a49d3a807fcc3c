"""Saved models of 1.x: the graph of a session, its variables, and what it takes and gives by name."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.core.graph import Graph, static_value_of
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.hash_tables.table_ops import HANDLES
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.graph_def.exporting import PRODUCER, TENSORFLOW, Audience, Library, graph_def
from inlay._src.programs.graph_def.foreign import ForeignModel, checked_functions
from inlay._src.programs.graph_def.host_functions import Hosts
from inlay._src.programs.graph_def.node_names import free_name
from inlay._src.saved import container
from inlay._src.saved.loading import Inspected
from inlay._src.saved.objects import OBJECTS_VERSION, SESSION_GRAPH
from inlay._src.saved.options import SaveOptions
from inlay._src.saved.saver_nodes import SavedVariable, add_saver
from inlay._src.saved.saving import DEFAULT, SERVE, packing
from inlay._src.saved.serving_graph import MAIN_OP
from inlay._src.saved.signature_defs import predict_signature_def
from inlay._src.saved.stored_values import VARIABLES
from inlay._src.saved.tensorflow_models.loading import load_into_session
from inlay._src.saved.tensorflow_models.model import ASSETS, TensorFlowModel, is_tensorflow_model
from inlay._src.training import meta_graph, tensor_bundle

LEGACY_INIT_OP = "legacy_init_op"
"""With `MAIN_OP`, the collections of the operation that runs when a model is loaded."""


@export("compat.v1.saved_model.simple_save")
def simple_save(
    session: Any, export_dir: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any], legacy_init_op: Any = None
) -> None:
    """Saves the graph of a session with the values of its variables and the files of its tables, without devices.

    Args:
      session: the session.
      export_dir: the folder.
      inputs, outputs: name -> tensor of the graph: the signature `serving_default`.
      legacy_init_op: an operation that runs when the model is loaded, or None.
    """
    builder = Builder(export_dir)
    signature = predict_signature_def(inputs, outputs)
    files = meta_graph.graph_of(session).get_collection(GraphKeys.ASSET_FILEPATHS)
    builder.add_meta_graph_and_variables(
        session, [SERVE], {DEFAULT: signature}, files, main_op=legacy_init_op, clear_devices=True
    )
    builder.save()


@export("compat.v1.saved_model.Builder", "compat.v1.saved_model.builder.SavedModelBuilder")
class Builder:
    """Saves the graph of a session.

    Args:
      export_dir: the folder. It is written by `save`, in one step.
    """

    def __init__(self, export_dir: Any) -> None:
        self._path = path_of(export_dir)
        self._given: tuple[Any, ...] | None = None

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Takes the graph of a session, and the values that its variables have now.

        Args:
          sess: the session.
          tags: labels of the graph's purpose.
          signature_def_map: name -> `SignatureDef`.
          assets_collection: constants of the graph, each the path of a file that is copied into the model: such as the
            collection `ASSET_FILEPATHS`, in which tables put the files that they are filled from.
          main_op, legacy_init_op: an operation of the graph that runs when the model is loaded, or None.
            `tables_initializer()` fills tables.
          clear_devices: whether the nodes are saved without their devices.
          strip_default_attrs, saver: accepted and ignored.

        Raises:
          TypeError: if what runs at loading is no operation, or what should be the path of a file no constant of it.
          ValueError: if the graph has such an operation in a collection already.
          FileNotFoundError: if there is no such file.
          UnimplementedError: for a second graph: a model has one; and for a graph with a table that can change.
          FailedPreconditionError: if a variable has no value.
        """
        if self._given is not None:
            raise errors.UnimplementedError(
                None, None, "a saved model has one graph here: save another model for another"
            )
        graph = meta_graph.graph_of(sess)
        changing = {opdef.name for kind, opdef in HANDLES.items() if kind != "HashTable"}
        for node in graph.nodes:
            if node.type in changing:
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"the graph has the table {node.name!r}, defined at {node.site}, whose contents are not saved with "
                    "the graph of a session: create it while executing eagerly, and save the object that uses it with "
                    "tf.saved_model.save",
                )
        assets = _assets(assets_collection or ())
        _add_init_op(graph, main_op, MAIN_OP)
        _add_init_op(graph, None if main_op is not None else legacy_init_op, LEGACY_INIT_OP)
        variables = list({id(v): v for v in _variables(graph)}.values())
        values = dict(zip((v.name for v in variables), zip(sess.run(variables), variables, strict=True), strict=True))
        self._given = graph, list(tags), dict(signature_def_map or {}), values, assets, clear_devices

    def save(self, as_text: bool = False) -> str:
        """Writes the folder; returns its path.

        Raises:
          ValueError: if there is no graph.
          InvalidArgumentError, TypeError: for a Python function that cannot travel.
        """
        if self._given is None:
            raise ValueError("there is nothing to save: call add_meta_graph_and_variables first")
        from inlay._src.base.protos.saved_model import SavedModel

        graph, tags, signatures, values, assets, clear_devices = self._given
        arrays: dict[str, Any] = {}
        library = Library(packing=packing(SaveOptions(), arrays, _no_variables), audience=Audience.BOTH)
        model = SavedModel(saved_model_schema_version=1)
        meta = model.meta_graphs.add()
        meta.CopyFrom(meta_graph.written(graph, graph_def=graph_def(graph, library=library)))
        meta.meta_info_def.tags.extend(tags)
        meta.graph_def.versions.producer = PRODUCER
        meta.meta_info_def.tensorflow_version = f"{TENSORFLOW}.0"
        if clear_devices:
            meta_graph.without_devices(meta.graph_def)
        for name, signature in signatures.items():
            meta.signature_def[name].CopyFrom(signature)
        for tensor, (file, _) in assets.items():
            meta.asset_file_def.add(filename=file).tensor_info.name = tensor
        add_saver(
            meta, [SavedVariable(name.removesuffix(":0"), v.handle.op.name, v.dtype) for name, (_, v) in values.items()]
        )
        said = {"version": OBJECTS_VERSION, "objects": [{"kind": SESSION_GRAPH}], "traces": [], "signatures": {}}
        with container.writing(self._path) as draft:
            container.write_file(os.path.join(draft, container.GRAPH), model.SerializeToString(deterministic=True))
            container.write_file(os.path.join(draft, container.OBJECTS), json.dumps(said).encode())
            os.makedirs(os.path.join(draft, os.path.dirname(VARIABLES)))
            stored = {name.removesuffix(":0"): (value, v.dtype) for name, (value, v) in values.items()}
            tensor_bundle.write(os.path.join(draft, VARIABLES), stored, {})
            for digest, memory in arrays.items():
                container.write_file(os.path.join(draft, "arrays", digest), memory.data)
            for file, path in dict(assets.values()).items():
                os.makedirs(os.path.join(draft, ASSETS), exist_ok=True)
                shutil.copyfile(path, os.path.join(draft, ASSETS, file))
        return self._path


def _assets(tensors: Iterable[Any]) -> dict[str, tuple[str, str]]:
    """Name of a constant that is the path of a file -> (its name in the model, the path)."""
    assets: dict[str, tuple[str, str]] = {}
    files: dict[str, str] = {}  # path -> the name of its copy
    for tensor in tensors:
        value = static_value_of(tensor) if isinstance(tensor, SymbolicTensor) else None
        if value is None or value.ndim or tensor.dtype is not dtypes.string or tensor.op.type != "Const":
            raise TypeError(
                f"assets_collection= must list scalar string constants of the graph, paths of files, got {tensor}"
            )
        path = os.fsdecode(value.item())
        if not os.path.isfile(path):
            raise FileNotFoundError(f"an asset must be a file, and there is none at {path}")
        if path not in files:
            files[path] = free_name(os.path.basename(path), files.values())
        assets[tensor.name] = files[path], path
    return assets


def _add_init_op(graph: Graph, op: Any, name: str) -> None:
    """Puts the operation that runs when a model is loaded into its collection."""
    if op is None:
        return
    if not isinstance(op, Operation):
        raise TypeError(f"the operation that runs when the model is loaded must be an Operation, got {op!r}")
    for taken in (MAIN_OP, LEGACY_INIT_OP):
        if graph.get_collection(taken):
            raise ValueError(f"Graph already contains one or more main ops under the collection {taken}.")
    graph.add_to_collection(name, op)


def _variables(graph: Graph) -> list[Any]:
    return [v for name in ("variables", "local_variables") for v in graph.get_collection(name)]


def _no_variables(variables: Sequence[Any], label: str) -> list[str]:
    if variables:
        raise TypeError(f"{label} cannot be saved with a graph: it uses the variable {variables[0].name} of Python")
    return []


@export("compat.v1.saved_model.load", "compat.v1.saved_model.loader.load")
def load(
    sess: Any,
    tags: Sequence[str],
    export_dir: Any,
    import_scope: str | None = None,
    *,
    trust: Any = None,
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
    **saver_kwargs: Any,
) -> ProtoMessage:
    """Adds a saved graph to that of a session, and gives its variables their values there.

    Args:
      sess: the session.
      tags: labels of the graph's purpose; the graph must have been saved with the same.
      export_dir: the folder.
      import_scope: a prefix for the names of its nodes.
      trust, host_functions: the Python functions that may run: see `saved_model.load`.
      **saver_kwargs: accepted and ignored.

    Returns:
      The `MetaGraphDef`, with `signature_def`.

    Raises:
      NotFoundError, OSError: if there is no saved model.
      RuntimeError: if its graph has other tags.
      DataLossError, PermissionDeniedError: see `saved_model.load`.
    """
    path = path_of(export_dir)
    if not os.path.lexists(os.path.join(path, container.MANIFEST)) and is_tensorflow_model(path):
        model = TensorFlowModel(path, tags)
        with model.folder.guard(container.GRAPH):
            hosts = Hosts(model.library, trust)
        load_into_session(sess, model, hosts, ForeignModel(checked_functions(host_functions)), import_scope or "")
        return model.meta  # type: ignore[no-any-return]
    inspected = Inspected(path)
    if set(inspected.meta.meta_info_def.tags) != set(tags):
        raise RuntimeError(
            f"MetaGraphDef associated with tags {sorted(tags)} could not be found in SavedModel: it has "
            f"{sorted(inspected.meta.meta_info_def.tags)}"
        )
    model, hosts = inspected.as_session(trust)
    load_into_session(sess, model, hosts, ForeignModel({}), import_scope or "")
    return inspected.meta  # type: ignore[no-any-return]
