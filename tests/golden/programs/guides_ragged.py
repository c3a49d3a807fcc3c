"""The sections of TensorFlow's guide to ragged tensors, in programs of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


def _lists(value: Any) -> Any:
    return value.to_list() if hasattr(value, "to_list") else value


def overview(tf: Any) -> Any:
    digits = tf.ragged.constant([[2, 7, 1, 8], [], [2, 8, 1], [8], []])
    words = tf.ragged.constant([["So", "long"], ["thanks", "for", "all", "the", "fish"]])
    return [
        _lists(v)
        for v in (
            tf.add(digits, 3),
            tf.reduce_mean(digits, axis=1),
            tf.concat([digits, [[5, 3]]], axis=0),
            tf.tile(digits, [1, 2]),
            tf.strings.substr(words, 0, 2),
            tf.map_fn(tf.math.square, digits),
            digits[0],
            digits[:, :2],
            digits[:, -2:],
            digits + 3,
            digits * digits,
            digits // 2 - digits,
            tf.add(digits, tf.ragged.constant([[1, 2, 3, 4], [], [5, 6, 7], [8], []])),
        )
    ]


def results_of_numpy_functions(tf: Any) -> Any:
    digits = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
    times_two_plus_one = lambda x: x * 2 + 1  # noqa: E731
    mapped = tf.ragged.map_flat_values(times_two_plus_one, digits)
    array = digits.numpy()
    return [
        mapped.to_list(),
        [r.tolist() for r in array],
        array.dtype.name,
        digits.to_list(),
        len(digits.to_list()),
        np.array([[1, 2], [3, 4]]).tolist(),
        tf.ragged.constant([[1, 2], [3, 4]]).numpy().tolist(),
    ]


@rows("lists", "value rowids", "row lengths", "row splits", "row starts", "row limits", "uniform", "mixed", "depth")
def construction(tf: Any, how: str) -> Any:
    values = [3, 1, 4, 1, 5, 9, 2]
    make = {
        "lists": lambda: tf.ragged.constant([["Let's", "build"], ["We", "do", "this"]]),
        "value rowids": lambda: tf.RaggedTensor.from_value_rowids(values=values, value_rowids=[0, 0, 0, 0, 2, 2, 3]),
        "row lengths": lambda: tf.RaggedTensor.from_row_lengths(values=values, row_lengths=[4, 0, 2, 1]),
        "row splits": lambda: tf.RaggedTensor.from_row_splits(values=values, row_splits=[0, 4, 4, 6, 7]),
        "row starts": lambda: tf.RaggedTensor.from_row_starts(values, [0, 4, 4, 6]),
        "row limits": lambda: tf.RaggedTensor.from_row_limits(values, [4, 4, 6, 7]),
        "uniform": lambda: tf.RaggedTensor.from_uniform_row_length(
            tf.RaggedTensor.from_row_splits(values, [0, 2, 3, 5, 7]), 2
        ),
        "mixed": lambda: tf.ragged.constant([[["a"], ["b", "c"]], [[]]]),
        "depth": lambda: tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,)),
    }
    made = make[how]()
    return [
        made.to_list(),
        made.shape,
        made.ragged_rank,
        made.flat_values,
        [r for r in made.nested_row_splits],
        made.nrows(),
        made.row_lengths(),
        made.bounding_shape(),
        made.dtype,
    ]


def what_can_be_stored(tf: Any) -> Any:
    numbers = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    return [
        refused(lambda: tf.ragged.constant([["one", "two"], [3, 4]])),
        refused(lambda: tf.ragged.constant(["A", ["B", "C"]])),
        refused(lambda: tf.ragged.constant([1, [2]])),
        numbers.shape,
        numbers.dtype,
        tf.ragged.constant([[], []]).dtype,
        tf.ragged.constant([[], []]).shape,
        tf.ragged.constant([["x"], []]).dtype,
        tf.ragged.constant([[1], [2.5]]).dtype,
    ]


def an_embedding_of_words_and_bigrams(tf: Any) -> Any:
    queries = tf.ragged.constant([["Who", "is", "Dan", "Smith"], ["Pause"], ["Will", "it", "rain", "later", "today"]])
    num_buckets = 64
    table = tf.Variable(np.sin(np.arange(num_buckets * 4, dtype=np.float32)).reshape(num_buckets, 4))
    with tf.GradientTape() as tape:
        word_buckets = tf.strings.to_hash_bucket_fast(queries, num_buckets)
        word_embeddings = tf.nn.embedding_lookup(table, word_buckets)
        marker = tf.fill([queries.nrows(), 1], "#")
        padded = tf.concat([marker, queries, marker], axis=1)
        bigrams = tf.strings.join([padded[:, :-1], padded[:, 1:]], separator="+")
        bigram_buckets = tf.strings.to_hash_bucket_fast(bigrams, num_buckets)
        bigram_embeddings = tf.nn.embedding_lookup(table, bigram_buckets)
        all_embeddings = tf.concat([word_embeddings, bigram_embeddings], axis=1)
        avg_embedding = tf.reduce_mean(all_embeddings, axis=1)
        loss = tf.reduce_sum(avg_embedding**2)
    grad = tf.convert_to_tensor(tape.gradient(loss, table))
    return [
        word_buckets.to_list(),
        bigrams.to_list(),
        bigrams.shape,
        avg_embedding,
        all_embeddings.shape,
        loss,
        tf.reduce_sum(grad, 0),
        tf.math.count_nonzero(tf.reduce_any(grad != 0, 1)),
    ]


def ragged_and_uniform_dimensions(tf: Any) -> Any:
    x = tf.RaggedTensor.from_row_splits(values=tf.ones([6, 3, 2]), row_splits=[0, 2, 2, 5, 6])
    deep = tf.ragged.constant([[["a"], ["b", "c"]], [["d"]]])
    return [
        x.shape,
        x.ragged_rank,
        x.flat_values.shape,
        x.values.shape,
        tf.ragged.constant([["Hi"], ["How", "are"]]).shape,
        deep.shape,
        deep.values.shape,
        deep.bounding_shape(),
        deep.bounding_shape(axis=1),
        deep.bounding_shape(out_type=tf.int32),
        tf.rank(deep),
        tf.size(deep),
        deep.flat_values,
    ]


def ragged_and_sparse(tf: Any) -> Any:
    ragged_x = tf.ragged.constant([["John"], ["a", "big", "dog"], ["my", "cat"]])
    ragged_y = tf.ragged.constant([["fell", "asleep"], ["barked"], ["is", "fuzzy"]])
    joined = tf.concat([ragged_x, ragged_y], axis=1)
    sparse_x, sparse_y = ragged_x.to_sparse(), ragged_y.to_sparse()
    sparse = tf.sparse.concat(sp_inputs=[sparse_x, sparse_y], axis=1)
    back = tf.RaggedTensor.from_sparse(sparse_x)
    return [
        joined.to_list(),
        tf.sparse.to_dense(sparse, ""),
        sparse_x.indices,
        sparse_x.dense_shape,
        back.to_list(),
        refused(lambda: tf.RaggedTensor.from_sparse(sparse).to_list()),
    ]


def functions_take_and_give_ragged(tf: Any) -> Any:
    traces = []

    @tf.function
    def make_palindrome(x: Any, axis: Any) -> Any:
        traces.append(x.shape)
        return tf.concat([x, tf.reverse(x, [axis])], axis)

    found = [
        make_palindrome(tf.ragged.constant([[1, 2], [3], [4, 5, 6]]), axis=1),
        make_palindrome(tf.ragged.constant([["a", "b"], []]), axis=1),
        make_palindrome(tf.ragged.constant([[7], [8, 9], []]), axis=1),
    ]

    @tf.function(input_signature=[tf.RaggedTensorSpec(shape=[None, None], dtype=tf.int32)])
    def max_and_min(rt: Any) -> Any:
        return (tf.math.reduce_max(rt, axis=-1), tf.math.reduce_min(rt, axis=-1))

    @tf.function
    def increment(x: Any) -> Any:
        return x + 1

    cf = increment.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    return [
        [f.to_list() for f in found],
        traces,
        max_and_min(tf.ragged.constant([[1, 2], [3], [4, 5, 6]])),
        cf(tf.ragged.constant([[1, 2], [], [3]])).to_list(),
    ]


@rows("elementwise", "dense right", "dense left", "number", "bool", "text", "pow", "unary")
def overloaded_operators(tf: Any, what: str) -> Any:
    x, y = tf.ragged.constant([[1, 2], [3], [4, 5, 6]]), tf.ragged.constant([[1, 1], [2], [3, 3, 3]])
    calls = {
        "elementwise": lambda: [x + y, x - y, x * y, x // y, x % y, x / y, x**y],
        "dense right": lambda: [x + [[10], [20], [30]], x * tf.constant([[1], [2], [3]]), x - tf.constant(1)],
        "dense left": lambda: [[[10], [20], [30]] - x, tf.constant(12) // x],
        "number": lambda: [x + 3, 3 - x, 12 // x, 2**x, 7 % x],
        "bool": lambda: [x < y, x >= 3, (x > 1) & (x < 5), (x > 4) | (y > 2), ~(x > 2), (x > 2) ^ (y > 1)],
        "text": lambda: [tf.ragged.constant([["a"], []]) + "b", tf.ragged.constant([["a"]]) == "a"],
        "pow": lambda: [tf.cast(x, tf.float32) ** 0.5, tf.pow(x, 2)],
        "unary": lambda: [-x, abs(-x), tf.math.logical_not(x > 2), tf.sqrt(tf.cast(x, tf.float32))],
    }
    return [v.to_list() for v in calls[what]()]


@rows(
    (1,),
    (1, 2),
    (slice(1, None),),
    (-1,),
    (slice(None), slice(None, 2)),
    (slice(None), slice(-2, None)),
    (slice(None), slice(None, None, 2)),
    (slice(None, None, -1),),
    (Ellipsis, 0),
    (0, 0),
    (slice(None), 0),
    (slice(1, 3), slice(1, None)),
    (None,),
    (slice(None), None),
)
def indexing(tf: Any, key: Any) -> Any:
    queries = tf.ragged.constant([["Who", "is", "George"], ["What", "is", "the", "weather"], ["Goodnight"]])
    key = key if len(key) > 1 else key[0]
    return refused(lambda: _shown(queries[key]))


@rows(
    (1, 0),
    (slice(None), 1),
    (slice(None), slice(None), slice(1)),
    (2,),
    (slice(None), slice(None), 0),
    (slice(None), slice(1, None), slice(1, None)),
    (0, slice(None), slice(-1, None)),
    (3, 1, 0),
    (Ellipsis, slice(1)),
)
def indexing_of_three_dimensions(tf: Any, key: Any) -> Any:
    rt = tf.ragged.constant([[[1, 2, 3], [4]], [[5], [], [6]], [[7]], [[8, 9], [10]]])
    return refused(lambda: _shown(rt[key if len(key) > 1 else key[0]]))


def _shown(value: Any) -> Any:
    return [_lists(value), value.shape]


def conversions(tf: Any) -> Any:
    sentences = tf.ragged.constant([["Hi"], ["Welcome", "to", "the", "fair"], ["Have", "fun"]])
    st = tf.SparseTensor(indices=[[0, 0], [2, 0], [2, 1]], values=["a", "b", "c"], dense_shape=[3, 3])
    return [
        sentences.to_tensor(default_value="", shape=[None, 10]),
        sentences.to_tensor("-"),
        sentences.to_tensor(default_value="", shape=[2, 3]),
        tf.RaggedTensor.from_tensor([[1, 3, -1, -1], [2, -1, -1, -1], [4, 5, 8, 9]], padding=-1).to_list(),
        tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 1]).to_list(),
        tf.RaggedTensor.from_tensor([[[1, 0], [2, 3]], [[4, 0], [0, 0]]], ragged_rank=2, padding=0).to_list(),
        tf.sparse.to_dense(sentences.to_sparse(), default_value="."),
        tf.RaggedTensor.from_sparse(st).to_list(),
    ]


def evaluation(tf: Any) -> Any:
    rt = tf.ragged.constant([[1, 2], [3, 4, 5], [6], [], [7]])
    return [
        rt.to_list(),
        [r.tolist() for r in rt.numpy()],
        rt.values.numpy(),
        rt.row_splits.numpy(),
        rt[1].numpy(),
        str(rt),
        repr(rt),
        len(rt.numpy()),
        [r for r in rt],
        tf.ragged.constant([["é"], []]).to_list(),
    ]


@rows("scalar", "one row each", "one row", "inner", "two ragged", "wrong", "outer one")
def broadcasting(tf: Any, what: str) -> Any:
    x = tf.ragged.constant([[1, 2], [3]])
    cube = tf.ragged.constant([[[[1], [2]], [], [[3]], [[4]]], [[[5], [6]], [[7]]]], ragged_rank=2)
    calls = {
        "scalar": lambda: x + 3,
        "one row each": lambda: tf.ragged.constant([[10, 87, 12], [19, 53], [12, 32]]) + [[1000], [2000], [3000]],
        "one row": lambda: tf.ragged.constant([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1) + [[10], [20]][1],
        "inner": lambda: tf.ragged.constant([[[1, 2], [3]], [[4]]]) * [[[2]], [[3]]],
        "two ragged": lambda: cube + tf.constant([10, 20, 30]),
        "wrong": lambda: (
            tf.ragged.constant([[1, 2], [3, 4, 5, 6], [7]]) + tf.constant([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
        ),
        "outer one": lambda: (
            tf.ragged.constant([[[1, 2, 3], [4], [5, 6]], [[7]]]) + tf.ragged.constant([[[10], [20], [30]], [[40]]])
        ),
    }
    return refused(lambda: _shown(calls[what]()))


def encodings(tf: Any) -> Any:
    rt = tf.RaggedTensor.from_row_splits(values=[3, 1, 4, 1, 5, 9, 2], row_splits=[0, 4, 4, 6, 7])
    several = tf.RaggedTensor.from_row_splits(
        values=tf.RaggedTensor.from_row_splits(
            values=[10, 11, 12, 13, 14, 15, 16, 17, 18, 19], row_splits=[0, 3, 3, 5, 9, 10]
        ),
        row_splits=[0, 1, 1, 5],
    )
    nested = tf.RaggedTensor.from_nested_row_splits(
        flat_values=[10, 11, 12, 13, 14], nested_row_splits=([0, 1, 1, 5], [0, 2, 2, 3, 3, 5])
    )
    uniform = tf.RaggedTensor.from_uniform_row_length(
        tf.RaggedTensor.from_row_splits(values=[10, 11, 12, 13, 14, 15, 16, 17, 18, 19], row_splits=[0, 3, 5, 9, 10]), 2
    )
    inner = tf.RaggedTensor.from_row_splits(
        values=[[1, 3], [0, 0], [1, 3], [5, 3], [3, 3], [1, 2]], row_splits=[0, 3, 4, 6]
    )
    return [
        rt.row_splits,
        rt.value_rowids(),
        rt.row_starts(),
        rt.row_limits(),
        rt.row_lengths(),
        rt.nrows(),
        several.to_list(),
        several.shape,
        several.ragged_rank,
        several.nested_row_lengths(),
        several.nested_value_rowids(),
        nested.to_list(),
        nested.shape,
        uniform.to_list(),
        uniform.shape,
        uniform.uniform_row_length,
        uniform.ragged_rank,
        inner.to_list(),
        inner.shape,
        inner.ragged_rank,
        several.merge_dims(0, 1).to_list(),
        several.with_flat_values(tf.range(10) * 2).to_list(),
        refused(lambda: tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2])),
        refused(lambda: tf.RaggedTensor.from_row_lengths([1, 2], [1])),
    ]


def a_sequence_of_variable_length_is_summarised(tf: Any) -> Any:
    """Rows mapped to matrices, softmax per row, top values, masks; and gradients into the values."""
    rt = tf.ragged.constant([[1.0, 3.0, 2.0], [], [5.0, 4.0]])

    @tf.function
    def attention(rt: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rt)
            weights = tf.nn.softmax(rt)
            pooled = tf.reduce_sum(weights * rt, axis=1)
            loss = tf.reduce_sum(pooled * pooled)
        return weights, pooled, tape.gradient(loss, rt)

    weights, pooled, grad = attention(rt)
    squares = tf.map_fn(
        lambda r: r[:2, None] * [1.0, 2.0], rt, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.float32, 0)
    )
    rowwise = tf.map_fn(lambda r: tf.reduce_sum(r), rt, fn_output_signature=tf.float32)
    longest = tf.map_fn(
        lambda r: tf.range(tf.shape(r)[0]), rt, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)
    )
    return [
        weights.to_list(),
        pooled,
        grad.to_list(),
        squares.to_list(),
        rowwise,
        longest.to_list(),
        tf.ragged.range([2, 0, 3]).to_list(),
        tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]),
        tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
        tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])]).to_list(),
        tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list(),
        tf.strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"]]), axis=1, separator="-"),
        tf.sequence_mask(rt.row_lengths()),
        tf.gather(rt, [2, 0]).to_list(),
        tf.where(rt > 2.0),
        tf.argmax(rt.to_tensor(), 1),
        tf.reduce_max(rt),
    ]


def ragged_in_and_out_of_host_functions(tf: Any) -> Any:
    rt = tf.ragged.constant([[1, 2], [], [3]])

    def double(x: Any) -> Any:
        return tf.ragged.map_flat_values(lambda v: v * 2, x)

    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function
    def twice(x: Any) -> Any:
        return tf.py_function(double, [x], spec) + 1

    eager = tf.py_function(double, [rt], spec)

    @tf.function
    def tokens(text: Any) -> Any:
        def tokenize(lines: Any) -> Any:
            parts = [line.split() for line in lines]
            return np.array(sum(parts, [])), np.array([len(p) for p in parts])

        flat, lengths = tf.numpy_function(tokenize, [text], [tf.string, tf.int64])
        flat.set_shape([None])
        lengths.set_shape([None])
        return tf.RaggedTensor.from_row_lengths(flat, lengths)

    found = tokens(tf.constant(["a bc d", "", "ef"]))
    return [eager.to_list(), twice(rt).to_list(), found.to_list(), tf.strings.length(found).to_list()]
