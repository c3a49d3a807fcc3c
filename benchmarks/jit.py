"""An elementwise chain of a million numbers: `function(jit_compile=True)` next to `jax.jit` of the whole, and to NumPy.

`python -m benchmarks.jit`. One process, the three interleaved; medians and quartiles per call. Ours takes NumPy values
and gives NumPy values the caller owns; the two rows of `jax.jit` keep the result on the device, or convert it as we do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import loop

SIZE = 1_000_000
LINKS = 8
ROUNDS, CALLS = 15, 10


def chain(x: Any) -> Any:
    """The program; the same source for every peer, operators only."""
    for _ in range(LINKS):
        x = (x * 0.5 + 1.0) * x
    return x


def cases(size: int = SIZE) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    import jax

    import inlay as tf

    array = np.linspace(-1, 1, size, dtype=np.float32)
    tensor = tf.constant(array)
    compiled, plain, whole = tf.function(chain, jit_compile=True), tf.function(chain), jax.jit(chain)
    return {
        "inlay jit_compile": lambda: compiled(tensor),
        "inlay numpy": lambda: plain(tensor),
        "jax.jit": lambda: whole(array).block_until_ready(),
        "jax.jit, owned array": lambda: np.array(whole(array)),
    }


def measure(size: int = SIZE, rounds: int = ROUNDS, calls: int = CALLS) -> dict[str, tuple[float, float, float]]:
    """Seconds per call by name: quartile, median, quartile."""
    timed = {name: loop(call) for name, call in cases(size).items()}
    for time in timed.values():
        time(5)  # compile, warm up
    found: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, time in timed.items():
            found[name].append(time(calls) / calls)
    return {name: tuple(statistics.quantiles(times)) for name, times in found.items()}  # type: ignore[misc]


def main() -> None:
    """Prints a line per peer, for one number and for a million."""
    for size, calls in ((1, 500), (SIZE, CALLS)):
        for name, (low, middle, high) in measure(size, calls=calls).items():
            print(f"{size:9} {name:22} {middle * 1e6:10.1f} us  ({low * 1e6:.1f} to {high * 1e6:.1f})")


if __name__ == "__main__":
    main()
