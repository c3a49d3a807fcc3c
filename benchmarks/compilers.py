"""A Python function inside the programs of other compilers, beside their own means: `python -m benchmarks.compilers`.

JAX: `inlay.jax.op` beside `jax.pure_callback`, above the bare jitted program, by size, dtype and number of results, and
with a gradient. PyTorch, where it is installed: `inlay.torch.op` beside the bare `torch.library.custom_op`. Our own
plans: 20 pure ops around two host calls with `jit_compile=True`, beside the same without. Rounds go from way to way,
and ratios are taken within a round.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import inlay as tf
from benchmarks import ledger

ROUNDS, SECONDS, SMALL, LARGE, ROW = 15, 0.1, 8, 1_000_000, 50
BARE, PLAIN, COMPILED = "bare", "tf.function", "tf.function, jit_compile=True"
LEAST_COST = 0.1
"""The least cost, in times of the bare program: smaller differences are noise, and a copy is faster than XLA's loop."""

Ways = dict[str, Callable[[], Any]]


class Case(NamedTuple):
    """One case of the table.

    Attributes:
      ways: makes the ways to run it; the first one is what the others are compared with.
      ratio: the ratio of a round, from the times of the way and of the first two ways.
      goal: what the ratios should be, or "".
    """

    ways: Callable[[], Ways]
    ratio: Callable[[float, float, float], float]
    goal: str = ""


def above_bare(ours: float, bare: float, theirs: float) -> float:
    """The cost of the second way, above the bare program, over ours."""
    return (theirs - bare) / max(ours - bare, LEAST_COST * bare)


def beside_bare(ours: float, bare: float, _: float) -> float:
    """Our time over that of the first way."""
    return ours / bare


def times_faster(ours: float, plain: float, _: float) -> float:
    """The time of the first way over ours."""
    return plain / ours


def same(array: Any) -> Any:
    """The host function: its argument."""
    return array


def twice(array: Any) -> Any:
    """The host function with two results."""
    return array, array


def jax_ways(size: int | None = SMALL, dtype: str = "float32", times: int = 1, function: Any = same) -> Ways:
    """The ways to run one case with JAX, the bare program first and `pure_callback` second; each awaits its result.

    Args:
      size: elements of the argument; None is a scalar.
      dtype: of the elements.
      times: calls in a row.
      function: the host function.
    """
    import jax

    x, like = _argument(size, dtype)
    results = jax.tree.map(lambda _: like, jax.eval_shape(function, like))
    functions: dict[str, Callable[[Any], Any]] = {
        BARE: jax.numpy.logical_not if dtype == "bool" else lambda a: a + 1,
        "jax.pure_callback": lambda a: jax.pure_callback(function, results, a),
        "inlay.jax.op, arrays": tf.jax.op(function, results, mode="numpy"),
        "inlay.jax.op, lent arrays": tf.jax.op(function, results, mode="numpy", copy=False),
        "inlay.jax.op, tensors": tf.jax.op(function, results),
    }
    return {name: _program(way, x, times) for name, way in functions.items()}


def gradient_ways() -> Ways:
    """The ways to a value and its gradient: `pure_callback` has the gradient that is written here."""
    import jax

    x, like = _argument(SMALL, "float32")
    called = jax.custom_vjp(lambda a: jax.pure_callback(same, like, a))
    called.defvjp(
        lambda a: (jax.pure_callback(same, like, a), None),
        lambda _, g: (jax.pure_callback(same, like, g),),
    )
    functions: dict[str, Callable[[Any], Any]] = {
        BARE: lambda a: a + 1,
        "jax.pure_callback": called,
        "inlay.jax.op, arrays, grad=": tf.jax.op(same, like, mode="numpy", grad=lambda x, y, g: g),
        "inlay.jax.op, tensors": tf.jax.op(same, like),
    }
    return {name: _program(_value_and_gradient(jax, way), x) for name, way in functions.items()}


def _argument(size: int | None, dtype: str) -> tuple[Any, Any]:
    """An array, and its shape and dtype."""
    import jax

    numbers = np.arange(1 if size is None else size).reshape(() if size is None else size)
    x = jax.numpy.asarray(numbers.astype(dtype))
    return x, jax.ShapeDtypeStruct(x.shape, x.dtype)


def _program(function: Callable[[Any], Any], x: Any, times: int = 1) -> Callable[[], Any]:
    """The compiled program of so many calls in a row."""
    import jax

    def repeated(a: Any) -> Any:
        for _ in range(times):
            a = function(a)
        return a

    compiled = jax.jit(repeated)
    return lambda: jax.block_until_ready(compiled(x))


def _value_and_gradient(jax: Any, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    both = jax.value_and_grad(lambda a: function(a).sum())
    return lambda a: sum(both(a))


def wide_ways() -> Ways:
    """`jax_ways` with 64-bit types."""
    import jax

    def wide(run: Callable[[], Any]) -> Callable[[], Any]:
        def within() -> Any:
            with jax.enable_x64(True):
                return run()

        return within

    with jax.enable_x64(True):
        return {name: wide(run) for name, run in jax_ways(dtype="float64").items()}


def torch_ways(size: int = SMALL) -> Ways:
    """The ways to run one case with PyTorch, the bare `custom_op` first."""
    import torch

    x = torch.arange(size, dtype=torch.float32)

    def negated(array: Any) -> Any:
        return np.negative(array)

    bare = torch.library.custom_op(
        "inlay_benchmarks::negated",
        lambda a: torch.from_numpy(negated(a.numpy())),
        mutates_args=(),
        schema="(Tensor a) -> Tensor",
    )
    op = tf.torch.op(negated, lambda a: a, mode="numpy", copy=False)
    return {BARE: lambda: bare(x), "inlay.torch.op": lambda: op(x)}


def plan_ways(size: int) -> Ways:
    """20 pure ops around two host calls, in a `tf.function` without and with `jit_compile`."""

    def ops(x: Any, count: int) -> Any:
        for k in range(count):
            x = x * 0.5 if k % 2 else x + 1.0
        return x

    def around(x: Any) -> Any:
        x = tf.numpy_function(same, [ops(x, 7)], tf.float32)
        x = tf.numpy_function(same, [ops(x, 7)], tf.float32)
        return ops(x, 6)

    x = tf.constant(np.linspace(0, 1, size, dtype=np.float32))
    plain, compiled = tf.function(around), tf.function(around, jit_compile=True)
    return {PLAIN: lambda: plain(x), COMPILED: lambda: compiled(x)}


def measure(title: str, case: Case, rounds: int, seconds: float = SECONDS) -> dict[str, Any]:
    """One ledger entry: seconds of a run by way, and the ratios of the ways that are ours.

    Args:
      title: of the case.
      case: the case.
      rounds: the number of rounds.
      seconds: about how long a way runs in a round.
    """
    ways, counts = case.ways(), {}
    for name, run in ways.items():
        for _ in range(5):
            run()
        begin = time.perf_counter()
        run()
        counts[name] = max(3, min(2000, int(seconds / max(time.perf_counter() - begin, 1e-6))))
    samples: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            samples[name].append(_median(ways[name], counts[name]))
    first, second = samples[names[0]], samples[names[1]]
    ratios = {
        name: ledger.spread(list(map(case.ratio, samples[name], first, second)))
        for name in names[1:]
        if not name.startswith("jax.")
    }
    return {
        "title": title,
        "seconds": {name: ledger.spread(values) for name, values in samples.items()},
        "ratios": ratios,
        "goal": case.goal,
    }


def _median(run: Callable[[], Any], count: int) -> float:
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    seconds = ", ".join(f"{name} {value['median'] * 1e6:.1f} us" for name, value in entry["seconds"].items())
    ratios = ", ".join(f"{name} {value['median']:.2f}" for name, value in entry["ratios"].items())
    goal = f"; goal {entry['goal']}" if entry["goal"] else ""
    return f"{entry['title']}: {seconds} | {ratios}{goal}"


SIZES = (100_000, 1_000_000, 4_000_000)
CASES: dict[str, Case] = {
    "one call": Case(jax_ways, above_bare, "≥ 12"),
    "50 in a row": Case(functools.partial(jax_ways, times=ROW), above_bare, "≥ 12"),
    "1e6 floats": Case(functools.partial(jax_ways, LARGE), above_bare, "≥ 2.5"),
    "1e4 floats": Case(functools.partial(jax_ways, 10_000), above_bare),
    "1e5 floats": Case(functools.partial(jax_ways, 100_000), above_bare),
    "a scalar": Case(functools.partial(jax_ways, None), above_bare),
    "8 int32": Case(functools.partial(jax_ways, dtype="int32"), above_bare),
    "8 bool": Case(functools.partial(jax_ways, dtype="bool"), above_bare),
    "8 float64": Case(wide_ways, above_bare),
    "two results": Case(functools.partial(jax_ways, function=twice), above_bare),
    "with its gradient": Case(gradient_ways, above_bare),
    "torch, one call": Case(torch_ways, beside_bare, "≤ 1.1"),
    "torch, 1e6 floats": Case(functools.partial(torch_ways, LARGE), beside_bare, "≤ 1.1"),
} | {
    f"20 ops around two calls, {size:,} floats": Case(functools.partial(plan_ways, size), times_faster, "≥ 1")
    for size in SIZES
}


def main() -> int:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compilers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of the titles of cases")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    entries, absent = [], {}
    for title, case in CASES.items():
        if not title.startswith(tuple(options.only)):
            continue
        try:
            entries.append(measure(title, case, 3 if options.quick else ROUNDS))
        except ImportError as error:
            absent[title] = str(error)
            continue
        print(line(entries[-1]), flush=True)
    for title, why in absent.items():
        print(f"{title} ABSENT: {why}")
    if not options.no_ledger:
        shared = {**ledger.header("compilers"), "quick": options.quick}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())
