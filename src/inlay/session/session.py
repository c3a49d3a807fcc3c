"""`Session`: runs parts of a graph. Fetches and feeds in, a plan from the cache, values out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import context, device
from inlay.core import graph as graphs
from inlay.core.graph import Graph
from inlay.core.state import Store
from inlay.core.tensor import SymbolicTensor
from inlay.plan import build as building
from inlay.plan.plan import Plan
from inlay.run import serial, takeover
from inlay.session.deadline import with_deadline
from inlay.session.feeds import feed_converter, feed_items, returned_feed
from inlay.session.fetches import Fetched, fetch_key, identified, leaving, parse_fetches, with_operations

ndarray = np.ndarray

_EAGER_RUN = context.State(host="a host function")


class _Prepared:
    """A plan with what a session needs to run it."""

    __slots__ = ("asked", "converters", "fetch_dtypes", "fetched", "feed_of_fetch", "plan", "resources", "template")

    def __init__(
        self,
        plan: Plan,
        fetched: Fetched,
        converters: list[Any],
        fetch_dtypes: list[Any],
        feed_of_fetch: list[int | None],
        resources: list[tuple[int, Any]],
        asked: tuple[Any, tuple[SymbolicTensor, ...]],
    ) -> None:
        self.plan, self.fetched, self.converters = plan, fetched, converters
        self.fetch_dtypes, self.feed_of_fetch, self.resources = fetch_dtypes, feed_of_fetch, resources
        # What was fetched and fed must outlive the cache entry: identities are part of its key.
        self.asked = asked
        self.template: list[Any] = [None] * plan.slots
        for slot, value in plan.consts:
            self.template[slot] = value


class Session:
    """Runs parts of a graph.

    Args:
      target: "" for this process.
      graph: the graph; None is the current default graph.
      config: a `ConfigProto`.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if target not in ("", "local", None):
            raise errors.UnimplementedError(
                None, None, f'Session target {target!r}: only this process ("") is supported here'
            )
        self._graph = graph if graph is not None else graphs.default_graph()
        if not isinstance(self._graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._config = config
        self._closed = False
        self._plans: dict[Any, _Prepared] = {}
        self._version = -1
        self._folded: dict[Any, Any] = {}
        self._store = Store()
        self._entered: list[Any] = []

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as data."""
        return [n.node_def for n in self._graph.nodes]

    @property
    def sess_str(self) -> str:
        return ""

    def close(self) -> None:
        """Frees the session's state; later runs are refused."""
        self._closed = True
        self._plans.clear()
        self._folded.clear()
        self._store.clear()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Makes this the default session of `eval()` and `run()` in the block."""
        graphs.DEFAULT_SESSION.stack.append(self)
        try:
            yield self
        finally:
            graphs.DEFAULT_SESSION.stack.remove(self)

    def __enter__(self) -> Session:
        both = (self._graph.as_default(), self.as_default())
        for manager in both:
            manager.__enter__()
        self._entered.append(both)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        for manager in reversed(self._entered.pop()):
            manager.__exit__(kind, error, trace)
        self.close()

    # ---- running

    def run(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what the fetches need and returns their values.

        Args:
          fetches: a tensor, operation, name, or a nest of them.
          feed_dict: tensor or tensor name -> value. Any tensor may be fed.
          options: a `RunOptions`.
          run_metadata: accepted and left empty.

        Returns:
          A nest like `fetches`: arrays, NumPy scalars, `bytes`; None for operations.

        Raises:
          ValueError, TypeError: for fetches and feeds that make no sense.
          OpError: for what fails while running.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.nodes:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        timeout = getattr(options, "timeout_in_ms", 0) if options is not None else 0
        if timeout and isinstance(timeout, (int, float)):
            stop = takeover.Stop()
            return with_deadline(lambda: self._run(fetches, feed_dict, stop), timeout / 1000, stop)
        return self._run(fetches, feed_dict)

    def _run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None, stop: takeover.Stop | None = None) -> Any:
        keys, fed = feed_items(self._graph, feed_dict) if feed_dict else ((), ())
        prepared = self._prepared(fetches, keys)
        cells = prepared.template.copy()
        given = [convert(value) for convert, value in zip(prepared.converters, fed, strict=True)]
        for feed, value in zip(prepared.plan.feeds, given, strict=True):
            cells[feed.slot] = value.copy() if feed.escapes and value.__class__ is ndarray else value
        for slot, key in prepared.resources:
            cells[slot] = self._store.cell(key)
        self.execute(prepared.plan, cells, stop)
        out = []
        for i, slot in enumerate(prepared.plan.fetches):
            at = prepared.feed_of_fetch[i]
            if at is not None:
                out.append(returned_feed(given[at], fed[at]))
            else:
                out.append(leaving(cells, slot, prepared.fetch_dtypes[i]))
        return prepared.fetched.pack(out)

    def execute(self, plan: Plan, cells: list[Any], stop: takeover.Stop | None = None) -> None:
        """Runs a plan's steps; errors name their operation.

        Args:
          plan: the schedule.
          cells: its cells, with feeds, resources and constants in place.
          stop: what may end the run early, from another thread.
        """
        before = context.get()
        context.set_state(_EAGER_RUN)
        try:
            if stop is not None or plan.concurrent:
                takeover.execute(plan, cells, stop)
            else:
                serial.execute(plan, cells)
        except errors.OpError as error:
            if self._closed:
                raise _cancelled() from error
            self._name_operation(error)
            raise
        finally:
            context.set_state(before)
        if self._closed:
            raise _cancelled()

    def _name_operation(self, error: errors.OpError) -> None:
        if error._op is None:
            _, _, rest = error.message.partition("[[{{node ")
            node = self._graph._by_name.get(rest.partition("}}")[0])
            if node is not None:
                error._op, error._node_def = node, node.node_def

    def _prepared(self, fetches: Any, keys: tuple[SymbolicTensor, ...]) -> _Prepared:
        key = (self._graph.version, fetch_key(fetches), *map(id, keys))
        found = self._plans.get(key)
        if found is None:
            if self._version != key[0]:  # nobody asks for a plan of an older version again
                self._plans.clear()
                self._version = key[0]
            found = self._plans[key] = self._prepare(fetches, keys)
        return found

    def plan(self, fetches: Any, feeds: Sequence[SymbolicTensor] = ()) -> Plan:
        """The plan that `run(fetches, {feeds...})` uses."""
        return self._prepared(fetches, tuple(feeds)).plan

    def _prepare(self, fetches: Any, keys: tuple[SymbolicTensor, ...]) -> _Prepared:
        fetched = parse_fetches(self._graph, fetches)
        soft = bool(getattr(self._config, "allow_soft_placement", False)) if self._config is not None else False
        try:
            with context.using(_EAGER_RUN):  # folding a call runs it
                plan = building.build(self._graph, fetched.elements, keys, folded=self._folded)
        except errors.OpError as error:
            self._name_operation(error)
            raise
        for step in plan.steps:
            placed = self._graph._by_name[step.name].device
            if placed:
                device.check(placed, f"{step.name}: {step.op}", soft)
        tensors = [e for e in fetched.elements if isinstance(e, SymbolicTensor)]
        position = {id(k): i for i, k in enumerate(keys)}
        return _Prepared(
            plan,
            Fetched(fetched.elements, with_operations(fetched)),
            [feed_converter(k) for k in keys],
            [t.dtype for t in tensors],
            [position.get(id(t)) for t in tensors],
            list(plan.resources),
            (identified(fetches), keys),
        )

    def partial_run(self, *args: Any, **kwargs: Any) -> Any:
        """Not supported."""
        raise errors.UnimplementedError(None, None, "partial_run is not supported; fetch all values in one run")

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of the fed values, in order, that runs `fetches`."""
        feeds = list(feed_list or [])

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.run(fetches, dict(zip(feeds, args, strict=True)), **kwargs)

        return call

    def list_devices(self) -> list[str]:
        """The local devices."""
        return device.available()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'Session' object")


def _cancelled() -> errors.OpError:
    return errors.CancelledError(None, None, "Run call was cancelled: its session was closed while it ran.")


class InteractiveSession(Session):
    """A session that is the default one, with its graph, until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._before = context.get()
        context.set_state(context.State(graph=self._graph))
        graphs.DEFAULT_SESSION.stack.append(self)

    def close(self) -> None:
        """Frees the session and restores what was the default before."""
        if self in graphs.DEFAULT_SESSION.stack:
            graphs.DEFAULT_SESSION.stack.remove(self)
            context.set_state(self._before)
        super().close()
