"""What makes a pipeline fast, as TensorFlow's guide "Better performance with the tf.data API" shows it by sleeping.

    python examples/data_performance.py [--scale 1.0] [--out FOLDER]

A source that sleeps when it is opened and read, a step of training that sleeps, and between them what the guide adds:
prefetch, interleave, parallel maps, a cache, maps of whole batches. Printed is how long each takes; the second half
records when each step ran, and draws that. The elements are checked, the times are not:
the exit status is 0 only if every pipeline gave what it should.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay as tf

BEGIN = time.perf_counter()
SCALE = [1.0]  # what all sleeping is multiplied by


def sleep(seconds: float) -> tuple[float, float]:
    """Sleeps; gives when that began and how long it took."""
    began = time.perf_counter()
    time.sleep(seconds * SCALE[0])
    return began - BEGIN, time.perf_counter() - began


class ArtificialDataset(tf.data.Dataset):
    """A class of datasets that makes none of its own kind: `__new__` gives one that a generator fills."""

    def _generator(num_samples: int) -> Iterator[tuple[int]]:
        # Opening the file
        sleep(0.03)

        for sample_idx in range(num_samples):
            # Reading data (line, record) from the file
            sleep(0.015)

            yield (sample_idx,)

    def __new__(cls, num_samples: int = 3) -> Any:
        return tf.data.Dataset.from_generator(
            cls._generator,
            output_signature=tf.TensorSpec(shape=(1,), dtype=tf.int64),
            args=(num_samples,),
        )


def benchmark(dataset: Any, num_epochs: int = 2) -> list[int]:
    """Trains, which is sleeping; the elements seen."""
    seen = []
    for _ in range(num_epochs):
        for sample in dataset:
            # Performing a training step
            sleep(0.01)
            seen.append(int(sample[0]))
    return seen


def mapped_function(s: Any) -> Any:
    # Do some hard pre-processing
    tf.py_function(lambda: sleep(0.03)[2:], [], ())
    return s


def timed(name: str, run: Callable[[], list[int]], expected: list[int]) -> None:
    began = time.perf_counter()
    found = run()
    check(f"{name:<36}{time.perf_counter() - began:>8.3f} s", found == expected)


def show_times() -> None:
    print("seconds, and whether the elements are right")
    auto, source = tf.data.AUTOTUNE, ArtificialDataset
    two = tf.data.Dataset.range(2)
    once = [0, 1, 2]
    timed("naive", lambda: benchmark(source()), 2 * once)
    timed("prefetch", lambda: benchmark(source().prefetch(auto)), 2 * once)
    # How many datasets take turns is left to the library, which looks at the machine.
    serial, parallel = (two.interleave(lambda _: source(), num_parallel_calls=calls) for calls in (None, auto))
    timed("interleave", lambda: sorted(benchmark(serial)), sorted(4 * once))
    timed("interleave, parallel", lambda: sorted(benchmark(parallel)), sorted(4 * once))
    timed("map", lambda: benchmark(source().map(mapped_function)), 2 * once)
    timed("map, parallel", lambda: benchmark(source().map(mapped_function, num_parallel_calls=auto)), 2 * once)
    timed("cache, five epochs", lambda: benchmark(source().map(mapped_function).cache(), 5), 5 * once)


def show_vectorized() -> None:
    count = int(10_000 * min(1.0, SCALE[0]))
    fast_dataset = tf.data.Dataset.range(count)

    def increment(x: Any) -> Any:
        return x + 1

    def fast_benchmark(dataset: Any, num_epochs: int = 2) -> list[int]:
        return [int(x) for batch in dataset.repeat(num_epochs) for x in batch.numpy()]

    expected = 2 * list(range(1, count + 1))
    timed("map, then batch", lambda: fast_benchmark(fast_dataset.map(increment).batch(256)), expected)
    timed("batch, then map", lambda: fast_benchmark(fast_dataset.batch(256).map(increment)), expected)


# ---- when each step ran


class TimeMeasuredDataset(tf.data.Dataset):
    """Elements that say of themselves what was done for them, when, and in which epoch of which instance."""

    # OUTPUT: (steps, timings, counters)
    OUTPUT_TYPES: ClassVar[Any] = (tf.dtypes.string, tf.dtypes.float32, tf.dtypes.int32)
    OUTPUT_SHAPES: ClassVar[Any] = ((2, 1), (2, 2), (2, 3))

    _INSTANCES_COUNTER = itertools.count()  # Number of datasets generated
    _EPOCHS_COUNTER: ClassVar[Any] = defaultdict(itertools.count)  # Number of epochs done for each dataset

    def _generator(instance_idx: int, num_samples: int) -> Iterator[Any]:
        epoch_idx = next(TimeMeasuredDataset._EPOCHS_COUNTER[int(instance_idx)])
        opened = sleep(0.03)
        for sample_idx in range(num_samples):
            read = sleep(0.015)
            yield (
                [("Open",), ("Read",)],
                [opened, read],
                [(instance_idx, epoch_idx, -1), (instance_idx, epoch_idx, sample_idx)],
            )
            opened = (-1.0, -1.0)  # Negative values will be filtered

    def __new__(cls, num_samples: int = 3) -> Any:
        return tf.data.Dataset.from_generator(
            cls._generator,
            output_types=cls.OUTPUT_TYPES,
            output_shapes=cls.OUTPUT_SHAPES,
            args=(next(cls._INSTANCES_COUNTER), num_samples),
        )


def timelined_benchmark(dataset: Any, num_epochs: int = 2) -> dict[str, Any]:
    # Initialize accumulators
    steps_acc = tf.zeros([0, 1], dtype=tf.dtypes.string)
    times_acc = tf.zeros([0, 2], dtype=tf.dtypes.float32)
    values_acc = tf.zeros([0, 3], dtype=tf.dtypes.int32)

    for epoch_num in range(num_epochs):
        epoch_enter = time.perf_counter()
        for steps, times, values in dataset:
            # Record dataset preparation information
            steps_acc = tf.concat((steps_acc, steps), axis=0)
            times_acc = tf.concat((times_acc, times), axis=0)
            values_acc = tf.concat((values_acc, values), axis=0)

            # Simulate training time, and record it
            trained = sleep(0.01)
            steps_acc = tf.concat((steps_acc, [["Train"]]), axis=0)
            times_acc = tf.concat((times_acc, [trained]), axis=0)
            values_acc = tf.concat((values_acc, [values[-1]]), axis=0)

        steps_acc = tf.concat((steps_acc, [["Epoch"]]), axis=0)
        times_acc = tf.concat((times_acc, [(epoch_enter - BEGIN, time.perf_counter() - epoch_enter)]), axis=0)
        values_acc = tf.concat((values_acc, [[-1, epoch_num, -1]]), axis=0)
    return {"steps": steps_acc, "times": times_acc, "values": values_acc}


def valid(timeline: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Steps, times and values without the entries that stand for nothing: those with negative times or no name."""
    valid_mask = np.logical_and(timeline["times"] > 0, timeline["steps"] != b"")[:, 0]
    return (
        timeline["steps"][valid_mask].numpy()[:, 0],
        timeline["times"][valid_mask].numpy(),
        timeline["values"][valid_mask].numpy(),
    )


def map_decorator(func: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(steps: Any, times: Any, values: Any) -> Any:
        # A py_function keeps what follows from being traced: it is to sleep at every call.
        return tf.py_function(func, inp=(steps, times, values), Tout=(steps.dtype, times.dtype, values.dtype))

    return wrapper


@map_decorator
def naive_map(steps: Any, times: Any, values: Any) -> Any:
    mapped = sleep(0.0011)
    return (
        tf.concat((steps, [["Map"]]), axis=0),
        tf.concat((times, [mapped]), axis=0),
        tf.concat((values, [values[-1]]), axis=0),
    )


def of_a_batch(name: str, seconds: float) -> Callable[..., Any]:
    """A map of a whole batch, which notes itself for each of its elements."""

    @map_decorator
    def batch_map(steps: Any, times: Any, values: Any) -> Any:
        began, took = sleep(seconds * values.shape[0])
        return (
            tf.concat((steps, tf.tile([[[name]]], [steps.shape[0], 1, 1])), axis=1),
            tf.concat((times, tf.tile([[[began, took]]], [times.shape[0], 1, 1])), axis=1),
            tf.concat((values, tf.tile([[values[:][-1][-1]]], [values.shape[0], 1, 1])), axis=1),
        )

    return batch_map


def show_timelines(out: Path) -> None:
    print("timelines")
    items, epochs = max(2, int(50 * SCALE[0])), 3

    def dataset_generator_fun(*args: Any) -> Any:
        return TimeMeasuredDataset(num_samples=items)

    naive = timelined_benchmark(
        tf.data.Dataset.range(2)
        .flat_map(dataset_generator_fun)
        .map(naive_map)
        .batch(items, drop_remainder=True)
        .unbatch(),
        epochs,
    )
    optimized = timelined_benchmark(
        tf.data.Dataset.range(2)
        # Parallelize data reading
        .interleave(dataset_generator_fun, num_parallel_calls=tf.data.AUTOTUNE)
        # Vectorize your mapped function
        .batch(items, drop_remainder=True)
        # Parallelize map transformation
        .map(of_a_batch("1st map", 0.001), num_parallel_calls=tf.data.AUTOTUNE)
        # Cache data
        .cache()
        # Reduce memory usage
        .map(of_a_batch("2nd map", 0.0001), num_parallel_calls=tf.data.AUTOTUNE)
        # Overlap producer and consumer works
        .prefetch(tf.data.AUTOTUNE)
        .unbatch(),
        epochs,
    )
    # The function that makes the source is traced once, so its two datasets are "epochs" of one instance.
    for name, timeline, steps, openings in (
        ("naive", naive, {"Open", "Read", "Map", "Train"}, 2 * epochs),
        ("optimized", optimized, {"Open", "Read", "1st map", "2nd map", "Train"}, 2),
    ):
        names, times, values = valid(timeline)
        whole = times[names == b"Epoch"][:, 1]
        check(f"{name:<12}epochs took {', '.join(f'{t:.3f}' for t in whole)} s", len(whole) == epochs)
        counts = {step: int((names == step.encode()).sum()) for step in steps}
        expected = {step: 2 * epochs if step == "Open" else 2 * items * epochs for step in steps}
        check(f"{'':<12}each element went through every step", counts == expected)
        read = values[names == b"Read"]
        samples = np.sort(read[:, 2].reshape(epochs, -1))
        check(f"{'':<12}and every epoch has every element", (samples == np.repeat(range(items), 2)).all())
        check(f"{'':<12}the source was read {openings} times", set(read[:, 1]) == set(range(openings)))
    save_timelines({"naive": naive, "optimized": optimized}, out)


def save_timelines(timelines: dict[str, Any], out: Path) -> None:
    """When each step began and how long it took, and a row of bars for every step."""
    rows = [
        (title, name.decode(), *time, int(value[0]))
        for title, timeline in timelines.items()
        for name, time, value in zip(*valid(timeline), strict=True)
    ]
    heading = ("pipeline", "step", "began", "took", "sample")

    def draw(figure: Any) -> None:
        for place, (title, timeline) in zip(
            figure.subplots(len(timelines), sharex=True), timelines.items(), strict=True
        ):
            names, times, values = valid(timeline)
            begin = times[:, 0].min()
            steps = list(dict.fromkeys(names))
            for i, step in enumerate(steps):
                for (began, took), number in zip(times[names == step], values[names == step][:, 0], strict=True):
                    place.broken_barh([(began - begin, took)], (i - 0.4, 0.8), color=f"C{number % 10}", alpha=0.7)
            place.set_yticks(range(len(steps)), [step.decode() for step in steps])
            place.invert_yaxis()
            place.set(title=title, xlabel="seconds")

    save(out, "data_performance", {name: [row[i] for row in rows] for i, name in enumerate(heading)}, draw)


def main() -> int:
    options = arguments(__doc__, scale=1.0)
    SCALE[0] = options.scale
    show_times()
    show_vectorized()
    show_timelines(options.out)
    return status()


if __name__ == "__main__":
    sys.exit(main())
