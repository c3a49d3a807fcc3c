"""Where random numbers start: the seeds of process, graph and op, and the state of a draw."""

from __future__ import annotations

import contextlib
import os
import random as pyrandom
import struct
import threading
import weakref
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import forking
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.emit import graph_of
from inlay._src.core.opdef import OPS
from inlay._src.core.state import Resource
from inlay._src.core.tensor import EagerTensor, SymbolicTensor

MAXINT32 = 2**31 - 1

DEFAULT_GRAPH_SEED = 87654321


def entropy() -> int:
    """64 bits from the operating system; `secrets` gives the same and takes 6 ms to import."""
    return int.from_bytes(os.urandom(8), "little")


class RandomState(Resource):
    """Where one stateful draw is in its sequence.

    Attributes:
      name, dtype, dims, trainable, owner: attributes of every resource.
      key, high: the seed; `position` is the next unused block.
      seeded: whether the seed was given, not drawn from the operating system.
      kept: whether it belongs to an object of the user's, not to an op.
      ahead: kind of draw -> numbers drawn ahead, and the count of those handed out; None where draws are made each at
        its own place of the sequence.
    """

    __slots__ = ("__weakref__", "ahead", "high", "kept", "key", "name", "position", "seeded")
    lock: Any = forking.new_lock()  # of all states: it is held for an addition, and most states make one draw
    dtype: dtypes.DType = dtypes.variant
    ahead: dict[Any, tuple[np.ndarray, int]] | None
    high: int
    key: int

    def __init__(self, name: str, seeds: tuple[int, int] | None) -> None:
        if seeds is None:
            self.key, self.high = struct.unpack("QQ", os.urandom(16))
        else:
            self.key, self.high = seeds[0] % 2**64, seeds[1] % 2**64
        self.name, self.position, self.seeded, self.kept, self.ahead = name, 0, seeds is not None, False, None

    # What error messages print of a runtime value.
    shape: tuple[()] = ()

    @property
    def counts(self) -> bool:
        """Whether it is that of an op that counts its executions; see `state_of_counter`."""
        return not self.key and not self.high

    def reserve(self, count: int) -> tuple[int, int, int]:
        """(key, upper counter, first block) of a draw of `count` blocks that nobody else gets."""
        with self.lock:
            start = self.position
            self.position = (start + count) % 2**64
        return self.key, self.high, start

    def __reduce__(self) -> Any:
        """Where it arrives it goes on from here, whatever becomes of this one."""
        return _continued, (self.name, (self.key, self.high), self.position, self.seeded, self.kept)

    def __repr__(self) -> str:
        return f"<RandomState {self.name}>"


def _continued(name: str, seeds: tuple[int, int], position: int, seeded: bool, owned: bool) -> RandomState:
    state = RandomState(name, seeds)
    state.position, state.seeded, state.kept = position, seeded, owned
    return state


class RandomKey(Resource):
    """Names the state of one draw of a graph; each session makes its own."""

    __slots__ = ("name", "seeds")
    dtype: dtypes.DType = dtypes.variant

    def __init__(self, name: str, seeds: tuple[int, int] | None) -> None:
        self.name, self.seeds = name, seeds

    def make(self) -> RandomState:
        """A state at its beginning."""
        return RandomState(self.name, self.seeds)

    def __repr__(self) -> str:
        return f"random state {self.name}"


class _Determinism:
    """Whether draws must name a seed; one for the process."""

    wanted = False


@export("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Makes every run of a program on one machine give the same results. Draws without any seed raise from then on.

    On a CPU all ops do so anyway. On a GPU, call it before the first op: XLA reads its flags once.

    Raises:
      RuntimeError: from draws that no seed determines.
    """
    _Determinism.wanted = True
    flag = "--xla_gpu_deterministic_ops=true"
    if flag not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()


def disable_op_determinism() -> None:
    """Lets draws do without a seed again."""
    _Determinism.wanted = False


def is_deterministic() -> bool:
    """Whether draws must name a seed."""
    return _Determinism.wanted


class _Eager(threading.local):
    """The starting state of a thread's eager draws.

    Attributes:
      seed: the seed that was set, or None.
      source: gives the op seeds of draws that name none.
      states: the states of draws that name a seed.
      unseeded: the state of those that no seed determines, as a tensor; None before the first.
    """

    def __init__(self) -> None:
        self.set(None)
        self.unseeded: EagerTensor | None = None

    def set(self, seed: int | None) -> None:
        self.seed, self.source = seed, pyrandom.Random(seed)
        self.states: dict[Any, RandomState] = {}


_eager = _Eager()


def _begin_child() -> None:
    _eager.unseeded = None  # else parent and child would draw the same numbers


forking.in_child(_begin_child)

_drawn: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()  # graph -> op seeds given out


@export("random.set_seed", "set_random_seed", "compat.v1.random.set_random_seed")
def set_seed(seed: int | None) -> None:
    """Sets the global seed: of the default graph while one is being built, else of eager execution.

    Args:
      seed: an integer; None takes the seed away.
    """
    number = None if seed is None else int(seed)
    if context.executing_eagerly():
        _eager.set(number)
    else:
        graphs.default_graph().seed = number


@export("compat.v1.get_seed", "compat.v1.random.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds an op would use here.

    Args:
      op_seed: the op's own seed, or None.

    Returns:
      (graph-level seed, op-level seed); (None, None) if neither is set.
    """
    return _seeds(op_seed, context.current().graph) or (None, None)


def _global_seed(graph: Any) -> int | None:
    """The seed of a graph; a function's that has none takes that of the graph around it, and outside of all the one of
    eager code."""
    while graph is not None and graph.seed is None and graph.building_function:
        graph = graph.outer
    return _eager.seed if graph is None else graph.seed


def _seeds(op_seed: Any, graph: Any) -> tuple[int, int] | None:
    if op_seed is not None:
        constant = graphs.static_value_of(op_seed) if isinstance(op_seed, SymbolicTensor) else None
        op_seed = int(op_seed if constant is None else constant)
    whole = _global_seed(graph)
    if whole is None:
        if op_seed is None:
            if _Determinism.wanted:
                raise RuntimeError(
                    "Random ops require a seed to be set when determinism is enabled. Please set a seed before running "
                    "the op, e.g. by calling tf.random.set_seed(1)."
                )
            return None
        whole = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        if graph is None:
            op_seed = _eager.source.randint(0, MAXINT32)
        else:
            op_seed = _drawn.get(graph, 0)
            _drawn[graph] = op_seed + 1
    pair = whole % MAXINT32, op_seed % MAXINT32
    return (0, MAXINT32) if pair == (0, 0) else pair


def state_of_draw(kind: str, op_seed: Any, inputs: tuple[Any, ...], of: Any = ()) -> tuple[Any, dict[str, int]]:
    """(the state input of a draw, its seed attributes)."""
    graph = context.current().graph
    if graph is None:
        graph = graph_of(inputs)
    seeds = _seeds(op_seed, graph)
    if seeds is None and graph is None:
        if _eager.unseeded is None:
            drawn = RandomState("unseeded draws", None)
            drawn.ahead = {}
            _eager.unseeded = EagerTensor(drawn, dtypes.resource)
        return _eager.unseeded, {"seed": 0, "seed2": 0}
    attrs = {"seed": seeds[0], "seed2": seeds[1]} if seeds is not None else {"seed": 0, "seed2": 0}
    if graph is None and op_seed is None:
        return EagerTensor(RandomState(kind, seeds), dtypes.resource), attrs
    return _state(kind, seeds, graph, of), attrs


def state_of_counter(kind: str, graph: Any, of: Any) -> Any:
    """The state input of an op that counts its executions from 0, as a draw with an op seed advances in its sequence.

    Args:
      kind: the op.
      graph: where the op will be; None if it runs eagerly.
      of: eager ops with the same hashable value count together.
    """
    return _state(kind, (0, 0), graph, of)


def _state(kind: str, seeds: tuple[int, int] | None, graph: Any, of: Any) -> Any:
    """The state input of a draw with these seeds; the eager ones of one `kind` and `of` share theirs."""
    if graph is None:
        key = (kind, of, seeds)
        if key not in _eager.states:
            _eager.states[key] = RandomState(kind, seeds)
        return EagerTensor(_eager.states[key], dtypes.resource)
    root: Any = graph
    while getattr(root, "outer", None) is not None:
        root = root.outer
    if root.building_function:
        return EagerTensor(RandomState(kind, seeds), dtypes.resource)
    with root.as_default(), root.control_dependencies(None):
        attrs = {"handle": root.resources.add(RandomKey(kind, seeds), "random_state"), "dtype": dtypes.variant}
        node = root.add(OPS["RandomStateOp"], (), attrs, (dtypes.resource,), ((),), "random_state")
    return node.outputs[0]


_NO_SCOPE = contextlib.nullcontext()


def draw_scope(name: str) -> contextlib.AbstractContextManager[Any]:
    """The scope of the nodes of a draw."""
    graph = context.current().graph
    return _NO_SCOPE if graph is None else graph.name_scope(name)
