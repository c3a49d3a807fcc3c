"""`Session`: runs parts of a graph. Fetches and feeds in, a plan from the cache, values out."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import context, device, values
from inlay.core import graph as graphs
from inlay.core.graph import Graph, Operation
from inlay.core.state import Store
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.plan import build as building
from inlay.plan.plan import Plan
from inlay.run import serial, takeover
from inlay.types import dtypes, nest, shapes
from inlay.types.nest import Composite

ndarray = np.ndarray


class _Options:
    """A bag of options: every name may be set and read."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Options()
        self.__dict__[name] = made
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class GPUOptions(_Options):
    """GPU options, accepted as TensorFlow does."""


class ConfigProto(_Options):
    """A session's configuration. `allow_soft_placement` has meaning; the rest is accepted."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{
                "allow_soft_placement": False,
                "log_device_placement": False,
                "intra_op_parallelism_threads": 0,
                "inter_op_parallelism_threads": 0,
                **options,
            }
        )


class RunOptions(_Options):
    """One run's options. `timeout_in_ms` has meaning: the run returns at the deadline."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"timeout_in_ms": 0, "trace_level": 0, **options})


class RunMetadata(_Options):
    """What a run reports; empty."""


_EAGER_RUN = context.State(host="a host function")


class _Fetched:
    """One parsed fetch structure: which graph elements it needs and how to build the result."""

    __slots__ = ("elements", "pack")

    def __init__(self, elements: list[Any], pack: Callable[[list[Any]], Any]) -> None:
        self.elements, self.pack = elements, pack


class _Prepared:
    """A plan with what a session needs to run it."""

    __slots__ = ("converters", "extra", "fetch_dtypes", "fetched", "feed_of_fetch", "plan", "resources", "template")

    def __init__(
        self,
        plan: Plan,
        fetched: _Fetched,
        converters: list[Any],
        fetch_dtypes: list[Any],
        feed_of_fetch: list[int | None],
        resources: list[tuple[int, Any]],
    ) -> None:
        self.plan, self.fetched, self.converters = plan, fetched, converters
        self.fetch_dtypes, self.feed_of_fetch, self.resources = fetch_dtypes, feed_of_fetch, resources
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
            return _with_deadline(lambda: self._run(fetches, feed_dict), timeout / 1000)
        return self._run(fetches, feed_dict)

    def _run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None) -> Any:
        keys, fed = _feed_items(self._graph, feed_dict) if feed_dict else ((), ())
        prepared = self._prepared(fetches, keys)
        cells = prepared.template.copy()
        for feed, convert, value in zip(prepared.plan.feeds, prepared.converters, fed, strict=True):
            converted = convert(value)
            cells[feed.slot] = converted.copy() if feed.escapes and converted.__class__ is ndarray else converted
        for slot, key in prepared.resources:
            cells[slot] = self._store.cell(key)
        self.execute(prepared.plan, cells)
        out = []
        for i, slot in enumerate(prepared.plan.fetches):
            at = prepared.feed_of_fetch[i]
            if at is not None:
                out.append(prepared.converters[at](fed[at]))
            else:
                out.append(_leaving(cells, slot, prepared.fetch_dtypes[i]))
        return prepared.fetched.pack(out)

    def execute(self, plan: Plan, cells: list[Any]) -> None:
        """Runs a plan's steps; errors name their operation."""
        before = context.get()
        context.set_state(_EAGER_RUN)
        try:
            (takeover if plan.concurrent else serial).execute(plan, cells)
        except errors.OpError as error:
            self._name_operation(error)
            raise
        finally:
            context.set_state(before)

    def _name_operation(self, error: errors.OpError) -> None:
        if error._op is None:
            _, _, rest = error.message.partition("[[{{node ")
            node = self._graph._by_name.get(rest.partition("}}")[0])
            if node is not None:
                error._op, error._node_def = node, node.node_def

    def _prepared(self, fetches: Any, keys: tuple[SymbolicTensor, ...]) -> _Prepared:
        key = (self._graph.version, _fetch_key(fetches), *map(id, keys))
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._prepare(fetches, keys)
        return found

    def plan(self, fetches: Any, feeds: Sequence[SymbolicTensor] = ()) -> Plan:
        """The plan that `run(fetches, {feeds...})` uses."""
        return self._prepared(fetches, tuple(feeds)).plan

    def _prepare(self, fetches: Any, keys: tuple[SymbolicTensor, ...]) -> _Prepared:
        fetched = parse_fetches(self._graph, fetches)
        soft = bool(getattr(self._config, "allow_soft_placement", False)) if self._config is not None else False
        plan = building.build(self._graph, fetched.elements, keys, folded=self._folded)
        for step in plan.steps:
            placed = self._graph._by_name[step.name].device
            if placed:
                device.check(placed, f"{step.name}: {step.op}", soft)
        tensors = [e for e in fetched.elements if isinstance(e, SymbolicTensor)]
        position = {id(k): i for i, k in enumerate(keys)}
        operations = [e for e in fetched.elements]
        prepared = _Prepared(
            plan,
            _Fetched(operations, _with_operations(fetched)),
            [feed_converter(k) for k in keys],
            [t.dtype for t in tensors],
            [position.get(id(t)) for t in tensors],
            list(plan.resources),
        )
        prepared.fetched = _Fetched(fetched.elements, _with_operations(fetched))
        # Fetched objects must outlive the cache entry: identities are part of its key.
        prepared.fetch_dtypes = [t.dtype for t in tensors]
        prepared.extra = (fetches, keys)
        return prepared

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


def _with_deadline(job: Callable[[], Any], seconds: float) -> Any:
    """Runs `job` on a helper thread and returns at the deadline, whatever it does."""
    import contextvars

    done = threading.Event()
    box: list[Any] = []
    state = contextvars.copy_context()

    def work() -> None:
        try:
            box.append((True, state.run(job)))
        except BaseException as error:
            box.append((False, error))
        finally:
            done.set()

    takeover.HELPERS.submit(work)
    if not done.wait(seconds):
        raise errors.DeadlineExceededError(
            None,
            None,
            f"Timed out waiting for notification: the run did not end within "
            f"{seconds:g} s. What was running goes on in the background; its result is "
            "dropped.",
        )
    ok, value = box[0]
    if ok:
        return value
    raise value


# ---------------------------------------------------------------- fetches


def _fetch_key(fetches: Any) -> Any:
    """A hashable identity of a fetch structure."""
    if isinstance(fetches, (SymbolicTensor, Operation)):
        return id(fetches)
    if isinstance(fetches, (str, bytes)):
        return fetches
    if isinstance(fetches, (list, tuple)):
        return type(fetches), *map(_fetch_key, fetches)
    if isinstance(fetches, Mapping):
        return (
            type(fetches),
            getattr(fetches, "default_factory", None),
            *((k, _fetch_key(v)) for k, v in fetches.items()),
        )
    return type(fetches), id(fetches)


def parse_fetches(graph: Graph, fetches: Any) -> _Fetched:
    """The graph elements of a fetch structure, each once, and how to rebuild the structure from their values.

    Raises:
      TypeError, ValueError: with TensorFlow's wording.
    """
    elements: list[Any] = []
    index: dict[int, int] = {}

    def element(item: Any) -> int:
        at = index.get(id(item))
        if at is None:
            at = index[id(item)] = len(elements)
            elements.append(item)
        return at

    def visit(part: Any) -> Callable[[list[Any]], Any]:
        if part is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        if isinstance(part, (list, tuple)):
            return _rebuilder(part, [visit(p) for p in part])
        if isinstance(part, Mapping):
            return _mapping_rebuilder(part, [visit(v) for v in part.values()])
        if isinstance(part, Composite):
            inner = [visit(c) for c in part._components()]
            return lambda got: part._session_value([f(got) for f in inner])  # type: ignore[attr-defined]
        if nest.is_nested(part):
            flat = [visit(v) for v in nest.flatten(part)]
            return lambda got: nest.pack_sequence_as(part, [f(got) for f in flat])
        at = element(_as_element(graph, part))
        return lambda got: got[at]

    pack = visit(fetches)
    return _Fetched(elements, pack)


def _rebuilder(part: Any, inner: list[Callable[[list[Any]], Any]]) -> Callable[[list[Any]], Any]:
    if isinstance(part, list):
        return lambda got: [f(got) for f in inner]
    if hasattr(part, "_fields"):
        return lambda got: type(part)(*(f(got) for f in inner))
    return lambda got: tuple(f(got) for f in inner)


def _mapping_rebuilder(part: Any, inner: list[Callable[[list[Any]], Any]]) -> Callable[[list[Any]], Any]:
    keys = list(part)

    def build(got: list[Any]) -> Any:
        pairs = [(k, f(got)) for k, f in zip(keys, inner, strict=True)]
        if type(part) is dict:
            return dict(pairs)
        made = type(part)(part.default_factory) if hasattr(part, "default_factory") else type(part)()
        made.update(pairs)
        return made

    return build


def _as_element(graph: Graph, item: Any) -> Any:
    if isinstance(item, EagerTensor):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
    try:
        return graph.as_graph_element(item)
    except TypeError:
        raise TypeError(
            f'Argument `fetch` = {item} has invalid type "{type(item).__name__}" must be a string or Tensor.'
        ) from None
    except (ValueError, KeyError) as error:
        text = error.args[0] if error.args else str(error)
        raise ValueError(
            f"Argument `fetch` = {item} cannot be interpreted as a Tensor. ({text!r})"
            if isinstance(error, KeyError)
            else f"Argument `fetch` = {item} cannot be interpreted as a Tensor. ({text})"
        ) from None


def _with_operations(fetched: _Fetched) -> Callable[[list[Any]], Any]:
    """The packer over the values of tensors only: operations give None."""
    places = [isinstance(e, SymbolicTensor) for e in fetched.elements]
    if all(places):
        return fetched.pack

    def pack(got: list[Any]) -> Any:
        rest = iter(got)
        return fetched.pack([next(rest) if is_tensor else None for is_tensor in places])

    return pack


def _leaving(cells: list[Any], slot: int, dtype: Any) -> Any:
    """A fetched value as the caller's own: copied unless nobody else can reach it."""
    value = cells[slot]
    if value.__class__ is ndarray:
        if not value.ndim:
            return value[()]
        # References: the cell, `value`, the argument of getrefcount.
        if value.base is None and value.flags.owndata and sys.getrefcount(value) <= 3 and value.flags.writeable:
            return value
        return value.copy()
    if not isinstance(value, np.generic) and dtype not in (dtypes.resource, dtypes.variant):
        value = np.asarray(value)
        return value.copy() if value.ndim else value[()]
    return value


# ---------------------------------------------------------------- feeds


def _feed_items(graph: Graph, feed_dict: Any) -> tuple[tuple[SymbolicTensor, ...], tuple[Any, ...]]:
    """The fed tensors and their values."""
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"Argument `feed_dict` = {feed_dict} must be a dictionary, got {type(feed_dict).__name__}")
    keys: list[SymbolicTensor] = []
    fed: list[Any] = []
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            parts = list(value) if isinstance(value, (list, tuple)) else [value]
            if len(parts) != len(key):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(key)} elements, but value had {len(parts)} "
                    f"elements. Key: {key}, value: {value!r}."
                )
            pairs = list(zip(key, parts, strict=True))
        elif isinstance(key, Composite):
            pairs = list(zip(key._components(), key._feed_components(value), strict=True))  # type: ignore[attr-defined]
        else:
            pairs = [(key, value)]
        for k, v in pairs:
            keys.append(_feed_key(graph, k))
            fed.append(v)
    return tuple(keys), tuple(fed)


def _feed_key(graph: Graph, key: Any) -> SymbolicTensor:
    if key.__class__ is SymbolicTensor and key.op.graph is graph:
        return key
    try:
        return graph.as_graph_element(key, allow_operation=False)  # type: ignore[no-any-return]
    except (TypeError, ValueError, KeyError) as error:
        text = error.args[0] if error.args else str(error)
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None


def feed_converter(tensor: SymbolicTensor) -> Callable[[Any], Any]:
    """How a fed value becomes a runtime value of a tensor's dtype and shape."""
    want, numpy_dtype = tensor.dtype, tensor.dtype.np
    name = tensor.name

    def convert(value: Any) -> Any:
        if value.__class__ is ndarray and value.dtype is numpy_dtype and want is not dtypes.string:
            array = value if value.flags.c_contiguous else np.ascontiguousarray(value)
        else:
            array = _feed_value(tensor, value)
        if not shapes.compatible(array.shape, tensor._dims):
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {name}, which has shape {tensor.shape}"
            )
        return array

    return convert


def _feed_value(tensor: SymbolicTensor, value: Any) -> Any:
    want = tensor.dtype
    if isinstance(value, SymbolicTensor):
        raise TypeError(
            f"The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
            f"scalars, strings, lists, numpy ndarrays, or eager tensors. For reference, the tensor object was "
            f"{value!r} which was passed to the feed with key {tensor.name}."
        )
    if isinstance(value, EagerTensor):
        value = value._value
    if want in (dtypes.resource, dtypes.variant):
        return value
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and want.is_integer
        and not (np.iinfo(want.np).min <= value <= np.iinfo(want.np).max)
    ):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{want.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        )
    try:
        natural = np.asarray(value, dtype=object if want is dtypes.string else None)
    except ValueError as error:
        raise ValueError(f"Cannot feed {tensor.name}: the value is not rectangular ({error})") from error
    if want is not dtypes.string and natural.dtype.kind in "US":
        first = natural.reshape(-1)[0] if natural.size else ""
        raise ValueError(f"could not convert string to {want.c_name}: {first!r} (fed to {tensor.name})")
    if want is not dtypes.string and natural.dtype == object:
        raise TypeError(f"Cannot feed {value!r} to {tensor.name} of dtype {want.name}")
    try:
        if want is dtypes.string:
            return values.string_array(natural)
        return np.asarray(values.lossless(natural, want))
    except (ValueError, TypeError) as error:
        raise type(error)(f"{error} (fed to {tensor.name})") from error
