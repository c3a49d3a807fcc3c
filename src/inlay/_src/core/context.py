"""Where an op call goes: the current graph, scope, control inputs, device and tapes; `name_scope` and `device`.

One immutable `State` in one context variable. A helper thread that runs part of a caller's work runs in a copy of
the caller's context, so bodies see what the caller sees.
"""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from inlay._src.base.export import export
from inlay._src.base.spans import SPANS
from inlay._src.core import device as device_names
from inlay._src.core.controls import Controls

if TYPE_CHECKING:
    from inlay._src.core.graph import Graph, Operation
    from inlay._src.core.tensor import SymbolicTensor


class DeviceFunction(NamedTuple):
    """A function that says where nodes run (`compat.v1.device(function)`).

    Attributes:
      function: `function(node)` gives a device string, or None.
      device: the canonical device of the scopes around it, up to the next such function.
      beyond: that one.
    """

    function: Callable[[Operation], Any]
    device: str
    beyond: DeviceFunction | None

    def place(self, node: Operation) -> None:
        """Says where a node runs; it is on the device of the scopes inside this one's."""
        device_name = self.function(node)
        node.device = device_names.canonical("" if device_name is None else device_name, self.device)
        if self.beyond is not None:
            self.beyond.place(node)


_logs_placement = False
"""Whether ops tell on standard error where they run."""
_observed = False
"""Whether each call is observed: spans are recorded, or the calls of host functions."""


class State:
    """One position of the program: immutable; `replace` makes the next one.

    Attributes:
      graph: the graph that ops are added to, or None while executing eagerly.
      scope: the name prefix, with a trailing slash unless empty.
      control: the blocks that say which operations a new node must follow, outermost first.
      device: the canonical device string, or "".
      tapes: the recordings that listen, outermost first.
      overrides: op type -> registered gradient name (`Graph.gradient_override_map`).
      host: label of the host function whose body is running, or None.
      placing: the innermost function in force that says where nodes run, or None.
      elsewhere: (graph, name prefix) of scopes of graphs that are not in force, innermost first.
      executor: where host functions without `executor=` run; None is in place.
      lends: whether tensors lend their memory as read-only views: in the body of a function made with `copy=False`.
      colocated: the operations that new nodes are placed with, innermost first.
      here: whether ops run at once, nowhere that was asked for.
      eager: the same, and nobody observes them or reads where they run: then a fast path may run them.
    """

    # Every eager call reads `eager` and `tapes`: slots are read in half the time of a named tuple's fields.
    __slots__ = (
        "colocated", "control", "device", "eager", "elsewhere", "executor", "graph", "here", "host", "lends",
        "overrides", "placing", "scope", "tapes",
    )  # fmt: skip
    elsewhere: tuple[tuple[Graph, str], ...]
    colocated: tuple[Operation, ...]
    control: tuple[Controls, ...]
    device: str
    graph: Graph | None
    scope: str
    host: str | None
    overrides: tuple[tuple[str, str], ...]
    placing: DeviceFunction | None
    executor: Any
    lends: bool
    tapes: tuple[Any, ...]

    def __init__(
        self,
        graph: Graph | None = None,
        scope: str = "",
        control: tuple[Controls, ...] = (),
        device: str = "",
        tapes: tuple[Any, ...] = (),
        overrides: tuple[tuple[str, str], ...] = (),
        host: str | None = None,
        placing: DeviceFunction | None = None,
        elsewhere: tuple[tuple[Graph, str], ...] = (),
        executor: Any = None,
        lends: bool = False,
        colocated: tuple[Operation, ...] = (),
    ) -> None:
        self.graph, self.scope, self.control, self.device = graph, scope, control, device
        self.tapes, self.overrides, self.host, self.placing, self.elsewhere = tapes, overrides, host, placing, elsewhere
        self.executor, self.lends, self.colocated = executor, lends, colocated
        self.here: bool = graph is None and not device and executor is None
        self.eager: bool = self.here and not (_logs_placement or _observed)

    def followed(self, graph: Graph, inputs: Sequence[SymbolicTensor]) -> list[Operation]:
        """The operations that a new node of `graph` must follow, in addition to those that its inputs follow."""
        producers = {t.op for t in inputs}
        blocks = [block for block in self.control if block.made.isdisjoint(producers)]
        operations = dict.fromkeys(c for block in blocks for c in block.operations)
        return [c for c in operations if c.graph is graph and c not in producers]

    def note_made(self, node: Operation) -> None:
        """Notes a new node; consumers of its results follow the same operations. It is placed with `colocated`."""
        if self.colocated and node.graph is self.graph:
            node.colocate(self.colocated)
        for block in self.control:
            block.made.add(node)

    def with_tapes(self, tapes: tuple[Any, ...]) -> State:
        """The same position with other tapes."""
        return State(
            self.graph, self.scope, self.control, self.device, tapes, self.overrides, self.host, self.placing,
            self.elsewhere, self.executor, self.lends, self.colocated,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(getattr(self, n) == getattr(other, n) for n in State.__slots__)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def replace(self, **changes: Any) -> State:
        """The same position with some changes."""
        state = State(
            self.graph, self.scope, self.control, self.device, self.tapes, self.overrides, self.host, self.placing,
            self.elsewhere, self.executor, self.lends, self.colocated,
        )  # fmt: skip
        for name, value in changes.items():
            setattr(state, name, value)
        state.here = state.graph is None and not state.device and state.executor is None
        state.eager = state.here and not (_logs_placement or _observed)
        return state

    def lasting(self) -> State:
        """The position itself, which lasts as long as the process: it hears of changes of what is observed."""
        _LASTING.append(self)
        return self


def logs_placement() -> bool:
    """Whether ops that run at once tell, on standard error, where they run."""
    return _logs_placement


def log_placement(enabled: bool) -> None:
    """Says whether ops that run at once tell, on standard error, where they run."""
    global _logs_placement
    _logs_placement = enabled
    _update_fast_paths()


def observe(intercepted: bool = False) -> None:
    """Has no fast path run calls while spans are recorded, or if calls of host functions are intercepted."""
    global _observed
    _observed = intercepted or SPANS.on
    _update_fast_paths()


def _update_fast_paths() -> None:
    for state in (*_LASTING, _base, _CURRENT.get()):
        if state is not None:
            state.eager = state.here and not (_logs_placement or _observed)


_LASTING: list[State] = []
EAGER = State().lasting()
SPANS.on_switch(observe)
_CURRENT: contextvars.ContextVar[State | None] = contextvars.ContextVar("inlay_state", default=None)
# What holds where no context manager is open; `disable_eager_execution` changes it for the whole process.
_base = EAGER

get: Callable[[], State | None] = _CURRENT.get
set_state: Callable[[State | None], Any] = _CURRENT.set
reset: Callable[[Any], None] = _CURRENT.reset


def current() -> State:
    """The state in force here."""
    return _CURRENT.get() or _base


def scope_of(graph: Graph) -> str:
    """The prefix of the names of new nodes of a graph."""
    state = current()
    if state.graph is graph:
        return state.scope
    return next((scope for home, scope in state.elsewhere if home is graph), "")


def base() -> State:
    """The state outside every context manager."""
    return _base


def set_base(state: State) -> None:
    """Changes the state outside every context manager, for the whole process."""
    global _base
    _base = state


@contextmanager
def using(state: State) -> Iterator[State]:
    """Runs the block in `state`."""
    before = _CURRENT.get()
    _CURRENT.set(state)
    try:
        yield state
    finally:
        _restore(before)


# Blocks of graphs that were left while one inside them was still open: their state by its identity, and what held
# before. Whoever would restore such a state restores that instead.
_left: dict[int, tuple[State, State | None]] = {}


def _restore(before: State | None) -> None:
    while _left and id(before) in _left:
        before = _left.pop(id(before))[1]
    _CURRENT.set(before)


@contextmanager
def building(graph: Graph) -> Iterator[State]:
    """Makes `graph` the one in force in the block; AssertionError if it is left before another one inside it."""
    before = _CURRENT.get()
    here = before or _base
    state = here.replace() if here.graph is graph else _entered(graph, here)
    _CURRENT.set(state)
    try:
        yield state
    finally:
        now = current().graph
        if now is graph:
            _restore(before)
        elif now is not None:
            _left[id(state)] = state, before
            raise AssertionError(f"Nesting violated for default stack of {type(graph)} objects")


def _entered(graph: Graph, around: State) -> State:
    """The state of a block that builds another graph than the one in force."""
    graph.entered(around)
    return State(graph=graph, tapes=around.tapes, scope=scope_of(graph), executor=around.executor)


def home() -> Graph | None:
    """The graph in force outside every function, branch and loop that is being traced; None if that is eagerness."""
    graph: Any = current().graph
    while graph is not None and graph.building_function:
        graph = graph.outer
    return graph  # type: ignore[no-any-return]


def keeper() -> Graph | None:
    """The graph that keeps variables by name: `home`, or a function around that was wrapped as code of 1.x."""
    graph: Any = current().graph
    while graph is not None and graph.building_function and not graph.in_v1:
        graph = graph.outer
    return graph  # type: ignore[no-any-return]


@contextmanager
def within(graph: Graph) -> Iterator[State]:
    """Runs the block where ops are added to `graph`: here if it is the current one, else outside its scopes.

    Tapes, control inputs, device and gradient overrides stay in force.
    """
    state = current()
    if state.graph is not graph:
        state = state.replace(graph=graph, scope="", host=None)
    with using(state):
        yield state


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops run at once here (True) or are added to a graph (False)."""
    return current().graph is None


@export("compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once where no function is being traced."""
    return home() is None


@export("inside_function")
def inside_function() -> bool:
    """Whether the calling code runs while a function is being traced, rather than eagerly or in a graph of 1.x."""
    graph = current().graph
    return graph is not None and graph.building_function


@export("name_scope")
class name_scope:
    """Names of nodes created in the block start with `name/`. A trailing slash re-opens a scope.

    Args:
      name: the prefix (1.x: None takes `default_name`).
      default_name: the prefix if `name` is None.
      values: ignored; a 1.x argument.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        self._name = default_name if name is None else name
        # One for each time it was entered, by thread: a `Module` has one scope for all of them.
        self._managers: dict[int, list[AbstractContextManager[str]]] = {}

    @property
    def name(self) -> str | None:
        """The name that the scope was asked for."""
        return self._name

    def __enter__(self) -> str:
        state = current()
        if self._name is not None and not isinstance(self._name, str):
            raise ValueError("name for name_scope must be a string.")
        if state.graph is None:  # eager ops have no names, but variables made in the block do
            scope = self._name if not self._name or self._name.endswith("/") else f"{state.scope}{self._name}/"
            manager = _eager_scope(state.replace(scope=scope or ""))
        else:
            manager = state.graph.name_scope(self._name)
        entered = manager.__enter__()
        self._managers.setdefault(threading.get_ident(), []).append(manager)
        return entered

    def __exit__(self, *error: Any) -> None:
        here = self._managers[threading.get_ident()]
        manager = here.pop()
        if not here:
            del self._managers[threading.get_ident()]
        manager.__exit__(*error)


Function = TypeVar("Function", bound=Callable[..., Any])


def in_scope(label: str) -> Callable[[Function], Function]:
    """A decorator: the nodes of a function's calls are below `label/`, or below the name in its argument `name`."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def scoped(*args: Any, **kwargs: Any) -> Any:
            if (get() or base()).graph is None:
                return function(*args, **kwargs)
            with name_scope(kwargs.get("name"), label):
                return function(*args, **kwargs)

        return scoped  # type: ignore[return-value]

    return decorate


@export("compat.v1.op_scope")
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> name_scope:
    """`name_scope` with its arguments in the first order.

    Args:
      values: ignored, as in `name_scope`.
      name: the prefix.
      default_name: the prefix if `name` is None.
    """
    return name_scope(name, default_name, values)


@contextmanager
def _eager_scope(state: State) -> Iterator[str]:
    with using(state):
        yield state.scope


@export("device")
def device(device_name: Any) -> AbstractContextManager[None]:
    """Ops in the block are placed on a device.

    Args:
      device_name: `"/CPU:0"`, `"/device:GPU:0"`, `"/job:worker/task:1"`; None leaves every device scope.

    Raises:
      ValueError: if the string is no device. Where a device is not there, ops run on the CPU
        (`config.set_soft_device_placement`), but in sessions, which ask for soft placement themselves.
      RuntimeError: for a function; `compat.v1.device` takes one.
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    return device_v1(device_name)


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """The name scope in force, without a trailing slash: "a/b", or "" outside of all."""
    return current().scope.rstrip("/")


@export("compat.v1.colocate_with")
@contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Ops in the block are placed where another operation was placed, whatever scopes around it say.

    Args:
      op: an operation, a tensor or a variable; None, with `ignore_existing`, leaves the scopes.
      ignore_existing: whether the block leaves the colocations around it, and `op` may be None.

    Raises:
      ValueError: if `op` is None without `ignore_existing`.
    """
    if op is None and not ignore_existing:
        raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
    state = current()
    around = () if ignore_existing else state.colocated
    node = getattr(op, "op", op) if state.graph is not None else None
    colocated = around if node is None or node.graph is not state.graph else (node, *around)
    with using(state.replace(colocated=colocated)), device_v1(None), device_v1("" if op is None else op.device or ""):
        yield


@export("compat.v1.device")
@contextmanager
def device_v1(device_name_or_function: Any) -> Iterator[None]:
    """Ops in the block are placed on a device.

    Args:
      device_name_or_function: an argument of `device`, or, while a graph is built, a function of an operation that
        returns such a name, or None; it may read the operation's own `device`, which scopes inside this one gave it.

    Raises:
      ValueError: if the string is no device.
      RuntimeError: for a function while executing eagerly, and if the block is left before another one inside it.
    """
    state = current()
    if callable(device_name_or_function):
        if state.graph is None:
            raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
        state = state.replace(placing=DeviceFunction(device_name_or_function, state.device, state.placing), device="")
    elif device_name_or_function is None:
        state = state.replace(device="", placing=None)
    else:
        state = state.replace(device=device_names.canonical(device_name_or_function, state.device))
    before = _CURRENT.get()
    _CURRENT.set(state)
    try:
        yield
    except GeneratorExit:
        raise  # nobody left this scope: the garbage collector found it, at a moment that is no part of the program
    except BaseException:
        _restore(before)  # the block's own error is the one to see, whatever scopes it left open
        raise
    now = current()
    _restore(before)
    if (now.device, now.placing) != (state.device, state.placing):
        raise RuntimeError("Exiting device scope without proper scope nesting")


@export("init_scope")
@contextmanager
def init_scope() -> Iterator[None]:
    """Leaves every function being traced: ops in the block run eagerly, or in the outermost graph.

    The name scope and the device in force stay; control inputs and tapes are left.
    """
    state, graph = current(), home()
    place = state.device or getattr(state.graph, "place", "")
    placing = None if graph is None else state.placing
    with using(State(graph, state.scope, device=place, placing=placing)):
        yield


class _DefaultSession(threading.local):
    """The innermost `with session.as_default()` of this thread."""

    def __init__(self) -> None:
        self.stack: list[Any] = []

    def get(self) -> Any:
        return self.stack[-1] if self.stack else None


DEFAULT_SESSION = _DefaultSession()
