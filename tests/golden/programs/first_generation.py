"""`tf.compat.v1`: functions whose 1.x form has other arguments, defaults or names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_X = np.float32([[1.0, -2.0, 3.0], [4.0, 0.0, -6.0]])
_LOGITS = np.float32([[2.0, 1.0, 0.1], [-1.0, 0.5, 0.0]])
_LABELS = np.float32([[0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])
_IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)


@rows(
    "reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_logsumexp",
)  # fmt: skip
def reductions_by_their_old_arguments(tf: Any, name: str) -> Any:
    reduce = getattr(tf.compat.v1, name)
    return [
        reduce(_X).numpy(), reduce(_X, 0).numpy(), reduce(_X, reduction_indices=[1]).numpy(),
        reduce(_X, axis=1, keep_dims=True).numpy(), reduce(_X, axis=0, keepdims=True).numpy(),
    ]  # fmt: skip


@rows("argmax", "argmin")
def arguments_of_extremes(tf: Any, name: str) -> Any:
    find = getattr(tf.compat.v1, name)
    return [
        find(_X).numpy(), find(_X, 1).numpy(), find(_X, dimension=1).numpy(),
        find(_X, axis=1, output_type=tf.int32).numpy(),
        getattr(tf.compat.v1, name.replace("arg", "arg_"))(_X, 0).numpy(),
    ]  # fmt: skip


@rows("count_nonzero", "confusion_matrix", "expand_dims", "squeeze", "where", "boolean_mask", "gather", "batch_gather")
def arrays(tf: Any, name: str) -> Any:
    v1 = tf.compat.v1
    return {
        "count_nonzero": lambda: [
            v1.count_nonzero(_X).numpy(), v1.count_nonzero(_X, axis=0).numpy(),
            v1.count_nonzero(input_tensor=_X, reduction_indices=[1], keep_dims=True).numpy(),
        ],
        "confusion_matrix": lambda: [
            v1.confusion_matrix([0, 1, 2, 2], [0, 2, 2, 1]).numpy(),
            v1.confusion_matrix([0, 1], [1, 1], num_classes=3, weights=[0.5, 2.0], dtype=tf.float32).numpy(),
        ],
        "expand_dims": lambda: [v1.expand_dims(_X, 0).shape, v1.expand_dims(_X, dim=-1).shape],
        "squeeze": lambda: [v1.squeeze([[[1.0]]]).shape, v1.squeeze([[[1.0]]], squeeze_dims=[0]).shape],
        "where": lambda: [
            v1.where(_X > 0).numpy(), v1.where(_X > 0, _X, -_X).numpy(),
            v1.where([True, False], _X, _X * 10).numpy(),
        ],
        "boolean_mask": lambda: [
            v1.boolean_mask(_X, [True, False]).numpy(), v1.boolean_mask(_X, [True, False, True], axis=1).numpy(),
        ],
        "gather": lambda: [v1.gather(_X, [1, 0]).numpy(), v1.gather(_X, [2], axis=1).numpy()],
        "batch_gather": lambda: [v1.batch_gather(_X, [[2, 0], [1, 1]]).numpy()],
    }[name]()  # fmt: skip


@rows("space_to_depth", "depth_to_space", "reverse", "linspace", "scatter", "strip", "invert")
def moves(tf: Any, name: str) -> Any:
    v1 = tf.compat.v1
    return {
        "space_to_depth": lambda: v1.space_to_depth(_IMAGE, 2).numpy(),
        "depth_to_space": lambda: v1.depth_to_space(np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4), 2).numpy(),
        "reverse": lambda: v1.reverse_v2(_X, [1]).numpy(),
        "linspace": lambda: v1.lin_space(0.0, 1.0, 5).numpy(),
        "scatter": lambda: [
            v1.tensor_scatter_add(_X, [[0, 1]], [100.0]).numpy(),
            v1.tensor_scatter_sub(_X, [[1]], [[1.0, 2.0, 3.0]]).numpy(),
            v1.tensor_scatter_update(_X, [[0, 0], [1, 2]], [7.0, 8.0]).numpy(),
        ],
        "strip": lambda: v1.string_strip(["  a ", "b\n"]).numpy(),
        "invert": lambda: v1.invert_permutation([2, 0, 1]).numpy(),
    }[name]()  # fmt: skip


@rows("softmax", "softmax_v2", "sparse", "sigmoid", "weighted", "positional", "no labels")
def cross_entropies(tf: Any, kind: str) -> Any:
    nn = tf.compat.v1.nn
    return refused(
        {
            "softmax": lambda: nn.softmax_cross_entropy_with_logits(labels=_LABELS, logits=_LOGITS).numpy(),
            "softmax_v2": lambda: nn.softmax_cross_entropy_with_logits_v2(_LABELS, _LOGITS, axis=1).numpy(),
            "sparse": lambda: nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=_LOGITS).numpy(),
            "sigmoid": lambda: nn.sigmoid_cross_entropy_with_logits(labels=_LABELS, logits=_LOGITS).numpy(),
            "weighted": lambda: nn.weighted_cross_entropy_with_logits(_LABELS, _LOGITS, 2.0).numpy(),
            "positional": lambda: nn.sparse_softmax_cross_entropy_with_logits([0, 2], _LOGITS),
            "no labels": lambda: nn.softmax_cross_entropy_with_logits(logits=_LOGITS),
        }[kind]
    )


@rows(True, False)
def where_the_labels_gradient_goes(tf: Any, first: bool) -> Any:
    nn = tf.compat.v1.nn
    labels, logits = tf.constant(_LABELS), tf.constant(_LOGITS)
    with tf.GradientTape() as tape:
        tape.watch([labels, logits])
        entropy = nn.softmax_cross_entropy_with_logits if first else nn.softmax_cross_entropy_with_logits_v2
        y = tf.reduce_sum(entropy(labels=labels, logits=logits))
    grads = tape.gradient(y, [labels, logits])
    return [None if g is None else g.numpy() for g in grads]


@rows("SAME", "VALID")
def windows(tf: Any, padding: str) -> Any:
    nn = tf.compat.v1.nn
    kernel = np.float32([1, 0, -1, 2, 0.5, 1, 0, 0]).reshape(2, 2, 2, 1)
    return [
        nn.conv2d(_IMAGE, kernel, strides=[1, 2, 2, 1], padding=padding).numpy(),
        nn.conv2d(_IMAGE, filters=kernel, strides=1, padding=padding).numpy(),
        nn.max_pool(_IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=padding).numpy(),
        nn.avg_pool(_IMAGE, [1, 3, 3, 1], [1, 1, 1, 1], padding).numpy(),
    ]


@rows("moments", "top", "embedding", "embedding of parts", "dropout", "l2", "batch", "normalise")
def networks(tf: Any, what: str) -> Any:
    nn = tf.compat.v1.nn
    return {
        "moments": lambda: (
            [m.numpy() for m in nn.moments(_X, [0])] + [m.numpy() for m in nn.moments(_X, [1], keep_dims=True)]
        ),
        "top": lambda: nn.in_top_k(_LOGITS, [1, 1], 2).numpy(),
        "embedding": lambda: nn.embedding_lookup(_X, [1, 0, 1]).numpy(),
        "embedding of parts": lambda: [
            nn.embedding_lookup([_X, _X * 10], [0, 1, 2, 3]).numpy(),
            nn.embedding_lookup([_X, _X * 10], [0, 1, 2, 3], partition_strategy="div").numpy(),
        ],
        "dropout": lambda: [nn.dropout(_X, keep_prob=1.0).numpy(), nn.dropout(_X, rate=0.0).numpy()],
        "l2": lambda: nn.l2_loss(_X).numpy(),
        "batch": lambda: nn.batch_normalization(_X, 1.0, 4.0, 0.5, 2.0, 0.0).numpy(),
        "normalise": lambda: nn.l2_normalize(_X, 1).numpy(),
    }[what]()


@rows("both", "neither", "too much")
def dropout_refuses(tf: Any, what: str) -> Any:
    nn = tf.compat.v1.nn
    return refused(
        {
            "both": lambda: nn.dropout(_X, keep_prob=0.5, rate=0.5),
            "neither": lambda: nn.dropout(_X),
            "too much": lambda: nn.dropout(_X, rate=1.5),
        }[what]
    )


_ASSERTIONS = {
    "assert_equal": ([1, 2], [1, 2], [1, 3]),
    "assert_none_equal": ([1, 2], [3, 4], [1, 5]),
    "assert_less": ([1, 2], [3, 4], [3, 1]),
    "assert_less_equal": ([1, 2], [1, 4], [0, 4]),
    "assert_greater": ([5, 6], [3, 4], [5, 4]),
    "assert_greater_equal": ([5, 6], [5, 4], [6, 4]),
}


@rows(*_ASSERTIONS)
def assertions_of_two(tf: Any, name: str) -> Any:
    x, fine, wrong = _ASSERTIONS[name]
    check = getattr(tf.compat.v1, name)
    eager = [refused(lambda y=y: check(tf.constant(x), tf.constant(y))) for y in (fine, wrong)]
    with session(tf) as s:
        y = tf.compat.v1.placeholder(tf.int32, [2])
        with tf.control_dependencies([check(tf.constant(x), y, data=[y], message="said")]):
            out = tf.identity(y)
        return [*eager, s.run(out, {y: fine}), refused(lambda: s.run(out, {y: wrong}))]


@rows(
    ("assert_positive", 1, 0), ("assert_negative", -1, 0), ("assert_non_negative", 0, -1), ("assert_non_positive", 0, 1)
)
def assertions_of_one(tf: Any, row: tuple[str, int, int]) -> Any:
    name, fine, wrong = row
    check = getattr(tf.compat.v1, name)
    return [refused(lambda: check(tf.constant([fine]))) is None] + [refused(lambda: check(tf.constant([wrong])))]


@rows(
    "to_float", "to_int32", "to_int64", "to_double", "log", "div", "floor_div", "truncatediv", "is_nan",
    "matrix_inverse",
    "string_to_number", "substr", "diag", "cross",
)  # fmt: skip
def names_that_moved(tf: Any, name: str) -> Any:
    v1 = tf.compat.v1
    calls = {
        "to_float": lambda: v1.to_float([1, 2]),
        "to_int32": lambda: v1.to_int32([1.9, -2.9]),
        "to_int64": lambda: v1.to_int64([1.9, -2.9]),
        "to_double": lambda: v1.to_double([1, 2]),
        "log": lambda: v1.log([1.0, np.e]),
        "div": lambda: v1.div([7, -7], [2, 2]),
        "floor_div": lambda: v1.floor_div([7, -7], [2, 2]),
        "truncatediv": lambda: v1.truncatediv([7, -7], [2, 2]),
        "is_nan": lambda: v1.is_nan([1.0, np.nan]),
        "matrix_inverse": lambda: v1.matrix_inverse([[2.0, 0.0], [0.0, 4.0]]),
        "string_to_number": lambda: v1.string_to_number(["1.5", "2"]),
        "substr": lambda: v1.substr("hello", 1, 3),
        "diag": lambda: v1.diag([1.0, 2.0]),
        "cross": lambda: v1.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    }
    return calls[name]().numpy()


@rows(None, 3)
def initialisers_of_a_seed_repeat(tf: Any, seed: Any) -> Any:
    v1 = tf.compat.v1
    make = v1.random_normal_initializer(mean=1.0, stddev=2.0, seed=7 if seed is None else seed)
    uniform = v1.random_uniform_initializer(0.0, 1.0, seed=3)
    with session(tf) as s:
        a = v1.get_variable("a", [50], initializer=make)
        b = v1.get_variable("b", [50], initializer=uniform)
        s.run(v1.global_variables_initializer())
        x, y = s.run([a, b])
        return [x[:5], y[:5]]
