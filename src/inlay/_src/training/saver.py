"""`Saver` (1.x): saves and restores variables of a session by name."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter import messages
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_files, checkpoint_ops, checkpoint_state, meta_graph
from inlay._src.training.checkpoint import values_of
from inlay._src.training.checkpoint_files import CheckpointFile
from inlay._src.training.global_step import step_number
from inlay._src.training.saveable import Saveables, saveables_of
from inlay._src.training.wholes import Whole, wholes

LOADED = (checkpoint_ops,)
"""The module that declares the ops by which a graph of TensorFlow saves and restores itself."""
_BUILT = "inlay_saveables"
"""The collection of a `MetaGraphDef` that names the tensors and operations of objects with a state; see `saveable`."""


@export("train.Saver")
class Saver:
    """Saves variables under their names, and keeps the newest checkpoints.

    Args:
      var_list: variables, or a dict of name -> variable; None means all global variables. Objects with `specs` and
        `restore` (TensorFlow's SaveableObject), or that hand such out, may stand among them; see `saveable`.
      reshape: whether a value of another shape but the same size is accepted when restoring.
      sharded: lets a checkpoint have the name of the file that lists them; it is one file all the same.
      restore_sequentially, saver_def, builder, write_version, filename: accepted and ignored.
      max_to_keep: the number of checkpoints to keep; None or 0 keeps all.
      keep_checkpoint_every_n_hours: keeps one more for good each time so many hours have passed.
      name: accepted and ignored.
      defer_build: whether the list of variables is taken at the first use instead of now.
      allow_empty: whether there may be no variables.
      pad_step_number: whether the step in names has at least eight digits.
      save_relative_paths: whether the file `checkpoint` has relative paths.

    Raises:
      ValueError: if there are no variables, or two have the same name.
      TypeError: if something in the list is no variable.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        self._given, self._reshape, self._allow_empty = var_list, reshape, allow_empty
        self._max_to_keep, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._pad, self._relative, self._sharded = pad_step_number, save_relative_paths, sharded
        self._variables: dict[str, Whole] | None = None
        self._saveables: Saveables = Saveables(list)
        self._last: list[tuple[str, float]] = []
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        self._built = not defer_build
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Takes the list of variables."""
        self._built = True
        if self._variables is None:
            listed = _listed(self._given)
            others = [v for v in _values(listed) if not isinstance(v, Variable) and saveables_of(v)]
            self._saveables = Saveables(lambda: [saveable for value in others for saveable in saveables_of(value)])
            self._variables = wholes(_without(listed, others))
            if not self._variables and not others and not self._allow_empty:
                raise ValueError("No variables to save")
            if others and not graphs.default_graph().finalized:
                self._saveables.built()

    @property
    def _named(self) -> dict[str, Whole]:
        self.build()
        assert self._variables is not None
        return self._variables

    # ---- which checkpoints there are

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes that are kept, oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Says which checkpoints there are, oldest first."""
        self._last = [(path_of(path), np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[tuple[str, float]]) -> None:
        """Says which checkpoints there are, with the times they were written."""
        self._last = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Takes over the checkpoints of an earlier process; those that are gone are left out."""
        existing = [path_of(p) for p in checkpoint_paths if checkpoint_state.checkpoint_exists(p)]
        self._last = list(zip(existing, checkpoint_state.get_checkpoint_mtimes(existing), strict=True))

    # ---- saving

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes the variables' values.

        Args:
          sess: the session; may be None if all variables are eager.
          save_path: the prefix.
          global_step: a number (or a variable or tensor of one) to append to the prefix.
          latest_filename: the name of the file that lists checkpoints; "checkpoint" if None.
          meta_graph_suffix: the suffix of the file with the graph.
          write_meta_graph: whether the session's graph is written beside; one that cannot be is reported and left out.
          strip_default_attrs, save_debug_info: accepted.
          write_state: whether to note the checkpoint as its folder's latest, and delete old ones.

        Returns:
          The prefix of the checkpoint; None if there is nothing to save and that is allowed (`allow_empty`).

        Raises:
          ValueError: if the folder does not exist.
          RuntimeError: if building was deferred and `build` was not called.
        """
        if not self._built and not context.executing_eagerly():
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        prefix = path_of(save_path)
        if os.path.split(latest_filename or "checkpoint")[0]:
            raise ValueError(f"'latest_filename' must not contain path components, got {latest_filename!r}")
        if global_step is not None:
            step = step_number(global_step, sess)
            prefix = f"{prefix}-{step:08d}" if self._pad else f"{prefix}-{step}"
        elif os.path.basename(prefix) == (latest_filename or "checkpoint") and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': {latest_filename or 'checkpoint'!r}")
        folder = os.path.dirname(prefix)
        if folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        chosen, others = self._named, self._saveables.saved(sess)
        empty = self._allow_empty and not chosen and not others
        if not empty:
            values = iter(values_of([v for whole in chosen.values() for v in whole.variables], sess))
            by_name = {
                n: (whole.joined([next(values) for _ in whole.variables]), whole.dtype) for n, whole in chosen.items()
            }
            checkpoint_files.write(prefix, by_name | others, {})
        if write_state and not empty:
            self._note(prefix, latest_filename)
        if write_meta_graph and sess is not None and not context.executing_eagerly():
            try:
                meta_graph.save(
                    self._meta_graph(meta_graph.graph_of(sess)), f"{prefix}.{meta_graph_suffix}", as_text=False
                )
            except errors.OpError as error:
                messages.warning("the graph is not written beside the checkpoint %s: %s", prefix, error.message)
        return None if empty else prefix

    def _meta_graph(self, graph: Any, collections: Sequence[str] | None = None) -> Any:
        self.build()
        built = self._saveables.built() if self._saveables.graph is graph else []
        meta = meta_graph.written(graph, collections)
        if built:
            meta.collection_def[_BUILT].bytes_list.value.extend(text.encode() for text in built)
        meta.saver_def.CopyFrom(self.saver_def)
        return meta

    def as_saver_def(self) -> ProtoMessage:
        """The options of the saver as a `SaverDef`. No nodes of the graph save and restore here, so it names none."""
        from inlay._src.base.protos.saved_model import SaverDef

        return SaverDef(
            max_to_keep=self._max_to_keep or 0,
            sharded=self._sharded,
            keep_checkpoint_every_n_hours=self._hours,
            version=2,
        )

    saver_def: Any = property(as_saver_def, doc="How it saves, as a `SaverDef`.")

    def to_proto(self, export_scope: str | None = None) -> ProtoMessage:
        """As `as_saver_def`.

        Args:
          export_scope: accepted.
        """
        return self.as_saver_def()

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> ProtoMessage:
        """The default graph with its collections as a `MetaGraphDef`.

        Args:
          filename: a file to write it to, or None.
          collection_list: the names of the collections; None means all.
          as_text: whether the file is text.
          clear_devices: whether its nodes ask for no devices.
          export_scope, clear_extraneous_savers, strip_default_attrs, save_debug_info: accepted and ignored.
        """
        meta = self._meta_graph(graphs.default_graph(), collection_list)
        if clear_devices:
            meta_graph.without_devices(meta.graph_def)
        if filename is not None:
            meta_graph.save(meta, filename, as_text)
        return meta

    def _note(self, prefix: str, latest_filename: str | None) -> None:
        if self._max_to_keep:
            self._last = [(p, t) for p, t in self._last if p != prefix] + [(prefix, time.time())]
        while self._max_to_keep and len(self._last) > self._max_to_keep:
            path, stamp = self._last.pop(0)
            if stamp > self._next_kept:
                self._next_kept += self._hours * 3600
            else:
                checkpoint_state.remove_checkpoint(path)
        checkpoint_state.update_checkpoint_state(
            os.path.dirname(prefix), prefix, self.last_checkpoints, latest_filename, save_relative_paths=self._relative
        )

    # ---- restoring

    def restore(self, sess: Any, save_path: Any) -> None:
        """Gives the variables the values of a checkpoint, all of them or (on an error) none.

        Args:
          sess: the session; may be None if all variables are eager.
          save_path: the prefix.

        Raises:
          ValueError: if `save_path` is None.
          NotFoundError: if there is no such checkpoint, or it lacks a variable.
          InvalidArgumentError: if a value does not fit its variable.
          DataLossError: if the file is damaged.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if self._allow_empty and not self._named and not self._saveables.objects():
            return
        with checkpoint_files.opened(save_path) as reader:
            by_name = full_names(reader)
            values = [
                pair
                for name, whole in self._named.items()
                for pair in whole.read(reader, by_name.get(name, name), self._reshape)
            ]
            assign_others = self._saveables.read(reader)
        for variable, value in values:
            if variable.graph is None:
                with context.using(context.State()):
                    variable.assign(value)
            else:
                variable.load(value, sess)
        assign_others(sess)


@export("compat.v1.train.export_meta_graph")
def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> ProtoMessage:
    """A graph with its collections as a `MetaGraphDef`.

    Args:
      filename: a file to write it to, or None.
      meta_info_def, saver_def: parts of the message, or None.
      graph_def: the message written as the graph; None converts the graph in its current state.
      collection_list: the names of the collections; None means all.
      as_text: whether the file is text.
      graph: the graph; None is the default one.
      clear_devices: whether its nodes ask for no devices.
      export_scope, clear_extraneous_savers, strip_default_attrs, save_debug_info, **kwargs: accepted and ignored.
    """
    meta = meta_graph.written(graphs.default_graph() if graph is None else graph, collection_list, graph_def)
    if clear_devices:
        meta_graph.without_devices(meta.graph_def)
    for name, part in (("meta_info_def", meta_info_def), ("saver_def", saver_def)):
        if part is not None:
            getattr(meta, name).CopyFrom(part)
    if filename is not None:
        meta_graph.save(meta, filename, as_text)
    return meta


@export("compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    *,
    trust: Any = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a graph with its collections, variables among them, to the default graph.

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the path of a file: "model.meta".
      clear_devices: whether its nodes are placed anew.
      import_scope: the prefix of the names of its nodes.
      trust: the Python functions that may run: see `saved_model.load`.
      **kwargs: `input_map`, as `import_graph_def` takes it; others are accepted and ignored.

    Returns:
      A `Saver` of the variables of the graph (with `import_scope`, of those that are in it), and of its objects with a
      state, such as iterators, that the `Saver` saved which wrote it; None if there are none.

    Raises:
      OSError: if there is no such file, or (also DataLossError) if it holds something else.
      PermissionDeniedError: if it holds Python functions that `trust` does not allow.
    """
    meta = meta_graph.read(meta_graph_or_file)
    prefix = meta_graph.prefix_of(import_scope)
    texts = meta.collection_def[_BUILT].bytes_list.value if _BUILT in meta.collection_def else ()
    built = [text.decode() for text in texts]
    meta_graph.added(meta, prefix, clear_devices, kwargs.get("input_map"), trust, (_BUILT,))
    options = {"max_to_keep": meta.saver_def.max_to_keep} if meta.HasField("saver_def") else {}
    every = graphs.default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    variables = wholes([v for v in every if isinstance(v, Variable) and v.name.startswith(prefix)])
    if not variables and not built:
        return None
    by_name = {name.removeprefix(prefix): list(whole.variables) for name, whole in variables.items()}
    saver = Saver(by_name, allow_empty=True, **options)
    saver._saveables = Saveables.read_from(graphs.default_graph(), built, prefix)
    return saver


def _listed(var_list: Any) -> Any:
    """The argument, or else all variables and saveable objects of the graph."""
    if var_list is not None:
        return var_list
    graph = graphs.default_graph()
    saved = graph.get_collection(GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    return list({id(v): v for v in saved}.values())


def _values(listed: Any) -> list[Any]:
    return list(listed.values() if isinstance(listed, Mapping) else listed)


def _without(listed: Any, some: Sequence[Any]) -> Any:
    left = {id(v) for v in some}
    if isinstance(listed, Mapping):
        return {name: v for name, v in listed.items() if id(v) not in left}
    return [v for v in listed if id(v) not in left]


def full_names(reader: CheckpointFile) -> dict[str, str]:
    """Variable name -> key, for a checkpoint that `Checkpoint` wrote."""
    return {n["name"]: n["value"] for n in reader.manifest.get("objects", ()) if "value" in n}
