"""Write tests/golden/values.json: what TensorFlow gives for random, string, printing, image and array ops.

pip install tensorflow-cpu==2.21.0
python tests/golden/make_values.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
Case = Callable[[], Any]


def random_cases(tf: Any) -> dict[str, Case]:
    """Draws under known seeds. The order matters: a draw without a seed of its own takes the next one."""
    r, cases = tf.random, {}
    logits = np.log([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])

    def seeded(draw: Case) -> Case:
        def run() -> Any:
            r.set_seed(1234)
            return [draw(), draw()]

        return run

    for dtype in ("float16", "bfloat16", "float32", "float64"):
        kind = getattr(tf, dtype)
        cases[f"uniform {dtype}"] = seeded(lambda k=kind: r.uniform([7], dtype=k))
        cases[f"normal {dtype}"] = seeded(lambda k=kind: r.normal([7], dtype=k))
        cases[f"truncated_normal {dtype}"] = seeded(lambda k=kind: r.truncated_normal([9], 1.0, 2.0, dtype=k))
        cases[f"stateless_uniform {dtype}"] = lambda k=kind: r.stateless_uniform([7], [1, -2], dtype=k)
        cases[f"stateless_normal {dtype}"] = lambda k=kind: r.stateless_normal([7], [1, 2], dtype=k)
        cases[f"stateless_truncated {dtype}"] = lambda k=kind: r.stateless_truncated_normal([9], [3, 4], dtype=k)
    cases["uniform int32"] = seeded(lambda: r.uniform([5], -3, 10, dtype=tf.int32))
    cases["uniform int64"] = seeded(lambda: r.uniform([5], -3, 10**12, dtype=tf.int64))
    cases["uniform with a seed"] = seeded(lambda: r.uniform([2, 3], 2.0, 5.0, seed=7))
    cases["shuffle"] = seeded(lambda: r.shuffle(np.arange(20), seed=3))
    cases["shuffle rows"] = seeded(lambda: r.shuffle(np.arange(12).reshape(4, 3)))
    cases["categorical"] = seeded(lambda: r.categorical(logits, 9))
    cases["stateless_uniform int32"] = lambda: r.stateless_uniform([7], [1, 2], 0, 100, tf.int32)
    cases["stateless_uniform int64"] = lambda: r.stateless_uniform([7], [1, 2], 0, 100, tf.int64)
    cases["stateless_categorical"] = lambda: r.stateless_categorical(logits, 9, [5, 6])
    cases["Generator"] = lambda: _generator(r.Generator.from_seed(42), tf)
    for whole, own in ((None, 3), (8, None), (8, 3)):
        cases[f"graph seed {whole}, op seed {own}"] = lambda w=whole, o=own: _two_sessions(tf, w, o)
    numbers = tf.data.Dataset.range(12)
    for size in (1, 4, 100, -2):
        for own in (7, 2**40, None):
            for again in (True, False):
                shuffled = seeded(lambda s=size, o=own, a=again: _epochs(numbers.shuffle(s, o, a)))
                cases[f"dataset, buffer {size}, seed {own}, again {again}"] = shuffled
    cases["dataset, repeated"] = seeded(lambda: _epochs(numbers.shuffle(4, 7).repeat(2)))
    cases["dataset, each once"] = seeded(lambda: _epochs(numbers.shuffle(4, 7, False).repeat(2).shuffle(5, 8)))
    cases["dataset at places"] = seeded(lambda: _places(tf, numbers.shuffle(4, 7), 12))
    cases["dataset at places, in batches"] = seeded(lambda: _places(tf, numbers.shuffle(99, 7).batch(5), 3))
    return cases


def _epochs(dataset: Any) -> list[list[int]]:
    return [[int(number) for number in dataset.as_numpy_iterator()] for _ in range(3)]


def _places(tf: Any, dataset: Any, count: int) -> list[Any]:
    return [tf.data.experimental.at(dataset, place) for place in range(count)]


def _generator(g: Any, tf: Any) -> list[Any]:
    return [g.uniform([5]), g.normal([3]), g.uniform([3], 0, 9, tf.int32), g.truncated_normal([5])]


def _two_sessions(tf: Any, whole: int | None, own: int | None) -> list[Any]:
    out = []
    with tf.Graph().as_default():
        if whole is not None:
            tf.random.set_seed(whole)
        draws = [tf.random.uniform([3], seed=own), tf.random.normal([3], seed=own)]
        draws.append(tf.random.shuffle(tf.constant([1, 2, 3, 4, 5]), seed=own))
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                out += [session.run(draws[0]), *session.run(draws)]
    return out


def string_cases(tf: Any) -> dict[str, Case]:
    """String ops."""
    s = tf.strings
    words = [" Ab cD", "éa x", ""]
    grid = [["a b", "c"], ["d e f", ""]]
    cases: dict[str, Case] = {
        "join": lambda: s.join([words, "x", words], "-"),
        "split by a limit": lambda: s.split(words, " ", maxsplit=1),
        "split a scalar": lambda: s.split("a b  c"),
        "split a scalar at single spaces": lambda: s.split("a b  c", " "),
        "split a matrix": lambda: s.split(tf.constant(grid)),
        "substr": lambda: s.substr(words, 0, 3),
        "substr of characters": lambda: s.substr("éa x", 1, 2, unit="UTF8_CHAR"),
        "length": lambda: s.length(words),
        "length in characters": lambda: s.length(words, unit="UTF8_CHAR"),
        "lower": lambda: s.lower(words),
        "upper": lambda: s.upper(words),
        "upper utf-8": lambda: s.upper(words, encoding="utf-8"),
        "strip": lambda: s.strip(words),
        "regex_replace": lambda: s.regex_replace(["a1b22", ""], r"(\d)(\d*)", r"<\1\\\0>"),
        "regex_replace once": lambda: s.regex_replace("aaa", "a", "b", replace_global=False),
        "regex_full_match": lambda: s.regex_full_match(["abc", "ab"], "a.c"),
        "to_number": lambda: s.to_number(["1.5", "-2e3", " 7 ", "inf"]),
        "to_number int32": lambda: s.to_number(["12", "-3"], tf.int32),
        "as_string of integers": lambda: s.as_string([1, -5], width=4, fill="0"),
        "as_string of bools": lambda: s.as_string([True, False]),
        "as_string of halves": lambda: s.as_string(tf.constant([0.1], tf.float16)),
        "as_string of complex": lambda: s.as_string([1 + 2j]),
        "reduce_join": lambda: s.reduce_join(grid),
        "reduce_join first axis": lambda: s.reduce_join(grid, 0, separator=","),
        "reduce_join in an order": lambda: s.reduce_join(grid, [1, 0], separator=","),
        "reduce_join keeping": lambda: s.reduce_join(grid, 1, keepdims=True, separator=","),
        "bytes_split": lambda: s.bytes_split(words),
        "unicode_decode": lambda: s.unicode_decode(words, "UTF-8"),
        "unicode_split": lambda: s.unicode_split(words, "UTF-8"),
        "unicode_encode": lambda: s.unicode_encode([[104, 105]], "UTF-8"),
        "plus": lambda: tf.constant(words) + "!",
        "plus of scalars": lambda: tf.constant("a") + "b",
    }
    for sep in (None, " ", "a"):
        cases[f"split at {sep!r}"] = lambda by=sep: s.split(words, by)
    for options in ({}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"width": 10}):
        cases[f"as_string {options}"] = lambda o=options: s.as_string([1.5, -0.25, 1e10], **o)
    return cases


def text_cases(tf: Any) -> dict[str, Case]:
    """How values print."""
    values: dict[str, Any] = {
        "scalar": tf.constant(1),
        "floats": tf.constant([1e10, 1e-10, 0.1, 1 / 3, np.nan, np.inf, 123456789.0, 1e5, 1e6, 1e16]),
        "doubles": tf.constant([1 / 3, 0.1, 1e10, 1e22], tf.float64),
        "halves": tf.constant([1.5, 0.1], tf.float16),
        "bfloats": tf.constant([1.5, 0.1], tf.bfloat16),
        "bools": tf.constant([True, False]),
        "bytes": tf.constant([0, 255], tf.uint8),
        "strings": tf.constant(["a\n", 'b"']),
        "long": tf.range(8),
        "just short enough": tf.range(6),
        "matrix": tf.constant(np.arange(100).reshape(10, 10)),
        "cube": tf.constant(np.arange(60).reshape(3, 4, 5)),
        "empty": tf.zeros([0, 3]),
    }
    cases = {f"text of {name}": lambda v=v: tf.strings.format("{}", v) for name, v in values.items()}
    cases["text with two entries"] = lambda: tf.strings.format("{} {}", [values["cube"], "x"], summarize=2)
    cases["text of everything"] = lambda: tf.strings.format("<{}>", values["long"], summarize=-1)
    return cases


def image_cases(tf: Any) -> dict[str, Case]:
    """Image ops other than resizing."""
    bytes_ = (np.arange(2 * 4 * 5 * 3) * 53 % 256).reshape(2, 4, 5, 3).astype(np.uint8)
    raw, floats, bytes_ = bytes_, tf.constant(bytes_.astype(np.float32) / 255), tf.constant(bytes_)
    i = tf.image
    boxes = [[0.0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [1, 11.1, 0, 10.1], [0, 100, 1, 101]]
    scores = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]
    cases: dict[str, Case] = {
        "rgb_to_grayscale": lambda: i.rgb_to_grayscale(floats),
        "rgb_to_grayscale of bytes": lambda: i.rgb_to_grayscale(bytes_),
        "grayscale_to_rgb": lambda: i.grayscale_to_rgb(floats[..., :1]),
        "flip_left_right": lambda: i.flip_left_right(floats[0]),
        "flip_up_down": lambda: i.flip_up_down(floats),
        "transpose": lambda: i.transpose(floats[0]),
        "standardization": lambda: i.per_image_standardization(floats),
        "standardization of bytes": lambda: i.per_image_standardization(bytes_[0]),
        "adjust_brightness": lambda: i.adjust_brightness(floats, 0.2),
        "adjust_brightness of bytes": lambda: i.adjust_brightness(bytes_, 0.2),
        "adjust_contrast": lambda: i.adjust_contrast(floats, 1.7),
        "adjust_contrast of bytes": lambda: i.adjust_contrast(bytes_, 1.7),
        "adjust_saturation": lambda: i.adjust_saturation(floats, 1.7),
        "adjust_hue": lambda: i.adjust_hue(floats, 0.3),
        "adjust_gamma": lambda: i.adjust_gamma(floats, 2.0, 0.5),
        "rgb_to_hsv": lambda: i.rgb_to_hsv(floats),
        "hsv_to_rgb": lambda: i.hsv_to_rgb(floats),
        "central_crop": lambda: i.central_crop(floats, 0.5),
        "crop": lambda: i.crop_to_bounding_box(floats, 1, 2, 3, 2),
        "pad": lambda: i.pad_to_bounding_box(floats, 1, 2, 7, 8),
        "crop or pad": lambda: i.resize_with_crop_or_pad(floats[0], 6, 3),
        "resize_with_pad": lambda: i.resize_with_pad(floats, 7, 6),
        "stateless_random_flip_left_right": lambda: i.stateless_random_flip_left_right(floats[0], [3, 1]),
        "stateless_random_brightness": lambda: i.stateless_random_brightness(floats, 0.3, [1, 2]),
        "stateless_random_contrast": lambda: i.stateless_random_contrast(floats, 0.3, 0.9, [1, 2]),
        "stateless_random_hue": lambda: i.stateless_random_hue(floats, 0.3, [1, 2]),
        "stateless_random_saturation": lambda: i.stateless_random_saturation(floats, 0.3, 1.9, [1, 2]),
        "stateless_random_crop": lambda: i.stateless_random_crop(floats[0], [2, 3, 3], [1, 2]),
        "total_variation": lambda: i.total_variation(floats),
        "psnr": lambda: i.psnr(floats[:1], floats[1:], 1.0),
        "non_max_suppression": lambda: i.non_max_suppression(boxes, scores, 4, 0.5),
        "non_max_suppression by score": lambda: i.non_max_suppression(boxes, scores, 4, 0.5, 0.4),
    }
    for turns in range(4):
        cases[f"rot90 {turns}"] = lambda k=turns: i.rot90(floats[0], k)
    for source in ("uint8", "int16", "float32"):
        for target in ("uint8", "int8", "uint16", "int32", "float32", "float16"):
            for saturate in (False, True):
                image = floats[0] if source == "float32" else tf.constant(raw[0].astype(source))
                cases[f"convert {source} to {target} saturate={saturate}"] = lambda x=image, t=target, s=saturate: (
                    i.convert_image_dtype(x, getattr(tf, t), saturate=s)
                )
    return cases


def array_cases(tf: Any) -> dict[str, Case]:
    """Array ops whose rules are easy to get wrong."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    v1 = tf.compat.v1
    return {
        "gather with batch axes": lambda: tf.gather(x, [[0, 2], [3, 1]], axis=2, batch_dims=1),
        "gather_nd with batch axes": lambda: tf.gather_nd(x, [[[0, 1]], [[2, 3]]], batch_dims=1),
        "one_hot": lambda: tf.one_hot([0, 2, -1, 5], 3, 5, 1, axis=0),
        "sequence_mask": lambda: tf.sequence_mask([[1, 3], [0, 2]]),
        "unique": lambda: list(tf.unique_with_counts([3, 1, 3, 3, 2, 1])),
        "searchsorted": lambda: tf.searchsorted([[1, 3, 5], [2, 4, 6]], [[1, 6], [4, 5]], side="right"),
        "argsort": lambda: tf.argsort([3, 1, 3, 2], direction="DESCENDING", stable=True),
        "reverse_sequence": lambda: tf.reverse_sequence(x, [1, 3], seq_axis=1, batch_axis=0),
        "reflected": lambda: tf.pad(x, [[0, 1], [2, 0], [1, 1]], "REFLECT"),
        "symmetric": lambda: tf.pad(x, [[0, 1], [2, 0], [1, 1]], "SYMMETRIC"),
        "roll": lambda: tf.roll(x, [1, -2], [0, 2]),
        "linspace": lambda: tf.linspace([0.0, 1.0], [3.0, 5.0], 4, axis=1),
        "bitcast": lambda: tf.bitcast(tf.constant([1.0, 2.0]), tf.uint8),
        "meshgrid": lambda: tf.meshgrid([1, 2, 3], [4, 5]),
        "repeat": lambda: tf.repeat(x[0], [1, 2, 0], axis=0),
        "where of rows": lambda: v1.where([True, False], x, -x),
        "stitch": lambda: tf.dynamic_stitch([[0, 2], [1, 2]], [x, -x]),
        "partition": lambda: tf.dynamic_partition(x, [1, 0], 3),
        "strided_slice": lambda: tf.strided_slice(x, [1, 0, 3], [2, 0, 0], [1, 1, -2], begin_mask=2, end_mask=2),
        "depth_to_space": lambda: v1.depth_to_space(x.reshape(1, 2, 3, 4), 2),
        "scatter_nd": lambda: tf.scatter_nd([[1], [0], [1]], [1.0, 2.0, 3.0], [3]),
        "tensor_scatter_nd_max": lambda: tf.tensor_scatter_nd_max([1.0, 5.0], [[0], [1]], [3.0, 3.0]),
    }


def all_cases(tf: Any) -> dict[str, Case]:
    """Every case by name."""
    return random_cases(tf) | string_cases(tf) | text_cases(tf) | image_cases(tf) | array_cases(tf)


def plain(value: Any) -> Any:
    """A result as JSON: [dtype, shape, values], or a list of those; a ragged one as ["ragged", lists]."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "to_list"):
        return ["ragged", _json(value.to_list())]
    array = value.numpy() if hasattr(value, "numpy") else value
    array = np.asarray(array, object) if isinstance(array, bytes) else np.asarray(array)
    return [array.dtype.name, list(array.shape), _json(array.ravel().tolist())]


def _json(value: Any) -> Any:
    if isinstance(value, list):
        return [_json(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return float(f"{float(value):.9g}") if not isinstance(value, (int, bool)) else value


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    made = f"TensorFlow {tf.__version__}, NumPy {np.__version__}, {Path(__file__).name}"
    cases = {name: plain(case()) for name, case in all_cases(tf).items()}
    rows = ",\n".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in cases.items())
    (HERE / "values.json").write_text(f'{{"made_with":{json.dumps(made)},"cases":{{\n{rows}\n}}}}\n', encoding="utf-8")
    print(f"{len(cases)} cases", file=sys.stderr)


if __name__ == "__main__":
    main()
