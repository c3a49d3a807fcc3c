"""The preparation of a session: operations that initialize, say whether all is ready, and a saver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.misuse import repr_of
from inlay._src.core import graph as graphs
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops import control
from inlay._src.ops.variables.collections import (
    GraphKeys,
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from inlay._src.tf1.summaries.summary_ops import merge_all
from inlay._src.training.saver import Saver

InitFn = Callable[["Scaffold", Any], None]


@export("train.Scaffold")
class Scaffold:
    """The operations of a graph that a monitored session uses; `finalize` creates the missing ones.

    Args:
      init_op: initializes what is not restored from a checkpoint; global variables.
      init_feed_dict: its feeds.
      init_fn: is called with the scaffold and the session after it.
      ready_op: gives the names of what is not initialized; of variables.
      ready_for_local_init_op: gives those that `local_init_op` needs; global variables.
      local_init_op: runs in every new session; initializes local variables and tables.
      summary_op: gives what is written for TensorBoard; all summaries of the graph.
      saver: saves and restores; all variables that are saved.
      copy_from_scaffold: a scaffold that supplies the missing arguments.
      local_init_feed_dict: the feeds of `local_init_op`.

    Raises:
      TypeError: if `copy_from_scaffold` is none.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: InitFn | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        parts = {
            "init_op": init_op,
            "init_feed_dict": init_feed_dict,
            "init_fn": init_fn,
            "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "local_init_op": local_init_op,
            "summary_op": summary_op,
            "saver": saver,
            "local_init_feed_dict": local_init_feed_dict,
        }
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError("copy_from_scaffold is not a Scaffold instance.")
            parts = {k: copy_from_scaffold._parts[k] if v is None else v for k, v in parts.items()}
        self._parts: dict[str, Any] = parts

    def finalize(self) -> Scaffold:
        """Makes what is missing, or takes it from the collections of the graph, which takes no more nodes after that.

        Returns:
          Itself.

        Raises:
          RuntimeError: if a collection has several.
          TypeError: if `saver` is no Saver.
        """
        self._fill("init_op", GraphKeys.INIT_OP, global_variables_initializer)
        self._fill("ready_op", GraphKeys.READY_OP, report_uninitialized_variables)
        self._fill(
            "ready_for_local_init_op",
            GraphKeys.READY_FOR_LOCAL_INIT_OP,
            lambda: report_uninitialized_variables(global_variables()),
        )
        self._fill("local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        self._fill("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        self._fill("saver", GraphKeys.SAVERS, lambda: Saver(sharded=True, allow_empty=True))
        saver = self._parts["saver"]
        if not callable(getattr(saver, "build", None)):
            raise TypeError(f"`saver` must be a Saver, got {repr_of(saver)}")
        saver.build()
        graphs.default_graph().finalize()
        messages.info("Graph was finalized.")
        return self

    def _fill(self, name: str, key: str, make: Callable[[], Any]) -> None:
        if self._parts[name] is None:
            self._parts[name] = Scaffold.get_or_default(name, key, make)

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """The item of a collection, or what is made and put there if it is empty.

        Args:
          arg_name: its name in messages.
          collection_key: the collection.
          default_constructor: makes it.

        Raises:
          RuntimeError: if there are several.
        """
        items = graphs.default_graph().get_collection(collection_key)
        if len(items) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if items:
            return items[0]
        item = default_constructor()
        if item is not None:
            graphs.default_graph().add_to_collection(collection_key, item)
        return item

    @staticmethod
    def default_local_init_op() -> Operation | None:
        """An operation that initializes local variables and tables."""
        tables = graphs.default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
        return control.group(local_variables_initializer(), *tables)

    @property
    def init_op(self) -> Operation | Any:
        """Initializes what is not restored."""
        return self._parts["init_op"]

    @property
    def init_feed_dict(self) -> dict[Any, Any] | None:
        """The feeds of `init_op`."""
        return self._parts["init_feed_dict"]

    @property
    def init_fn(self) -> Callable[[Any], None] | None:
        """Is called with the session after `init_op`."""
        function = self._parts["init_fn"]
        return None if function is None else lambda session: function(self, session)

    @property
    def ready_op(self) -> Tensor | Any:
        """Gives the names of what is not initialized."""
        return self._parts["ready_op"]

    @property
    def ready_for_local_init_op(self) -> Tensor | Any:
        """Gives the names of what is not initialized and `local_init_op` needs."""
        return self._parts["ready_for_local_init_op"]

    @property
    def local_init_op(self) -> Operation | Any:
        """Runs in every new session."""
        return self._parts["local_init_op"]

    @property
    def local_init_feed_dict(self) -> dict[Any, Any] | None:
        """The feeds of `local_init_op`."""
        return self._parts["local_init_feed_dict"]

    @property
    def summary_op(self) -> Tensor | None:
        """Gives what is written for TensorBoard."""
        return self._parts["summary_op"]

    @property
    def saver(self) -> Saver | Any:
        """Saves and restores."""
        return self._parts["saver"]


def scaffold_of(scaffold: Any) -> Scaffold:
    """A scaffold: the argument, or a new one for None.

    Raises:
      TypeError: for anything else.
    """
    if scaffold is None:
        return Scaffold()
    if not isinstance(scaffold, Scaffold):
        raise TypeError(f"Expected a Scaffold as `scaffold`, not {scaffold!r}")
    return scaffold
