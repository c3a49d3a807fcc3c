"""`saved_model.load`: the objects of a saved model, and reading one without running anything (`Inspected`)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from inlay._src.base.export import export
from inlay._src.base.files.allowance import allowance, charge
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes, shapes
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import portable
from inlay._src.host.bodies.portable import PortableBody, Stored, runs_here
from inlay._src.host.bodies.trust import Trust
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.saved import LoadedFunction, bound_from_data, concrete_from_data
from inlay._src.programs.graph_def.foreign import ForeignModel, checked_functions
from inlay._src.programs.graph_def.host_functions import Hosts, bodies_of
from inlay._src.programs.graph_def.pickles import captured
from inlay._src.programs.graph_def.program_readers import Functions
from inlay._src.saved import container, graph_state, signing, tables
from inlay._src.saved.container import Container
from inlay._src.saved.loaded import LoadedCallable, LoadedObject, Signatures
from inlay._src.saved.objects import OBJECTS_VERSION, SESSION_GRAPH, Asset
from inlay._src.saved.session_model import SessionModel
from inlay._src.saved.stored_values import stored_values
from inlay._src.saved.tensorflow_models.loading import loaded_model
from inlay._src.saved.tensorflow_models.model import TensorFlowModel, has_no_manifest, is_tensorflow_model
from inlay._src.saved.tensorflow_models.session_graph import loaded_eagerly


class Inspected:
    """A saved model that was read; nothing of it was run.

    Args:
      path: its folder.

    Attributes:
      container: its files.
      message: the `SavedModel`.
      meta: the `MetaGraphDef` of its only graph.
      said: the contents of `objects.json`.
      bodies: name of a function of the library -> the Python function that it holds.

    Raises:
      NotFoundError, DataLossError, UnimplementedError: see `Container`.
    """

    def __init__(self, path: str) -> None:
        self.container = Container(path)
        with allowance(self.container.size):
            self._read()
        self.container.verify()

    def _read(self) -> None:
        """Reads the graph and the description of the objects."""
        from inlay._src.base.protos.saved_model import SavedModel
        from inlay._src.base.protos.schema import parsed

        data = self.container.read(container.GRAPH, container.MOST_GRAPH)
        with self.container.guard(container.GRAPH):
            self.message: Any = parsed(SavedModel, data)
            if len(self.message.meta_graphs) != 1:
                raise ValueError(f"it has {len(self.message.meta_graphs)} graphs, expected one")
            self.meta: Any = self.message.meta_graphs[0]
            self._names: dict[str, list[int]] = {}
            self.bodies: dict[str, PortableBody] = {}
            for name, (body, variables) in bodies_of(self.library, self.stored).items():
                self.bodies[name], self._names[name] = body, [int(v) for v in variables]
        said = self.container.json(container.OBJECTS, self.container.read(container.OBJECTS, container.MOST_JSON))
        version = said.get("version")
        if not isinstance(version, int) or version > OBJECTS_VERSION:
            raise self.container.damaged(container.OBJECTS, f"it is of version {version!r}")
        self.said: dict[str, Any] = said

    @property
    def library(self) -> Any:
        """The functions, as `FunctionDef`s."""
        return self.meta.graph_def.library.function

    @property
    def graph_def(self) -> Any:
        """The `GraphDef`."""
        return self.meta.graph_def

    @property
    def signatures(self) -> Mapping[str, Any]:
        """Name -> `SignatureDef`."""
        return self.meta.signature_def  # type: ignore[no-any-return]

    def stored(self, digest: str) -> Stored:
        """The memory of a captured array, mapped from its file.

        Raises:
          DataLossError: if it is not what its name says.
        """
        name = f"arrays/{digest}"
        listed = self.container.files.get(name)
        if listed is None or listed.sha256 != digest:
            raise self.container.damaged(name, "it is not listed as what its name says")
        return Stored(digest, self.container.mapped(name))

    def variables_of(self, name: str) -> list[int]:
        """The numbers of the variables that a Python function is bound to."""
        return self._names[name]

    def allow(self, trust: Any) -> Trust:
        """Refuses the model if it has Python functions that may not run.

        Args:
          trust: see `Trust.of`.

        Returns:
          The functions that may run: those that `trust` names, and all of this model if `trust` names the model or a
          valid signer of it.

        Raises:
          PermissionDeniedError: if there is one that may not run.
          FailedPreconditionError: if another Python made one.
          DataLossError: if a signature by a trusted key is not valid.
        """
        said, bodies = Trust.of(trust), list(self.bodies.values())
        if self.container.digest in said.digests or (said.keys and signing.signers(self.container, said.keys)):
            said = said.with_digests(body.digest for body in bodies)
        said.check(bodies, f"The saved model {self.container.path} (sha256:{self.container.digest})")
        for body in bodies:
            runs_here(body)
        return said

    @property
    def holds_session(self) -> bool:
        """Whether it is the graph of a session, and not objects."""
        return [said.get("kind") for said in self.said["objects"]] == [SESSION_GRAPH]

    def as_session(self, trust: Any) -> tuple[SessionModel, Hosts]:
        """The graph of a session, and its Python functions.

        Args:
          trust: see `allow`, whose errors this raises too.
        """
        trusted = self.allow(trust)
        with self.container.guard(container.GRAPH):
            model = SessionModel(self.container, self.meta, bool(self.bodies))
            return model, Hosts(self.library, trusted, self.stored)


@export(
    "saved_model.contains_saved_model",
    "compat.v1.saved_model.contains_saved_model",
    "compat.v1.saved_model.loader.maybe_saved_model_directory",
    "compat.v1.saved_model.maybe_saved_model_directory",
)
def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a saved model; it may still be damaged."""
    path = path_of(export_dir)
    return is_tensorflow_model(path)


@export("saved_model.load", "compat.v1.saved_model.load_v2")
def load(
    export_dir: Any,
    tags: Any = None,
    options: Any = None,
    *,
    trust: Any = None,
    host_functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """Loads what `saved_model.save` saved, here or in TensorFlow, in a process that need not have any of its source.

    No code of the model runs before `trust` allowed all of its Python functions. `inlay show` prints a
    model without running anything.

    In a graph, the model has variables and tables of that graph: `initializer` of a variable,
    `global_variables_initializer` and `tables_initializer` give them what was saved.

    Args:
      export_dir: the folder.
      tags: of a model of TensorFlow that has several graphs: the labels of the one that is meant.
      options: `LoadOptions`; with `experimental_load_function_aliases` the object has `function_aliases`, a dict of
        functions.
      trust: the Python functions that may run: "sha256:DIGEST" of one or of the whole model, "ed25519:KEY" of a
        signer, the name of a module or package for functions that are saved by import name; or a list of such.
      host_functions: name of a node, or token -> the function for calls of Python in a model of TensorFlow, which does
        not save such functions. Without one the call raises an error.

    Returns:
      The object: with the variables, functions, files and objects that it had as attributes, and `signatures`.

    Raises:
      NotFoundError, OSError: if there is no saved model.
      DataLossError: if it is damaged, saying where.
      PermissionDeniedError: if it has Python functions that nothing allows to run; the message lists them.
      FailedPreconditionError: if another version of Python saved one of them by value.
    """
    path = path_of(export_dir)
    if has_no_manifest(path):
        root, aliases = loaded_model(TensorFlowModel(path, tags), trust, checked_functions(host_functions))
        return _with_aliases(root, aliases, options)
    if host_functions:
        raise ValueError("host_functions= is for models of TensorFlow: this one has its own; see trust=")
    inspected = Inspected(path)
    trusted = inspected.allow(trust)
    of_model = inspected.container
    graph = context.home()
    state = context.State(graph, "" if graph is None else context.current().scope)
    with context.using(state), of_model.guard("its graph or its objects"), allowance(of_model.size):
        if inspected.holds_session:
            return loaded_eagerly(*inspected.as_session(trust), ForeignModel({}))
        loading = _Loading(inspected, trusted, graph)
        root = loading.root()
    return _with_aliases(root, loading.aliases(), options)


def _with_aliases(root: Any, functions: Mapping[str, Any], options: Any) -> Any:
    """A loaded object, with the functions of `SaveOptions.function_aliases` if the options want them.

    Raises:
      ValueError: if it has an attribute of their name, or is no object that takes one.
    """
    if options is None or not options.experimental_load_function_aliases:
        return root
    if not isinstance(root, LoadedObject) or "function_aliases" in vars(root):
        raise ValueError(
            "Could not load with experimental_load_function_aliases option because the top-level object already has an "
            f"attribute with name 'function_aliases', or takes none: {root!r}"
        )
    vars(root)["function_aliases"] = dict(functions)
    return root


class _Loading:
    """A model being loaded; `graph` is the graph in force, or None."""

    def __init__(self, inspected: Inspected, trust: Trust, graph: Graph | None) -> None:
        self._inspected, self._trust, self._graph = inspected, trust, graph
        self._said: list[dict[str, Any]] = inspected.said["objects"]
        self._made: dict[int, Any] = {}
        self._hosts: dict[str, Any] = {}
        self._arrays: dict[tuple[str, str, tuple[int, ...]], EagerTensor] = {}
        self._concrete: dict[int, ConcreteFunction] = {}
        self._functions = Functions(inspected.library, self._host)
        with stored_values(inspected.container) as self._values:
            for number, said in enumerate(self._said):
                if said["kind"] == "variable":
                    self._made[number] = self._variable(said)
                elif said["kind"] == "table":
                    self._made[number] = self._table(said)
            for number in range(len(self._said)):
                self._object(number)
            self._signatures = {
                str(name): self._trace(number, None) for name, number in inspected.said["signatures"].items()
            }
        for number, said in enumerate(self._said):
            self._fill(number, said)

    def root(self) -> Any:
        """The object that was saved; nothing can be loaded any more."""
        del self._functions  # has a method of this object: a cycle would keep the model until it is found
        root = self._made[0]
        if isinstance(root, LoadedObject) and "signatures" not in vars(root):
            vars(root)["signatures"] = Signatures(self._signatures)
        return root

    def aliases(self) -> dict[str, Any]:
        """The functions that the model has besides, by alias."""
        return {str(alias): self._made[n] for alias, n in self._inspected.said.get("function_aliases", {}).items()}

    # ---- objects

    def _variable(self, said: dict[str, Any]) -> Variable:
        dtype, shape = dtypes.as_dtype(said["dtype"]), shapes.TensorShape(said["shape"])
        value = self._values.read(said["value"])
        return graph_state.loaded_variable(
            self._graph, value, dtype, shape, str(said["name"]), trainable=bool(said["trainable"])
        )

    def _table(self, said: dict[str, Any]) -> LookupTable:
        return graph_state.loaded_table(self._graph, tables.from_data(said, self._words, self._values))

    @contextlib.contextmanager
    def _words(self, file: str) -> Iterator[tuple[str, BinaryIO]]:
        """A listed file that a table is filled from: its path, and its bytes, which are those that were verified."""
        self._check_listed(file)
        with self._inspected.container.verified(file) as opened:
            charge(self._inspected.container.files[file].size)
            yield os.path.join(self._inspected.container.path, file), opened

    def _check_listed(self, file: Any) -> None:
        """Refuses a file that is none of the model's."""
        if file is not None and file not in self._inspected.container.files:
            raise self._inspected.container.damaged(container.OBJECTS, f"it names a file {file!r}, which is not listed")

    def _object(self, number: int) -> None:
        said = self._said[number]
        kind = said["kind"]
        if kind == "module":
            callable_ = "__call__" in said["children"]
            self._made[number] = (LoadedCallable if callable_ else LoadedObject)(str(said["name"]))
        elif kind in ("list", "tuple"):
            self._made[number] = []
        elif kind == "dict":
            self._made[number] = {}
        elif kind == "function":
            function = self._made[number] = LoadedFunction.from_data(said)
            for trace in said["traces"]:
                self._trace(trace, function)
        elif kind == "concrete":
            self._made[number] = self._trace(said["traces"][0], None)
        elif kind == "dataset":
            self._made[number] = self._trace(said["traces"][0], None)()
        elif kind == "asset":
            self._check_listed(said["file"])
            asset = self._made[number] = Asset(os.path.join(self._inspected.container.path, said["file"]))
            if self._graph is not None:
                self._graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, asset.asset_path)
        elif kind not in ("variable", "table"):
            raise ValueError(f"object {number} is of the unknown kind {kind!r}")

    def _fill(self, number: int, said: dict[str, Any]) -> None:
        """Gives an object its attributes or items."""
        target, children = self._made[number], said.get("children", {})
        items = {name: self._made[child] for name, child in children.items()}
        if isinstance(target, LoadedObject):
            vars(target).update(items)
        elif isinstance(target, list):
            target.extend(value for _, value in sorted(items.items(), key=lambda item: int(item[0])))
        elif isinstance(target, dict):
            target.update(items)

    # ---- functions

    def _host(self, name: str) -> Any:
        """The host function in a body of the library."""
        host = self._hosts.get(name)
        if host is None:
            body = self._inspected.bodies[name]
            variables = [self._made[number] for number in self._inspected.variables_of(name)]
            host = self._hosts[name] = portable.opened(body, self._trust, variables)
        return host

    def _trace(self, number: int, function: LoadedFunction | None) -> ConcreteFunction:
        concrete = self._concrete.get(number)
        if concrete is None:
            said = self._inspected.said["traces"][number]
            graph = self._functions.program(said["function"]).graph
            count, captures = said["inputs"], said["captures"]
            if len(graph.inputs) != count + len(captures):
                raise ValueError(f"{graph.name} takes {len(graph.inputs)} tensors, expected {count} + {len(captures)}")
            graph.capture_last([self._captured(capture) for capture in captures])
            concrete = self._concrete[number] = concrete_from_data(graph, said, bound_from_data(said, function))
        if function is not None:
            function.add(concrete, bound_from_data(self._inspected.said["traces"][number], function))
        return concrete

    def _captured(self, said: Sequence[Any]) -> EagerTensor:
        kind, *rest = said
        if kind == "variable":
            return captured(kind, self._made[rest[0]])
        if kind == "table":
            return self._made[rest[0]].resource_handle  # type: ignore[no-any-return]
        if kind == "dataset":
            return self._trace(rest[0], None)()  # type: ignore[no-any-return]
        if kind != "tensor":
            return captured(kind, *rest)
        if rest[0] == "value":
            value = self._values.read(rest[1])
            return EagerTensor(value if value.ndim else value[()], self._values.dtype(rest[1]))
        _, digest, name, shape = rest
        key = digest, name, tuple(shape)
        tensor = self._arrays.get(key)
        if tensor is None:  # nobody writes into a tensor: traces that use one array share it
            dtype = dtypes.as_dtype(name)
            array = self._inspected.stored(digest).memory.view(dtype.np).reshape(shape)
            array.flags.writeable = False
            tensor = self._arrays[key] = EagerTensor(array, dtype)
        return tensor
