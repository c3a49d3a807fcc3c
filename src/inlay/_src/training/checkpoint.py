"""`Checkpoint`: saves and restores the variables of a tree of objects, found by their names in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.trackable import Trackable
from inlay._src.host.api import numpy_function
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_files, checkpoint_state
from inlay._src.training.checkpoint_options import call_back
from inlay._src.training.restoring import Restoration, Status
from inlay._src.training.saveable import Saveables, saveables_under
from inlay._src.training.trackable import Tree, children_of, is_trackable


def values_of(variables: list[Variable], session: Any = None) -> list[Any]:
    """The current values: of eager variables at once, of graph variables in one run of a session.

    Raises:
      RuntimeError: for variables of a graph without a session.
    """
    in_graph = [v for v in variables if v.graph is not None]
    got: dict[int, Any] = {}
    if in_graph:
        chosen = session if session is not None else context.DEFAULT_SESSION.get()
        if chosen is None:
            raise RuntimeError(
                f"Unable to save the variable {in_graph[0].name} in graph mode without a default session. Please use "
                "`with tf.compat.v1.Session():` to create a session. (inlay explain no-default-session)"
            )
        got = {id(v): value for v, value in zip(in_graph, chosen.run(in_graph), strict=True)}
    return [got[id(v)] if v.graph is not None else v._now()._value for v in variables]


def _traced() -> bool:
    """Whether a function is being traced."""
    graph = context.current().graph
    return graph is not None and graph.building_function


def _write(tree: Tree, file_prefix: Any, variable_values: Sequence[Any], values: dict[str, tuple[Any, Any]]) -> str:
    """Writes the values of a tree's variables and other `values`, and the state of other objects as it is now."""
    prefix = path_of(file_prefix)
    os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
    for (number, variable), value in zip(tree.variables(), variable_values, strict=True):
        values[tree.nodes[number]["value"]] = value, variable.dtype
    for number, node in enumerate(tree.nodes):
        if "state" in node:
            state = np.empty((), object)
            state[()] = tree.objects[number].__inlay_save__()
            values[node["state"]] = state, dtypes.string
    checkpoint_files.write(prefix, values, {"objects": tree.nodes})
    return prefix


@export("train.Checkpoint")
class Checkpoint(Trackable):
    """Saves and restores variables by the attributes through which they are reached.

    Args:
      root: an object whose own attributes are covered too.
      **kwargs: variables, modules, optimizers, nested dicts and lists of them, and other checkpoints.

    Raises:
      ValueError: if an argument is nothing that can be saved.
    """

    _root: Any = None
    _save_counter: Variable | None = None
    _saveables: dict[Any, Saveables]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        checkpoint = super().__new__(cls)
        checkpoint.__dict__["_saveables"] = {}  # a subclass need not call the constructor
        return checkpoint

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, value in {**({} if root is None else {"root": root}), **kwargs}.items():
            if not is_trackable(value) and not isinstance(value, (dict, list, tuple)):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a Variable, Module, optimizer, or a "
                    f"dict or list of them), got {value!r}."
                )
        self._root = root
        for name, value in sorted(kwargs.items()):  # the first path to a variable names it: that of TensorFlow
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        waiting = self.__dict__.get("_waiting_restore")
        if waiting is not None and not name.startswith("_"):
            waiting(name, value)

    def _checkpoint_children(self) -> dict[str, Any]:
        own = {n: v for n, v in vars(self).items() if not n.startswith("_")}
        if self._save_counter is not None:
            own["save_counter"] = self._save_counter
        return own if self._root is None else {**children_of(self._root), **own}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self._checkpoint_children()) or 'nothing'}>"

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`; it numbers the checkpoints."""
        if self._save_counter is None:
            counter = Variable(0, trainable=False, name="save_counter", dtype=dtypes.int64)
            self._save_counter = counter
            waiting = self.__dict__.get("_waiting_restore")
            if waiting is not None:
                waiting("save_counter", counter)
        return self._save_counter

    # ---- saving

    def write(self, file_prefix: Any, options: Any = None, session: Any = None) -> str | Any:
        """Writes a checkpoint without numbering it.

        Args:
          file_prefix: the path without suffix; missing folders are made.
          options: `train.CheckpointOptions`.
          session: the session of graph variables; None means the default one.

        Returns:
          The prefix. While a function is traced a string tensor: the checkpoint is written when the function runs.
        """
        tree = Tree(self)
        if _traced():
            read = [v.value() for _, v in tree.variables()]
            return numpy_function(
                lambda prefix, *values: _write(tree, prefix, values, self._saveable_values(tree)),
                [file_prefix, *read],
                dtypes.string,
            )
        path = _write(
            tree,
            file_prefix,
            values_of([v for _, v in tree.variables()], session),
            self._saveable_values(tree, session),
        )
        call_back(options, path)
        return path

    def _saveable_values(self, tree: Tree, session: Any = None) -> dict[str, tuple[Any, Any]]:
        """Key -> value and dtype of the saveable objects below the root."""
        groups = [self._saveables_of(value, keys) for _, value, keys in tree.saveables()]
        session = session if session is not None else context.DEFAULT_SESSION.get()
        return {name: value for each in groups for name, value in each.saved(session).items()}

    def _saveables_of(self, value: Any, keys: dict[str, str]) -> Saveables:
        """The saveable objects of one object: made once, as those of a graph add nodes to it."""
        key = (id(value), *keys.items())
        if key not in self._saveables:
            self._saveables[key] = Saveables(lambda: saveables_under(value, keys))  # which keeps `value` alive
        return self._saveables[key]

    def sync(self) -> None:
        """Waits until checkpoints are written, which they are when `save` and `write` return."""

    def save(self, file_prefix: Any, options: Any = None, session: Any = None) -> str:
        """Writes a numbered checkpoint, `file_prefix-1` and so on, and notes it as its folder's latest.

        Args: as for `write`.

        Returns:
          The prefix with its number.
        """
        if _traced():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write()."
            )
        number = self._count(session)
        prefix = self.write(f"{path_of(file_prefix)}-{number}", options=options, session=session)
        folder = os.path.dirname(prefix)
        checkpoint_state.update_checkpoint_state(folder, prefix, [prefix], save_relative_paths=True)
        return prefix

    def _count(self, session: Any = None) -> int:
        """Adds 1 to the save counter; returns it."""
        counter = self.save_counter
        if counter.graph is None:
            with context.using(context.State()):
                return int(counter.assign_add(1).numpy())
        chosen = counter.graph.session_for(session, "checkpoint")
        if not chosen.run(counter.is_initialized()):
            chosen.run(counter.initializer)
        number = int(chosen.run(counter)) + 1
        counter.load(number, chosen)
        return number

    # ---- restoring

    def read(self, save_path: Any, options: Any = None) -> Status:
        """Restores what `write` wrote.

        Args:
          save_path: the prefix.
          options: accepted and ignored.

        Returns:
          A status that tells what matched. Values for attributes and slots made later are kept until then.

        Raises:
          NotFoundError: if there is no such checkpoint.
          DataLossError: if it is damaged.
          InvalidArgumentError, ValueError: if a value does not fit its variable; then nothing was changed.
        """
        if _traced():
            raise NotImplementedError("a checkpoint cannot be restored inside a function: restore it before the call")
        return Restoration(self, path_of(save_path)).start()

    def restore(self, save_path: Any, options: Any = None) -> Status:
        """Restores what `save` or `write` wrote; None restores nothing. Arguments and result as for `read`."""
        if save_path is None:
            return Status(None, self)
        path = path_of(save_path)
        if os.path.isdir(path):
            path = checkpoint_state.latest_checkpoint(path) or path
        status = self.read(path, options)
        _ = self.save_counter  # restored as soon as it exists
        return status


@export("compat.v1.train.Checkpoint")
class CheckpointV1(Checkpoint):
    """`Checkpoint` with the session argument second, as in `tf.compat.v1.train.Checkpoint`."""

    def write(self, file_prefix: Any, session: Any = None, options: Any = None) -> str | Any:  # type: ignore[override]
        """As `Checkpoint.write`."""
        return super().write(file_prefix, options, session)

    def save(self, file_prefix: Any, session: Any = None, options: Any = None) -> str:  # type: ignore[override]
        """As `Checkpoint.save`."""
        return super().save(file_prefix, options, session)
