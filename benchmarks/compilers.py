"""A Python function inside the programs of other compilers, beside their own means: `python -m benchmarks.compilers`.

JAX: `inlay.jax.op` beside `jax.pure_callback`, above the bare jitted program: one call on 8 floats, 50 in a row, one
on a million floats, and a call with its gradient. PyTorch, where it is installed: `inlay.torch.op` beside the bare
`torch.library.custom_op`. Rounds go from way to way, and ratios are taken within a round.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import inlay as tf
from benchmarks import ledger

ROUNDS, SMALL, LARGE, ROW = 15, 8, 1_000_000, 50
BARE = "bare"
LEAST_COST = 0.1
"""The least cost, in times of the bare program: smaller differences are noise, and a copy is faster than XLA's loop."""
GOALS = {"one call": 12.0, "50 in a row": 12.0, "1e6 floats": 2.5}
"""Title -> the least ratio of the costs of `pure_callback` and inlay above the bare program."""

Ways = dict[str, Callable[[], Any]]


def jax_ways(title: str) -> Ways:
    """The ways to run one case with JAX, the bare program first and `pure_callback` second; each awaits its result."""
    import jax
    import jax.numpy as jnp

    x = jnp.arange(LARGE if title == "1e6 floats" else SMALL, dtype=jnp.float32)
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)

    def same(array: Any) -> Any:
        return array

    functions: dict[str, Callable[[Any], Any]] = {
        BARE: lambda a: a + 1,
        "jax.pure_callback": lambda a: jax.pure_callback(same, like, a),
        "inlay.jax.op, arrays": tf.jax.op(same, like, mode="numpy"),
        "inlay.jax.op, lent arrays": tf.jax.op(same, like, mode="numpy", copy=False),
        "inlay.jax.op, tensors": tf.jax.op(same, like),
    }
    if title == "with its gradient":
        functions = _differentiated(jax, functions, same, like)
    times = ROW if title == "50 in a row" else 1

    def program(function: Callable[[Any], Any]) -> Callable[[], Any]:
        def repeated(a: Any) -> Any:
            for _ in range(times):
                a = function(a)
            return a

        compiled = jax.jit(repeated)
        return lambda: compiled(x).block_until_ready()

    return {name: program(function) for name, function in functions.items()}


def _differentiated(jax: Any, functions: Any, same: Any, like: Any) -> dict[str, Callable[[Any], Any]]:
    """The gradients of the ways that have one: `pure_callback` has the one that is written here."""
    called = jax.custom_vjp(functions["jax.pure_callback"])
    called.defvjp(
        lambda a: (functions["jax.pure_callback"](a), None),
        lambda _, g: (jax.pure_callback(same, like, g),),
    )
    own = tf.jax.op(same, like, mode="numpy", grad=lambda x, y, g: g)
    ways = {BARE: functions[BARE], "jax.pure_callback": called, "inlay.jax.op, arrays, grad=": own}
    ways["inlay.jax.op, tensors"] = functions["inlay.jax.op, tensors"]
    return {name: _value_and_gradient(jax, way) for name, way in ways.items()}


def _value_and_gradient(jax: Any, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    both = jax.value_and_grad(lambda a: function(a).sum())
    return lambda a: sum(both(a))


def torch_ways(title: str) -> Ways:
    """The ways to run one case with PyTorch, the bare `custom_op` first."""
    import torch

    x = torch.arange(LARGE if title.endswith("1e6 floats") else SMALL, dtype=torch.float32)

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


def measure(title: str, ways: Ways, rounds: int, seconds: float = 0.05) -> dict[str, Any]:
    """One ledger entry: seconds of a run by way, and for JAX the cost of `pure_callback` over inlay's, above the bare.

    Args:
      title: of the case.
      ways: the runs by name; the first is the bare one.
      rounds: the number of rounds.
      seconds: about how long a way runs in a round.
    """
    counts = {}
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
    theirs = next((name for name in names if name.startswith("jax.")), None)
    bare, ratios = samples[BARE], {}
    for name in names:
        if name in (BARE, theirs):
            continue
        if theirs is None:
            pairs = [ours / base for ours, base in zip(samples[name], bare, strict=True)]
        else:
            rows = zip(samples[theirs], samples[name], bare, strict=True)
            pairs = [(other - base) / max(ours - base, LEAST_COST * base) for other, ours, base in rows]
        ratios[name] = ledger.spread(pairs)
    return {
        "title": title,
        "seconds": {name: ledger.spread(values) for name, values in samples.items()},
        "ratios": ratios,
        "goal": GOALS.get(title),
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
    goal = f"; goal {entry['goal']:g}" if entry["goal"] else ""
    return f"{entry['title']}: {seconds} | {ratios}{goal}"


CASES: dict[str, Callable[[str], Ways]] = {
    "one call": jax_ways,
    "50 in a row": jax_ways,
    "1e6 floats": jax_ways,
    "with its gradient": jax_ways,
    "torch, one call": torch_ways,
    "torch, 1e6 floats": torch_ways,
}


def main() -> int:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compilers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    entries, absent = [], {}
    for title, ways in CASES.items():
        try:
            entries.append(measure(title, ways(title), 3 if options.quick else ROUNDS))
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
