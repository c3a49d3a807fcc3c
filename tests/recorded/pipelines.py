"""Small random pipelines of datasets, the same for every library with TensorFlow's names, and what comes of them.

A pipeline is a source, some transformations and an end, drawn from a table by its number. Each entry says for which
kinds of elements it is there and which kind it gives; two small numbers, `a` and `b`, vary it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

MOST = 24
"""How many elements are looked at."""
ERRORS = 3
"""After so many errors nothing more is asked for."""

INT, FLOAT, TEXT, LINE, PAIR, DICT, RAGGED, SPARSE, GRID, WINDOW = (
    "int", "float", "text", "line", "pair", "dict", "ragged", "sparse", "grid", "window",
)  # fmt: skip
SAME = "same"
ALL = (INT, FLOAT, TEXT, LINE, PAIR, DICT, RAGGED, SPARSE, GRID)
PLAIN = (INT, FLOAT, TEXT, LINE, PAIR, DICT, GRID)
STACKED = {INT: LINE, FLOAT: "floats", TEXT: "texts", LINE: GRID, GRID: "cubes", PAIR: "pairs", DICT: "dicts"}
"""What a batch of elements of a kind is; kinds that are keys of nothing end a pipeline."""

Step = Callable[..., Any]


class Entry(NamedTuple):
    """A transformation.

    Attributes:
      text: how it is written, for messages.
      takes: the kinds of elements that it is for.
      gives: the kind of its own, SAME, or a dict of the two.
      step: of the library, a dataset and the two numbers.
    """

    text: str
    takes: tuple[str, ...]
    gives: Any
    step: Step


def _steps(*rows: tuple[str, tuple[str, ...], Any, Step]) -> list[Entry]:
    return [Entry(*row) for row in rows]


def _rows(count: int) -> np.ndarray:
    return np.arange(count * 3, dtype=np.int64).reshape(count, 3)


def _bad(tf: Any, x: Any, at: int) -> Any:
    """A float that is an error for one value."""
    return tf.debugging.check_numerics(1.0 / tf.cast(x - at, tf.float32), "bad")


def _sparse(tf: Any, x: Any, a: int) -> Any:
    return tf.sparse.from_dense(tf.one_hot([x % a, (x + 1) % 4], 4, dtype=tf.int64) * (x + 1))


def _generated(a: int, b: int) -> Any:
    def generate() -> Any:
        for i in range(a + b):
            if b == 2 and i == 1:
                raise ValueError("the generator fails")
            yield i, list(range(i))

    return generate


SOURCES = _steps(
    ("range(a * 3)", (), INT, lambda tf, a, b: tf.data.Dataset.range(a * 3)),
    ("range(b, 9, a)", (), INT, lambda tf, a, b: tf.data.Dataset.range(b, 9, a)),
    ("range(9, b, -a)", (), INT, lambda tf, a, b: tf.data.Dataset.range(9, b, -a)),
    ("range(0)", (), INT, lambda tf, a, b: tf.data.Dataset.range(0)),
    ("range(a, output_type=float32)", (), FLOAT, lambda tf, a, b: tf.data.Dataset.range(a, output_type=tf.float32)),
    ("from_tensors(a)", (), INT, lambda tf, a, b: tf.data.Dataset.from_tensors(np.int64(a))),
    ("from_tensors(({}, None))", (), "odd", lambda tf, a, b: tf.data.Dataset.from_tensors(({"x": [a, b]}, None))),
    ("slices(rows)", (), LINE, lambda tf, a, b: tf.data.Dataset.from_tensor_slices(_rows(a))),
    ("slices(empty)", (), LINE, lambda tf, a, b: tf.data.Dataset.from_tensor_slices(np.zeros((0, 2), np.int64))),
    ("slices((numbers, rows))", (), PAIR,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices((np.arange(a + b), _rows(a + b)))),
    ("slices({})", (), DICT,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices(
         {"n": np.arange(a + 1), "t": ["x" * i for i in range(a + 1)]})),
    ("slices(texts)", (), TEXT,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices(["", "b", "a b", "ä", "b"][: a + 1])),
    ("slices(unequal)", (), PAIR,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices((np.arange(a), _rows(a + b)))),
    ("slices(ragged)", (), RAGGED,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices(
         tf.ragged.constant([[1], [], [2, 3], [4] * a], dtype=tf.int64))),
    ("slices(sparse)", (), SPARSE,
     lambda tf, a, b: tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense(_rows(a) % 3))),
    ("counter(a, b)", (), INT, lambda tf, a, b: tf.data.Dataset.counter(a, b).take(5)),
    ("random(a)", (), INT, lambda tf, a, b: tf.data.Dataset.random(seed=a).take(3).map(lambda x: x % 100)),
    ("from_generator", (), PAIR,
     lambda tf, a, b: tf.data.Dataset.from_generator(
         _generated(a, b), output_signature=(tf.TensorSpec((), tf.int64), tf.TensorSpec((None,), tf.int64)))),
    ("from_generator(types)", (), PAIR,
     lambda tf, a, b: tf.data.Dataset.from_generator(_generated(a, 0), (tf.int64, tf.int64))),
    ("from_list", (), INT, lambda tf, a, b: tf.data.experimental.from_list([np.int64(i) for i in range(a)])),
    ("zip", (), PAIR,
     lambda tf, a, b: tf.data.Dataset.zip(
         (tf.data.Dataset.range(a * 2), tf.data.Dataset.from_tensor_slices(_rows(5 + b))))),
    ("choose_from_datasets", (), INT,
     lambda tf, a, b: tf.data.Dataset.choose_from_datasets(
         [tf.data.Dataset.range(a), tf.data.Dataset.range(10, 13)], tf.data.Dataset.range(9).map(lambda x: x % 2),
         stop_on_empty_dataset=b % 2 == 0)),
    ("sample_from_datasets", (), INT,
     lambda tf, a, b: tf.data.Dataset.sample_from_datasets(
         [tf.data.Dataset.range(a), tf.data.Dataset.range(10, 13)], [1.0, 0.0] if b % 2 else [0.0, 1.0])),
)  # fmt: skip


def _named(tf: Any, x: Any) -> Any:
    return {"n": x, "t": tf.strings.as_string(x)}


STEPS = _steps(
    ("take(a)", ALL, SAME, lambda tf, d, a, b: d.take(a)),
    ("take(-1)", ALL, SAME, lambda tf, d, a, b: d.take(-1)),
    ("skip(b)", ALL, SAME, lambda tf, d, a, b: d.skip(b)),
    ("skip(-1)", (INT,), SAME, lambda tf, d, a, b: d.skip(-1)),
    ("repeat(b)", ALL, SAME, lambda tf, d, a, b: d.repeat(b)),
    ("repeat().take", ALL, SAME, lambda tf, d, a, b: d.repeat().take(a + 6)),
    ("shard(a + 1, b)", ALL, SAME, lambda tf, d, a, b: d.shard(a + 1, b)),
    ("cache()", ALL, SAME, lambda tf, d, a, b: d.cache()),
    ("prefetch(b)", ALL, SAME, lambda tf, d, a, b: d.prefetch(b)),
    ("shuffle(1)", ALL, SAME, lambda tf, d, a, b: d.shuffle(1, seed=a)),
    ("concatenate(self)", ALL, SAME, lambda tf, d, a, b: d.concatenate(d.take(a))),
    ("concatenate(other)", ALL, SAME, lambda tf, d, a, b: d.concatenate(tf.data.Dataset.from_tensors(np.int64(7)))),
    ("enumerate", (LINE,), PAIR, lambda tf, d, a, b: d.enumerate(b)),
    ("enumerate", (TEXT, FLOAT, DICT, RAGGED, SPARSE, GRID), "numbered", lambda tf, d, a, b: d.enumerate(a)),
    ("options", ALL, SAME, lambda tf, d, a, b: d.with_options(tf.data.Options())),
    ("ignore_errors", ALL, SAME, lambda tf, d, a, b: d.ignore_errors()),
    ("assert_cardinality", (INT, LINE, TEXT), SAME,
     lambda tf, d, a, b: d.apply(tf.data.experimental.assert_cardinality(a + 2))),
    ("batch(a)", ALL, STACKED, lambda tf, d, a, b: d.batch(a)),
    ("batch(a, drop)", ALL, STACKED, lambda tf, d, a, b: d.batch(a, drop_remainder=True)),
    ("batch(a, calls)", PLAIN, STACKED, lambda tf, d, a, b: d.batch(a, num_parallel_calls=2)),
    ("batch(b)", (INT,), STACKED, lambda tf, d, a, b: d.batch(b)),
    ("ragged_batch(a)", (INT, LINE, TEXT, GRID, PAIR, RAGGED), "batched",
     lambda tf, d, a, b: d.ragged_batch(a, b == 1)),
    ("padded_batch(a)", (INT, LINE, TEXT, PAIR, DICT, GRID), STACKED, lambda tf, d, a, b: d.padded_batch(a)),
    ("padded_batch(a, [a + b])", (LINE,), STACKED,
     lambda tf, d, a, b: d.padded_batch(a, [a + b], np.int64(-1), drop_remainder=b == 0)),
    ("padded_batch(pair)", (PAIR,), STACKED,
     lambda tf, d, a, b: d.padded_batch(a, ([], [None]), (np.int64(0), np.int64(9)))),
    ("sparse_batch", (LINE,), "batched", lambda tf, d, a, b: d.sparse_batch(a, [a + 4])),
    ("unbatch", (LINE,), INT, lambda tf, d, a, b: d.unbatch()),
    ("unbatch", (GRID,), LINE, lambda tf, d, a, b: d.unbatch()),
    ("unbatch(scalars)", (INT, FLOAT), INT, lambda tf, d, a, b: d.unbatch()),
    ("rebatch(a)", (LINE, GRID), SAME, lambda tf, d, a, b: d.rebatch(a, b == 1)),
    ("rebatch([a, b + 1])", (LINE,), SAME, lambda tf, d, a, b: d.rebatch([a, b + 1], b == 0)),
    ("window", (INT, LINE, TEXT), WINDOW, lambda tf, d, a, b: d.window(a, b + 1, 1 + b % 2, a == 2)),
    ("window(pair)", (PAIR, DICT), "windows", lambda tf, d, a, b: d.window(a, drop_remainder=b == 1)),
    ("window.flat_map", (INT,), LINE, lambda tf, d, a, b: d.window(a, b + 1).flat_map(lambda w: w.batch(a))),
    ("flat_map(windows)", (WINDOW,), "any", lambda tf, d, a, b: d.flat_map(lambda w: w)),
    ("map(window reduce)", (WINDOW,), "any", lambda tf, d, a, b: d.map(lambda w: w.take(1))),
    ("map(x * a + b)", (INT, LINE, GRID), SAME, lambda tf, d, a, b: d.map(lambda x: x * a + b)),
    ("map(calls)", (INT, LINE, GRID), SAME, lambda tf, d, a, b: d.map(lambda x: x - b, num_parallel_calls=2)),
    ("map(named)", (INT,), DICT, lambda tf, d, a, b: d.map(lambda x: _named(tf, x))),
    ("map(list)", (INT,), "listed", lambda tf, d, a, b: d.map(lambda x: [x, tf.cast(x, tf.float32)])),
    ("map(nested list)", (INT,), "listed", lambda tf, d, a, b: d.map(lambda x: ([x, x + 1], {"y": None, "z": x}))),
    ("map(pair)", (INT,), PAIR, lambda tf, d, a, b: d.map(lambda x: (x, tf.range(x % (a + 1))))),
    ("map(line)", (INT,), LINE, lambda tf, d, a, b: d.map(lambda x: tf.fill([x % (a + 1)], x))),
    ("map(fixed line)", (INT,), LINE, lambda tf, d, a, b: d.map(lambda x: tf.stack([x] * (b + 1)))),
    ("map(text)", (INT,), TEXT, lambda tf, d, a, b: d.map(lambda x: tf.strings.as_string(x % a))),
    ("map(bad)", (INT,), FLOAT, lambda tf, d, a, b: d.map(lambda x: _bad(tf, x, b))),
    ("map(ragged)", (INT,), RAGGED, lambda tf, d, a, b: d.map(lambda x: tf.ragged.range(tf.stack([x % 3, 2])))),
    ("map(sparse)", (INT,), SPARSE, lambda tf, d, a, b: d.map(lambda x: _sparse(tf, x, a))),
    ("map(to_dense)", (SPARSE,), "any", lambda tf, d, a, b: d.map(tf.sparse.to_dense)),
    ("map(row_lengths)", (RAGGED,), "any", lambda tf, d, a, b: d.map(lambda x: tf.size(x))),
    ("map(host)", (INT,), INT, lambda tf, d, a, b: d.map(lambda x: tf.numpy_function(lambda v: v + a, [x], tf.int64))),
    ("map(host, failing)", (INT,), "any",
     lambda tf, d, a, b: d.map(lambda x: tf.numpy_function(lambda v: 6 // (v - b), [x], tf.int64))),
    ("map(sum)", (LINE, GRID), INT, lambda tf, d, a, b: d.map(tf.reduce_sum)),
    ("map(reversed)", (LINE,), SAME, lambda tf, d, a, b: d.map(lambda x: x[::-1])),
    ("map(first)", (PAIR,), INT, lambda tf, d, a, b: d.map(lambda x, y: x)),
    ("map(second)", (PAIR,), LINE, lambda tf, d, a, b: d.map(lambda x, y: y)),
    ("map(n)", (DICT,), INT, lambda tf, d, a, b: d.map(lambda x: x["n"])),
    ("map(t)", (DICT,), TEXT, lambda tf, d, a, b: d.map(lambda x: x["t"])),
    ("map(length)", (TEXT,), "any", lambda tf, d, a, b: d.map(tf.strings.length)),
    ("map(split)", (TEXT,), "any", lambda tf, d, a, b: d.map(tf.strings.split)),
    ("map(None)", (INT,), "any", lambda tf, d, a, b: d.map(lambda x: (x, None))),
    ("filter", (INT,), SAME, lambda tf, d, a, b: d.filter(lambda x: x % (a + 1) != b)),
    ("filter(pair)", (PAIR,), SAME, lambda tf, d, a, b: d.filter(lambda x, y: tf.size(y) > b)),
    ("filter(size)", (LINE,), SAME, lambda tf, d, a, b: d.filter(lambda x: tf.size(x) > b)),
    ("filter(wrong)", (LINE,), SAME, lambda tf, d, a, b: d.filter(lambda x: x)),
    ("filter(bad)", (INT,), SAME, lambda tf, d, a, b: d.filter(lambda x: _bad(tf, x, a) > 0)),
    ("take_while", (INT,), SAME, lambda tf, d, a, b: d.take_while(lambda x: x < a * 2)),
    ("unique", (INT, TEXT), SAME, lambda tf, d, a, b: d.unique()),
    ("unique(wrong)", (PAIR,), SAME, lambda tf, d, a, b: d.unique()),
    ("flat_map", (INT,), INT, lambda tf, d, a, b: d.flat_map(lambda x: tf.data.Dataset.range(x % (a + 1)))),
    ("flat_map(slices)", (LINE,), INT, lambda tf, d, a, b: d.flat_map(tf.data.Dataset.from_tensor_slices)),
    ("flat_map(wrong)", (INT,), INT, lambda tf, d, a, b: d.flat_map(lambda x: x)),
    ("interleave", (INT,), INT,
     lambda tf, d, a, b: d.interleave(
         lambda x: tf.data.Dataset.range(x % 4).map(lambda y: y + 10 * x), cycle_length=a, block_length=b + 1)),
    ("interleave(calls)", (INT,), INT,
     lambda tf, d, a, b: d.interleave(
         lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=a, num_parallel_calls=min(a, 2))),
    ("interleave(bad)", (INT,), "any",
     lambda tf, d, a, b: d.map(lambda x: _bad(tf, x, b)).interleave(tf.data.Dataset.from_tensors, cycle_length=a)),
    ("scan", (INT,), INT, lambda tf, d, a, b: d.scan(np.int64(a), lambda s, x: ((s + x) % 97, s - x))),
    ("scan(nested)", (INT,), "any",
     lambda tf, d, a, b: d.scan({"n": np.int64(a), "v": np.zeros(1)}, lambda s, x: (
         {"n": s["n"] + x, "v": s["v"] + 1.0}, (s["n"], s["v"])))),
    ("scan(growing)", (INT,), "any",
     lambda tf, d, a, b: d.scan(np.zeros(0, np.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.size(s)))),
    ("scan(wrong)", (INT,), "any", lambda tf, d, a, b: d.scan(np.int64(0), lambda s, x: (tf.cast(x, tf.int32), x))),
    ("group_by_window", (INT,), LINE,
     lambda tf, d, a, b: d.group_by_window(lambda x: x % a, lambda k, w: w.batch(b + 1), window_size=b + 1)),
    ("group_by_window(func)", (INT,), LINE,
     lambda tf, d, a, b: d.group_by_window(
         lambda x: x % 2, lambda k, w: w.batch(9), window_size_func=lambda k: k + a)),
    ("group_by_reducer", (INT,), "any",
     lambda tf, d, a, b: d.apply(tf.data.experimental.group_by_reducer(
         lambda x: x % a, tf.data.experimental.Reducer(lambda k: (k, np.int64(0)), lambda s, x: (s[0], s[1] + x),
                                                       lambda k, s: {"k": k, "s": s})))),
    ("bucket_by_sequence_length", (LINE,), "any",
     lambda tf, d, a, b: d.bucket_by_sequence_length(tf.size, [2, 4], [a, a, 1], drop_remainder=b == 1)),
    ("bucket(pad)", (LINE,), "any",
     lambda tf, d, a, b: d.bucket_by_sequence_length(
         tf.size, [3, 5], [2, a, 1], pad_to_bucket_boundary=True, padding_values=np.int64(-1))),
    ("map_and_batch", (INT,), LINE,
     lambda tf, d, a, b: d.apply(tf.data.experimental.map_and_batch(lambda x: x + b, a, drop_remainder=b == 1))),
    ("parallel_interleave", (INT,), INT,
     lambda tf, d, a, b: d.apply(tf.data.experimental.parallel_interleave(
         lambda x: tf.data.Dataset.range(x, x + b), cycle_length=a))),
    ("pad_to_cardinality", (DICT,), "any",
     lambda tf, d, a, b: d.apply(tf.data.experimental.pad_to_cardinality(a + b + 2))),
    ("zip(self)", (INT, TEXT, LINE), "any",
     lambda tf, d, a, b: tf.data.Dataset.zip({"x": d, "y": (d.skip(1), tf.data.Dataset.range(a, 9))})),
)  # fmt: skip

ENDS: dict[str, Step] = {
    "elements": lambda tf, d, a, b: d,
    "shuffled": lambda tf, d, a, b: d.shuffle(a + 2, seed=b),
    "reduce": lambda tf, d, a, b: tf.data.Dataset.from_tensors(d.reduce(np.int64(b), lambda s, *x: s + 1)),
    "single": lambda tf, d, a, b: tf.data.Dataset.from_tensors(d.get_single_element()),
    "at": lambda tf, d, a, b: tf.data.Dataset.from_tensors(tf.data.experimental.at(d, b)),
}
"""How a pipeline ends; most of them with their elements."""


class Pipeline(NamedTuple):
    """A pipeline.

    Attributes:
      text: how it is written.
      end: how it ends.
      build: makes the dataset with a library.
    """

    text: str
    end: str
    build: Callable[[Any], Any]


def drawn(number: int, seed: str = "1") -> Pipeline:
    """The pipeline of a number."""
    draw = random.Random(f"{seed}/{number}")
    chosen: list[tuple[Entry, int, int]] = []

    def numbers() -> tuple[int, int]:
        return draw.randint(1, 4), draw.randint(0, 2)

    chosen.append((draw.choice(SOURCES), *numbers()))
    kind = chosen[0][0].gives
    for _ in range(draw.randint(1, 4)):
        fitting = [entry for entry in STEPS if kind in entry.takes]
        if not fitting:
            break
        entry = draw.choice(fitting)
        chosen.append((entry, *numbers()))
        gives = entry.gives.get(kind, "any") if isinstance(entry.gives, dict) else entry.gives
        kind = kind if gives == SAME else gives
    end, last = draw.choices(list(ENDS), [20, 2, 1, 1, 1])[0], numbers()

    def build(tf: Any) -> Any:
        source, a, b = chosen[0]
        dataset = source.step(tf, a, b)
        for entry, a, b in chosen[1:]:
            dataset = entry.step(tf, dataset, a, b)
        return ENDS[end](tf, dataset, *last)

    said = [f"{entry.text} [a={a}, b={b}]" for entry, a, b in chosen]
    return Pipeline(" . ".join([*said, f"{end} {last}"]), end, build)


# ---- what comes of one


def encoded(tf: Any, value: Any) -> Any:
    """An element as what JSON can say."""
    if isinstance(value, dict):
        return {"dict": [[key, encoded(tf, value[key])] for key in sorted(value)]}
    if isinstance(value, tuple):
        return {"tuple": [encoded(tf, part) for part in value]}
    if value is None:
        return None
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [value.dtype.name, value.ragged_rank, _plain(value.to_list())]}
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return {"sparse": [encoded(tf, part) for part in parts]}
    if isinstance(value, tf.data.Dataset):
        return {"dataset": [encoded(tf, part) for part in value.take(MOST)]}
    array = value.numpy()
    return [value.dtype.name, list(np.shape(array)), _plain(array.tolist() if hasattr(array, "tolist") else array)]


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode("latin1")
    return value if value == value and abs(value) != float("inf") else str(value)


def outcome(tf: Any, pipeline: Pipeline) -> dict[str, Any]:
    """What comes of a pipeline: an error while it is built, or all that is seen of it."""
    try:
        dataset = pipeline.build(tf)
        found: dict[str, Any] = {"repr": repr(dataset), "cardinality": int(dataset.cardinality())}
        iterator = iter(dataset)
    except Exception as error:
        return {"error": named(tf, error)}
    events: list[Any] = []
    failed = 0
    while len(events) < MOST and failed < ERRORS:
        try:
            element = next(iterator)
        except StopIteration:
            events.append("end")
            break
        except Exception as error:
            failed += 1
            events.append({"error": named(tf, error)})
            continue
        events.append(encoded(tf, element))
    return {**found, "events": events}


def named(tf: Any, error: BaseException) -> str:
    """The class of an error, of the op errors TensorFlow's that it is."""
    ops = [kind.__name__ for kind in type(error).__mro__ if getattr(tf.errors, kind.__name__, None) is kind]
    return ops[0] if ops else next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")
