"""`Session`: runs parts of a graph. Fetches and feeds in, a plan from the cache, values out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, overload

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.thread_settings import set_intra_op_parallelism_threads
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.core import context, device
from inlay._src.core import graph as graphs
from inlay._src.core.graph import Graph
from inlay._src.core.portability import process_bound
from inlay._src.core.state import CellStore
from inlay._src.core.tensor import SymbolicTensor, Value
from inlay._src.engine.plan import build as building
from inlay._src.engine.plan import placement
from inlay._src.engine.plan.plan import Plan
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run import device_layout, xla_segments
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.programs.session.deadline import with_deadline
from inlay._src.programs.session.device_attributes import DeviceAttributes, check_devices, listed
from inlay._src.programs.session.feeds import feed_items
from inlay._src.programs.session.fetches import (
    FED,
    F,
    Feeds,
    Fetch,
    K,
    Named,
    Runnable,
    fetch_key,
    parse_fetches,
    run_form,
    says_everything,
)
from inlay._src.programs.session.options import asks_for_jit, asks_for_pruning, check_report, with_optimizer_options
from inlay._src.programs.session.partial import PartialRun
from inlay._src.programs.session.prepared import EAGER_RUN, Prepared, cancelled
from inlay._src.programs.session.step_stats import reporting
from inlay._src.programs.session.target import opened

ELSEWHERE = Passes(fold=False)
"""The passes for plans that a target runs: folding would run them here."""
PLANS_KEPT = 4096
"""Plans that a session keeps; the oldest goes first."""


@export("Session")
@process_bound("it belongs to this process: open one in the function")
class Session:
    """Runs parts of a graph.

    ```python
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        session.run(x * 2.0, feed_dict={x: 3.0})  # 6.0
    ```

    Args:
      target: "" for this process, or the `target` of a `tf.distribute.Server`: "grpc://host:port".
      graph: the graph; None is the current default graph.
      config: a `ConfigProto`.
    """

    _places_pruned_graph = False

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self._graph = graph if graph is not None else graphs.default_graph()
        if not isinstance(self._graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if config is not None and not hasattr(config, "allow_soft_placement"):
            raise TypeError(f"Argument `config` must be a tf.ConfigProto, but got {type(config).__name__!r}")
        device.note_started()
        self._target = opened(target, config)
        self._config = with_optimizer_options(config)
        if asked := getattr(config, "intra_op_parallelism_threads", 0):
            set_intra_op_parallelism_threads(asked)  # of the process, as in TensorFlow
        self._closed = False
        self._plans: dict[Any, Prepared] = {}
        self._recent: dict[Any, Prepared] = {}
        self._version = -1
        self._folded: dict[Any, Any] = {}
        self._store = CellStore()
        self._entered: Any = None
        self._partial: dict[str, PartialRun] = {}
        self._begun = self._placed = 0

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> ProtoMessage:
        """The graph as a `tf.compat.v1.GraphDef`, with shapes if the configuration has `infer_shapes`."""
        options = getattr(self._config, "graph_options", None)
        return self._graph.as_graph_def(add_shapes=bool(getattr(options, "infer_shapes", False)))

    @property
    def sess_str(self) -> str:
        """The target."""
        return "" if self._target is None else self._target.name

    @staticmethod
    def reset(target: str, containers: Sequence[str] | None = None, config: Any = None) -> None:
        """Forgets the variables that a target keeps, so that they must be initialized again.

        Args:
          target: the target of sessions; this process keeps no variables itself: they end with their session.
          containers: the names of containers of the target; None means all.
          config: a `ConfigProto`.
        """
        opened_target = opened(target, config)
        if opened_target is not None:
            opened_target.reset(list(containers or ()))

    def close(self) -> None:
        """Frees the session's state; later runs are refused."""
        self._closed = True
        self._plans.clear()
        self._recent.clear()
        self._folded.clear()
        self._partial.clear()
        self._store.close()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Makes this the default session of `eval()` and `run()` in the block."""
        context.DEFAULT_SESSION.stack.append(self)
        try:
            yield self
        finally:
            stack = context.DEFAULT_SESSION.stack
            nested = stack[-1] is self
            stack.remove(self)
            if not nested:
                raise AssertionError(f"Nesting violated for default stack of {type(self)} objects")

    def __enter__(self) -> Session:
        if self._entered is not None:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a "
                "session multiple times."
            )
        self._entered = (self._graph.as_default(), self.as_default())
        for manager in self._entered:
            manager.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        entered, self._entered = self._entered, None
        graph, default = entered
        try:
            default.__exit__(kind, error, trace)
        finally:
            graph.__exit__(kind, error, trace)
        self.close()

    # ---- running

    # fmt: off
    @overload
    def run(self, fetches: Runnable, feed_dict: Feeds = ..., options: Any = ..., run_metadata: Any = ...) -> None: ...
    @overload
    def run(self, fetches: Fetch, feed_dict: Feeds = ..., options: Any = ..., run_metadata: Any = ...) -> Value: ...
    @overload
    def run(self, fetches: Named, feed_dict: Feeds = ..., options: Any = ..., run_metadata: Any = ...) -> Any: ...
    @overload
    def run(
        self, fetches: tuple[Any, ...], feed_dict: Feeds = ...,
        options: Any = ..., run_metadata: Any = ...) -> tuple[Any, ...]: ...
    @overload
    def run(
        self, fetches: list[F], feed_dict: Feeds = ...,
        options: Any = ..., run_metadata: Any = ...) -> list[Value]: ...
    @overload
    def run(
        self, fetches: dict[K, F], feed_dict: Feeds = ...,
        options: Any = ..., run_metadata: Any = ...) -> dict[K, Value]: ...
    @overload
    def run(self, fetches: Any, feed_dict: Feeds = ..., options: Any = ..., run_metadata: Any = ...) -> Any: ...
    # fmt: on
    def run(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what the fetches need and returns their values.

        Args:
          fetches: a tensor, operation, name, or a nest of them.
          feed_dict: tensor or tensor name -> value. Any tensor may be fed.
          options: a `RunOptions`.
          run_metadata: a `RunMetadata`, filled with what `options` asks for; steps of a traced run run one by one.

        Returns:
          A nest like `fetches`: arrays, NumPy scalars, `bytes`; None for operations.

        Raises:
          ValueError, TypeError: if a fetch or a feed is invalid.
          OpError: if an op fails.
        """
        try:
            key = None
            if options is None and run_metadata is None:
                try:  # an earlier run with the same fetched and fed tensors
                    kind = fetches.__class__
                    if kind is SymbolicTensor:
                        key = (fetches, *feed_dict) if feed_dict else fetches
                    elif kind is list or kind is tuple:
                        key = (kind, *fetches, FED, *feed_dict) if feed_dict else (kind, *fetches)
                    else:
                        key = (run_form(fetches), FED, *(feed_dict or ()))
                    prepared = self._recent.get(key)
                    nested = prepared is None and not says_everything(key)
                except (TypeError, ValueError):  # lists of nests, or odd feeds
                    nested = True
                if nested:
                    prepared, key = self._recalled(fetches, feed_dict)
                if prepared is not None and prepared.version == self._graph.version:
                    return prepared.run(self, feed_dict.values() if feed_dict else (), None)
            check_report(options, run_metadata)
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session. (inlay explain closed-session)")
            if not self._graph.nodes:
                raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
            # A run with a deadline is not cached, so that the next one like it gets its deadline too.
            if timeout := self._deadline(options):
                stop = work_stealing.Stop()
                return with_deadline(
                    lambda: self._run(fetches, feed_dict, None, stop, run_metadata, options), timeout / 1000, stop
                )
            return self._run(fetches, feed_dict, key, None, run_metadata, options)
        except Exception as error:
            leave(error)
            raise

    def _deadline(self, options: Any) -> float:
        """Milliseconds that a run with these options may take, or 0."""
        timeout = getattr(options, "timeout_in_ms", 0) or getattr(self._config, "operation_timeout_in_ms", 0)
        return timeout if isinstance(timeout, (int, float)) and timeout > 0 else 0

    def _recalled(self, fetches: Any, feed_dict: Any) -> tuple[Prepared | None, Any]:
        """The prepared run of these fetches, and its key; None for fetches that cannot be a key."""
        try:
            key = (run_form(fetches), FED, *(feed_dict or ()))
            return self._recent.get(key), key
        except (TypeError, ValueError):
            return None, None

    def _run(
        self, fetches: Any, feed_dict: Any, key: Any, stop: work_stealing.Stop | None, report: Any, options: Any
    ) -> Any:
        """A run whose plan is looked up or built; it is cached under `key` for the next run like it."""
        keys, fed = feed_items(self._graph, feed_dict)
        prepared = self._prepared(fetches, keys)
        if key is not None and says_everything(key):
            if len(self._recent) >= PLANS_KEPT:
                self._recent.clear()
            self._recent[key] = prepared
        if report is not None:
            prepared = reporting(prepared, report, options, self._config, self._graph, (fetches, keys))
        return prepared.run(self, fed, stop)

    def describe(self, error: errors.OpError) -> None:
        """Gives a run's error its operation; a run of a session that was closed meanwhile was cancelled."""
        if not isinstance(error, errors.OpError):
            raise TypeError(f"`error` must be one of tf.errors, got {error!r}")
        if self._closed:
            raise cancelled() from error
        self._name_operation(error)

    def _name_operation(self, error: errors.OpError) -> None:
        if error._op is None:
            _, _, rest = error.message.partition("[[{{node ")
            node = self._graph._by_name.get(rest.partition("}}")[0])
            if node is not None:
                error._op = node

    def _prepared(self, fetches: Any, keys: tuple[SymbolicTensor, ...]) -> Prepared:
        elements = [*keys]
        key = (self._graph.version, fetch_key(fetches, elements), *map(id, keys))
        prepared = self._plans.get(key)
        if prepared is None:
            if self._version != key[0]:  # nobody asks for a plan of an older version again
                self._plans.clear()
                self._recent.clear()
                self._version = key[0]
            while len(self._plans) >= PLANS_KEPT:
                del self._plans[next(iter(self._plans))]
            prepared = self._plans[key] = self._prepare(fetches, keys, elements)
        return prepared

    def plan(self, fetches: Any, feeds: Sequence[SymbolicTensor] = ()) -> Plan:
        """The plan that `run(fetches, {feeds...})` uses."""
        return self.executable(fetches, feeds).plan

    def executable(self, fetches: Any, feeds: Sequence[SymbolicTensor] = ()) -> Executable:
        """The executable that `run(fetches, {feeds...})` runs."""
        return self._prepared(fetches, tuple(feeds)).executable

    def _prepare(self, fetches: Any, keys: tuple[SymbolicTensor, ...], elements: list[Any]) -> Prepared:
        fetched = parse_fetches(self._graph, fetches)
        for key in keys:
            if not self._graph.is_feedable(key):
                raise ValueError(f"Tensor {key.name} may not be fed.")
        soft = bool(getattr(self._config, "allow_soft_placement", False)) if self._config is not None else False
        passes = None if self._target is None else ELSEWHERE
        if self._target is None:
            pruned = self._places_pruned_graph or asks_for_pruning(self._config)
            nodes = fetched.operations() if pruned else self._graph.nodes[self._placed :]
            check_devices([n for n in nodes if n.device], soft, self._config)
            self._placed = len(self._graph.nodes)
        try:
            with context.using(EAGER_RUN):  # folding a call runs it
                plan = building.build(self._graph, fetched.elements, keys, passes, self._folded)
            bind = self._laid_out if self._target is None else self._target.executable
            executable = bind(plan, self._graph, soft)
        except errors.OpError as error:
            self._name_operation(error)
            raise
        if getattr(self._config, "log_device_placement", False) or placement.get_log_device_placement():
            placement.log(executable.plan)
        return Prepared(executable, fetched, keys, self._graph.version, elements)

    def _laid_out(self, plan: Plan, graph: Graph, soft: bool) -> Executable:
        """A plan bound to its graph, on the devices of this process."""
        check_devices([s for s in plan.steps if s.asked], soft, self._config)
        compile = xla_segments.everywhere if asks_for_jit(self._config) else xla_segments.asked(False)
        executable = Executable(device_layout.laid_out(plan, compile, border=device.CPU), graph)
        executable.title = "Session.run"
        return executable

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Begins a run that feeds and fetches in several steps.

        Args:
          fetches: all that its steps will fetch: a tensor, operation, name, or a nest of them.
          feeds: the tensors that they will feed.

        Returns:
          The handle for `partial_run`.

        Raises:
          InvalidArgumentError: if nothing is fetched, or a tensor stands twice among the feeds.
        """
        self._begun += 1
        handle = f"partial run {self._begun}"
        self._partial[handle] = PartialRun(self.graph, self.run, fetches, feeds)
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Continues a run: values that earlier steps fed and computed are reused, and no op runs twice.

        Args:
          handle: from `partial_run_setup`.
          fetches, feed_dict: as in `run`, of what was announced and did not come so far.

        Returns:
          A nest like `fetches`, as from `run`.

        Raises:
          InvalidArgumentError: for a run that has fetched all, and for what was not announced, comes again, or cannot
            be computed from what was fed so far.
        """
        begun = self._partial.get(handle)
        if begun is None:
            raise errors.InvalidArgumentError(None, None, "Must run 'setup' before performing partial runs!")
        result = begun.step(fetches, feed_dict)
        if not begun.left:
            del self._partial[handle]
        return result

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of the fed values, in order, that runs `fetches`.

        Args:
          fetches: a tensor, operation, name, or a nest of them.
          feed_list: the tensors that its arguments feed, or their names.
          accept_options: accepted; the function takes `options` and `run_metadata` by keyword in any case.
        """
        feeds = list(feed_list or [])
        prepared: Prepared | None = None

        @boundary
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal prepared
            try:
                if len(args) != len(feeds):
                    what = f"make_callable: feed_list has {len(feeds)} tensors, got {len(args)} values: {feeds}"
                    raise ValueError(what)
                if prepared is not None and prepared.version == self._graph.version and not (self._closed or kwargs):
                    return prepared.run(self, args, None)
                fed = dict(zip(feeds, args, strict=True))
                result = self.run(fetches, fed, **kwargs)
                if len(fed) == len(args) and not self._deadline(None):
                    keys, values = feed_items(self._graph, fed)
                    # A fed composite, or a tuple, is several tensors: `run` takes it apart each time.
                    if len(set(map(id, keys))) == len(args) and all(map(operator.is_, values, args)):
                        prepared = self._prepared(fetches, keys)
                return result
            except Exception as error:
                leave(error)
                raise

        return call

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that nodes can be placed on; the CPU has as many names as `device_count` of the config says."""
        return listed(self._target, self._config)

    def __repr__(self) -> str:
        where = "" if self._target is None else f" on {self._target.name}"
        name = f"{type(self).__name__} at {id(self):#x}{where}"
        return f"<{name}: {'closed' if self._closed else 'open'}, of {self._graph!r}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'Session' object")


@export("get_default_session")
def get_default_session() -> Session | None:
    """The session that `eval()` and `run()` use here; None outside of `with session:` and `session.as_default()`."""
    return context.DEFAULT_SESSION.get()  # type: ignore[no-any-return]
