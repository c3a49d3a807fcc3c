"""A Python function between compiled ops, its array on a GPU all the time, next to `jax.pure_callback` and PyTorch.

`python -m benchmarks.gpu`. Without a GPU it says so and measures nothing. One process, the peers interleaved; the
program is `tanh(2 x)` in a host function, and one multiplication before and after it:

    inlay                `py_function` in a `tf.function`: the body's tensors lie on the GPU, as do the results
    jax.pure_callback    under `jit`: JAX brings the argument to the host; the body computes on the GPU and returns it
    torch.custom_op      called eagerly on CUDA tensors

Before it is timed, our program runs once under `jax.transfer_guard("disallow_explicit")`: a copy to or from the host,
asked for or not, is an error, and then nothing is recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import ledger
from benchmarks.run import duration
from benchmarks.timing import Timed, loop
from benchmarks.worker import versions

SIZES = (4, 1_000_000, 50_000_000)
ROUNDS, CALLS = 11, 20
SUBJECT = "inlay"
PLACE = "/device:GPU:0"
NO_GPU = "no GPU is visible: the GPU benchmarks were not run, and nothing was recorded"
PACKAGES = ["inlay", "jax", "jaxlib", "torch", "numpy"]


class CopiedThroughHost(Exception):
    """Our program moved a value between device and host."""


def ours(array: np.ndarray, device: Any) -> Callable[[], Any]:
    """One call of our program, until its result is there; checked to make no copy through the host."""
    import jax

    import inlay as tf

    places = []

    def body(x: Any) -> Any:
        places.append(x.device)
        return tf.tanh(x * 2.0)

    @tf.function
    def program(x: Any) -> Any:
        return tf.py_function(body, [x * 0.5], tf.float32) * 0.5

    with tf.device(PLACE):
        x = tf.constant(array)

    def call() -> Any:
        y = program(x)
        jax.block_until_ready(jax.dlpack.from_dlpack(y))
        places.clear()
        return y

    call()  # traces, compiles, and brings the program's numbers to the device
    try:
        with jax.transfer_guard("disallow_explicit"):
            y = program(x)
    except Exception as error:
        raise CopiedThroughHost(str(error)) from error
    if {*places, y.device} != {f"/job:localhost/replica:0/task:0{PLACE}"}:
        raise CopiedThroughHost(f"the body ran on {places}, its result lies on {y.device}")
    np.testing.assert_allclose(y.numpy(), np.tanh(array) * 0.5, rtol=1e-4, atol=1e-6)
    return call


def pure_callback(array: np.ndarray, device: Any) -> Callable[[], Any]:
    """The same with `jax.pure_callback`."""
    import jax

    tanh = jax.jit(lambda x: jax.numpy.tanh(x * 2.0))
    shape = jax.ShapeDtypeStruct(array.shape, array.dtype)

    def body(x: Any) -> Any:
        return np.asarray(tanh(jax.device_put(x, device)))

    program = jax.jit(lambda x: jax.pure_callback(body, shape, x * 0.5) * 0.5)
    x = jax.device_put(array, device)
    return lambda: program(x).block_until_ready()


def custom_op(array: np.ndarray, device: Any) -> Callable[[], Any]:
    """The same with `torch.library.custom_op`; ImportError or RuntimeError where PyTorch or its GPU is missing."""
    import torch

    def body(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x * 2.0)

    body.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    op = torch.library.custom_op("benchmarks::tanh_of_double", body, mutates_args=())
    x = torch.from_numpy(array).to("cuda")

    def call() -> Any:
        y = op(x * 0.5) * 0.5
        torch.cuda.synchronize()
        return y

    return call


PEERS: dict[str, Callable[[np.ndarray, Any], Callable[[], Any]]] = {
    SUBJECT: ours,
    "jax.pure_callback": pure_callback,
    "torch.custom_op": custom_op,
}


def measure(size: int, device: Any, rounds: int, calls: int) -> dict[str, Any]:
    """One ledger entry: seconds per call, and how many times faster ours is, by peer.

    Raises:
      CopiedThroughHost: if our program is not what it is said to be.
    """
    array = np.linspace(-1, 1, size, dtype=np.float32)
    timed: dict[str, Timed] = {}
    absent: dict[str, str] = {}
    for name, build in PEERS.items():
        try:
            timed[name] = loop(build(array, device))
            timed[name](2)
        except Exception as error:
            timed.pop(name, None)
            if name == SUBJECT:
                raise
            absent[name] = f"{type(error).__name__}: {(str(error).strip() or '?').splitlines()[0][:160]}"
    samples: dict[str, list[float]] = {name: [] for name in timed}
    order = list(timed)
    for _ in range(rounds):
        for name in order:
            samples[name].append(timed[name](calls) / calls)
        order.append(order.pop(0))
    mine = samples[SUBJECT]
    ratios = {n: [t / m for t, m in zip(found, mine, strict=True)] for n, found in samples.items() if n != SUBJECT}
    return {
        "title": f"{size:,} floats",
        "size": size,
        "seconds": {name: ledger.spread(found) for name, found in samples.items()},
        "ratios": {name: ledger.spread(found) for name, found in ratios.items()},
        "absent": absent,
        "versions": {SUBJECT: versions(PACKAGES)},
    }


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    parts = [f"{name} {duration(found['median'])}" for name, found in entry["seconds"].items()]
    parts += [f"{name} ABSENT: {why}" for name, why in entry["absent"].items()]
    return f"{entry['title']}: {'; '.join(parts)}"


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints, appends to the ledger with the device's name; without a GPU it says so."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args(arguments)
    from inlay._src.core.device import accelerators

    device = accelerators().get(PLACE)
    if device is None:
        print(NO_GPU)
        return 0
    shared = {**ledger.header("gpu", gpu=device.device_kind), "quick": options.quick}
    print(f"on {device.device_kind}")
    entries = []
    for size in SIZES:
        entries.append(measure(size, device, 3 if options.quick else ROUNDS, CALLS))
        print(line(entries[-1]), flush=True)
    if not options.no_ledger:
        ledger.append({**shared, **entry} for entry in entries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
