"""The sections of TensorFlow's guides to tensors, slices, sparse tensors and variables, in programs of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

# ---------------------------------------------------------------- tensors


def tensors_of_every_rank(tf: Any) -> Any:
    rank_2 = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
    rank_3 = tf.constant(np.arange(30).reshape(3, 2, 5).tolist())
    a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([[1, 1], [1, 1]])
    c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
    return [
        [repr(t) for t in (tf.constant(4), tf.constant([2.0, 3.0]), rank_2)],
        [str(t) for t in (tf.constant(4), tf.constant([2.0, 3.0]), rank_2, rank_3)],
        np.array(rank_2),
        rank_2.numpy().dtype.name,
        a + b,
        a * b,
        a @ b,
        tf.add(a, b),
        tf.multiply(a, b),
        tf.matmul(a, b),
        tf.reduce_max(c),
        tf.math.argmax(c),
        tf.nn.softmax(c),
        tf.convert_to_tensor([1, 2, 3]),
        tf.reduce_max([1, 2, 3]),
        tf.reduce_max(np.array([1, 2, 3])),
    ]


def shapes_of_tensors(tf: Any) -> Any:
    rank_4 = tf.zeros([3, 2, 4, 5])
    return [
        rank_4.dtype,
        rank_4.ndim,
        rank_4.shape,
        rank_4.shape[0],
        rank_4.shape[-1],
        tf.size(rank_4).numpy(),
        tf.rank(rank_4),
        tf.shape(rank_4),
        rank_4.shape.as_list(),
        len(rank_4),
        rank_4.shape.num_elements(),
        rank_4.shape[1:3],
        rank_4.shape.rank,
    ]


def indexing_as_in_python(tf: Any) -> Any:
    rank_1 = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    rank_2 = tf.constant([[1, 2], [3, 4], [5, 6]])
    rank_3 = tf.reshape(tf.range(30), [3, 2, 5])
    return [
        rank_1[0],
        rank_1[1],
        rank_1[-1],
        rank_1[:],
        rank_1[:4],
        rank_1[4:],
        rank_1[2:7],
        rank_1[::2],
        rank_1[::-1],
        rank_2[1, 1],
        rank_2[1, :],
        rank_2[:, 1],
        rank_2[-1, :],
        rank_2[0, :],
        rank_2[1:, :],
        rank_3[:, :, 4],
        rank_3[..., 1],
        rank_3[tf.newaxis, 0].shape,
        refused(lambda: rank_1[1.5]),
        refused(lambda: rank_2[3]),
        rank_1[tf.constant(2) : tf.constant(4)],
    ]


def manipulating_shapes(tf: Any) -> Any:
    x = tf.constant([[1], [2], [3]])
    rank_3 = tf.reshape(tf.range(30), [3, 2, 5])
    return [
        x.shape,
        tf.reshape(x, [1, 3]),
        tf.reshape(rank_3, [-1]),
        tf.reshape(rank_3, [3 * 2, 5]),
        tf.reshape(rank_3, [3, -1]),
        refused(lambda: tf.reshape(rank_3, [7, -1])),
        tf.reshape(rank_3, [2, 3, 5]),
        tf.transpose(rank_3, [2, 0, 1]).shape,
        refused(lambda: tf.reshape(rank_3, [-1, -1])),
    ]


def types_and_broadcasting(tf: Any) -> Any:
    x = tf.constant([1, 2, 3])
    wide, tall = tf.reshape(x, [3, 1]), tf.range(1, 5)
    f64 = tf.constant([2.2, 3.3, 4.4], dtype=tf.float64)
    return [
        tf.cast(tf.cast(f64, tf.float16), tf.uint8),
        tf.multiply(x, 2),
        x * tf.constant(2),
        x * tf.constant([2, 2, 2]),
        tf.multiply(wide, tall),
        tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]),
        refused(lambda: x + f64),
        refused(lambda: tf.constant([1, 2]) + x),
        tf.cast(3.99, tf.int32),
        tf.cast([0, 2], tf.bool),
        tf.cast(True, tf.float32),
    ]


def text(tf: Any) -> Any:
    scalar = tf.constant("Gray wolf")
    strings = tf.constant(["Gray wolf", "Quick brown fox", "Lazy dog"])
    numbers = tf.constant("1 10 100")
    bytes_ = tf.strings.bytes_split(tf.constant("Duck"))
    uni = tf.constant("アヒル 🦆")
    return [
        repr(scalar),
        repr(strings),
        tf.strings.split(scalar, sep=" "),
        tf.strings.split(strings).to_list(),
        tf.strings.to_number(tf.strings.split(numbers, " ")),
        bytes_,
        tf.io.decode_raw(tf.constant("Duck"), tf.uint8),
        uni,
        tf.strings.unicode_split(uni, "UTF-8"),
        tf.strings.unicode_decode(uni, "UTF-8"),
        tf.strings.length(uni),
        tf.strings.length(uni, unit="UTF8_CHAR"),
        repr(tf.constant("🥳👍")),
        tf.strings.upper(strings),
        tf.strings.join(["a", "b"], "-"),
        tf.strings.regex_replace(strings, "[aeiou]", "_"),
        tf.strings.format("<{}>", [tf.constant([1, 2])]),
    ]


# ---------------------------------------------------------------- slices


def slices_of_a_tensor(tf: Any) -> Any:
    t1 = tf.constant([0, 1, 2, 3, 4, 5, 6, 7])
    t2 = tf.constant([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19]])
    t3 = tf.constant(np.arange(0, 64, 2).reshape(2, 4, 4))
    return [
        tf.slice(t1, begin=[1], size=[3]),
        t1[1:4],
        t1[-3:],
        tf.slice(t2, begin=[0, 1], size=[4, 3]),
        t2[:-1, 1:3],
        tf.slice(t3, begin=[1, 1, 0], size=[1, 2, 2]),
        tf.gather(t1, indices=[0, 3, 6]),
        t1[::3],
        tf.gather(tf.constant(list("nuremberg")), indices=[4, 5, 6, 7, 8]),
        tf.gather_nd(t2, indices=[[2], [3], [0]]),
        tf.gather_nd(t3, indices=[[0, 0, 0], [1, 2, 1]]),
        tf.gather_nd(t3, indices=[[[0, 0], [0, 2]], [[1, 0], [1, 2]]]),
        tf.gather_nd(t3, indices=[[0, 0], [0, 0], [0, 0]]),
        tf.slice(t2, [1, 0], [-1, 2]),
        refused(lambda: tf.slice(t1, [6], [5])),
        tf.strided_slice(t2, [0, 0], [4, 5], [2, 3]),
        tf.gather(t2, [1, 3], axis=1),
        tf.gather(t2, [[0, 1], [2, 3]], axis=1, batch_dims=0),
        tf.boolean_mask(t2, t2 % 3 == 0),
        tf.boolean_mask(t2, [True, False, True, False]),
    ]


def values_put_into_tensors(tf: Any) -> Any:
    t6 = tf.constant([10])
    indices = tf.constant([[1], [3], [5], [7], [9]])
    data = tf.constant([2, 4, 6, 8, 10])
    t7 = tf.scatter_nd(indices, data, shape=t6)
    t2 = tf.constant([[0, 1, 2], [5, 6, 7], [10, 11, 12], [15, 16, 17]])
    new = tf.gather_nd(t2, indices=[[0, 2], [1, 1], [2, 0], [3, 2]])
    t9 = tf.scatter_nd(indices=[[0, 2], [1, 1], [2, 0], [3, 2]], updates=new, shape=[4, 3])
    t11 = tf.constant([[2, 7, 0], [9, 0, 1], [0, 3, 8]])
    t13 = tf.tensor_scatter_nd_add(t11, indices=[[0, 2], [1, 1], [2, 0]], updates=[6, 5, 4])
    t14 = tf.tensor_scatter_nd_sub(
        t11, indices=[[0, 0], [0, 1], [1, 0], [1, 2], [2, 1], [2, 2]], updates=[1, 6, 8, 0, 2, 7]
    )
    lost = tf.constant([[-2, -7, 0], [-9, 0, 1], [0, -3, -8]])
    return [
        t7,
        t9,
        t13,
        t14,
        tf.tensor_scatter_nd_min(lost, [[0, 0], [1, 1]], [-6, 5]),
        tf.tensor_scatter_nd_max(lost, [[0, 2], [2, 1]], [6, 9]),
        tf.tensor_scatter_nd_update(t11, [[1]], [[5, 5, 5]]),
        tf.scatter_nd([[0], [0]], [1, 2], [2]),
        refused(lambda: tf.scatter_nd([[4]], [1], [2])),
        refused(lambda: tf.tensor_scatter_nd_update(t11, [[0]], [[1, 2]])),
    ]


def slices_in_functions(tf: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.float32), tf.TensorSpec([], tf.int32)])
    def crop(x: Any, n: Any) -> Any:
        a = x[:, :n]
        b = x[:, n:, ..., tf.newaxis]
        c = x[:, -1]
        d = tf.slice(x, [0, 0, 1], [-1, n, 2])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x[:, ::2] ** 2) + tf.reduce_sum(tf.gather(x, [0, 0], axis=1)) + tf.reduce_sum(x[0, 1, 1:])
        return a, b, c, d, tape.gradient(y, x), [len(v.shape) for v in (a, b, c, d)]

    x = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 4, 3))
    shapes = [o.shape for o in crop.get_concrete_function().outputs]
    return [crop(x, 2), shapes]


# ---------------------------------------------------------------- sparse


def sparse_tensors(tf: Any) -> Any:
    st1 = tf.sparse.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
    st2 = tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
    return [
        str(st1),
        st1.indices,
        st1.values,
        st1.dense_shape,
        st1.shape,
        st1.dtype,
        st2.indices,
        st2.values,
        tf.sparse.to_dense(st1),
        st1.get_shape().as_list(),
        tf.sparse.to_dense(st2),
        isinstance(st1, tf.SparseTensor),
    ]


def sparse_arithmetic(tf: Any) -> Any:
    st_a = tf.sparse.SparseTensor(indices=[[0, 2], [3, 4]], values=[31, 2], dense_shape=[4, 10])
    st_b = tf.sparse.SparseTensor(indices=[[0, 2], [3, 0]], values=[56, 38], dense_shape=[4, 10])
    st_c = tf.sparse.SparseTensor(indices=([0, 1], [1, 0], [1, 1]), values=[13, 15, 17], dense_shape=(2, 2))
    mb = tf.constant([[4], [6]])
    shown = lambda s: [s.indices, s.values, s.dense_shape]  # noqa: E731
    return [
        shown(tf.sparse.add(st_a, st_b)),
        tf.sparse.sparse_dense_matmul(st_c, mb),
        tf.sparse.sparse_dense_matmul(st_c, mb, adjoint_a=True),
        tf.sparse.add(st_c, tf.ones([2, 2], tf.int32)),
        shown(st_c * 2),
        shown(tf.sparse.map_values(tf.add, st_a, 5)),
        shown(tf.sparse.maximum(st_a, st_b)),
        shown(tf.sparse.minimum(st_a, st_b)),
        tf.sparse.reduce_sum(st_a, 1),
        tf.sparse.reduce_max(st_c, 0),
    ]


def sparse_parts_and_wholes(tf: Any) -> Any:
    a = tf.sparse.SparseTensor(
        indices=[[2, 4], [3, 3], [3, 4], [4, 3], [4, 4], [5, 4]], values=[1, 1, 1, 1, 1, 1], dense_shape=[8, 5]
    )
    b = tf.sparse.SparseTensor(
        indices=[[0, 2], [1, 1], [1, 3], [2, 0], [2, 4], [2, 5]], values=[1, 1, 1, 1, 1, 1], dense_shape=[8, 6]
    )
    sparse_patterns = tf.sparse.concat(axis=1, sp_inputs=[a, b])
    left = tf.sparse.slice(sparse_patterns, start=[0, 0], size=[8, 5])
    right = tf.sparse.slice(sparse_patterns, start=[0, 5], size=[8, 6])
    mixed = tf.SparseTensor([[1, 1], [0, 2], [0, 0]], [3, 2, 1], [2, 3])
    dense = tf.sparse.to_dense
    return [
        dense(sparse_patterns),
        dense(left),
        dense(right),
        dense(tf.sparse.transpose(a)),
        dense(tf.sparse.reshape(a, [5, 8])),
        [dense(s) for s in tf.sparse.split(sp_input=b, num_split=2, axis=1)],
        dense(tf.sparse.eye(3)),
        tf.sparse.reorder(mixed).indices,
        refused(lambda: tf.sparse.to_dense(mixed)),
        tf.sparse.to_dense(tf.sparse.reorder(mixed), default_value=-1),
        dense(tf.sparse.retain(a, a.indices[:, 0] > 3)),
        tf.sparse.fill_empty_rows(a, 9)[1],
        tf.sparse.reset_shape(tf.sparse.reorder(mixed)).dense_shape,
    ]


def sparse_in_functions(tf: Any) -> Any:
    traces = []

    @tf.function
    def f(x: Any, y: Any) -> Any:
        traces.append(1)
        return tf.sparse.sparse_dense_matmul(x, y)

    a = tf.SparseTensor(indices=[[0, 3], [2, 4]], values=[15, 25], dense_shape=[3, 10])
    b = tf.sparse.to_dense(tf.sparse.transpose(a))
    c = tf.SparseTensor(indices=[[0, 3], [2, 4], [2, 5]], values=[15, 25, 4], dense_shape=[3, 10])

    @tf.function
    def doubled(x: Any) -> Any:
        return tf.sparse.map_values(lambda v: v * 2, x), tf.SparseTensor(x.indices, x.values + 1, x.dense_shape)

    first, second = doubled(a)
    weights = tf.Variable([[1.0], [2.0], [3.0], [4.0]])
    with tf.GradientTape() as tape:
        values = tf.constant([0.5, 2.0])
        tape.watch(values)
        st = tf.SparseTensor([[0, 1], [1, 3]], values, [2, 4])
        loss = tf.reduce_sum(tf.sparse.sparse_dense_matmul(st, weights) ** 2)
    return [
        f(a, b),
        f(c, b),
        len(traces),
        first.values,
        second.values,
        tape.gradient(loss, [values, weights]),
        first.shape,
        doubled.get_concrete_function(tf.SparseTensorSpec([None, 3], tf.int32))(tf.sparse.eye(3, dtype=tf.int32))[
            0
        ].values,
    ]


def values_that_are_not_there(tf: Any) -> Any:
    """Missing values are told apart from zeros by operations on the values alone."""
    st = tf.SparseTensor(indices=[[0, 1], [0, 3], [1, 0]], values=[0.0, 10.0, -2.0], dense_shape=[2, 4])
    softmax = tf.sparse.softmax(st)
    present = tf.sparse.to_dense(tf.sparse.map_values(tf.ones_like, st))
    nan = tf.sparse.to_dense(st, default_value=np.nan)
    return [
        softmax.values,
        tf.sparse.to_dense(st),
        present,
        nan,
        tf.reduce_sum(present),
        tf.sparse.reduce_sum(st),
        tf.nn.l2_loss(st.values),
    ]


# ---------------------------------------------------------------- variables


def variables(tf: Any) -> Any:
    my_tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v = tf.Variable(my_tensor)
    b, c = tf.Variable([False, False, False, True]), tf.Variable([5 + 4j, 6 + 1j])
    a = tf.Variable([2.0, 3.0])
    before = [a.read_value(), a.shape, v.dtype, v.numpy(), tf.convert_to_tensor(v), tf.argmax(v), tf.reshape(v, [1, 4])]
    a.assign([1, 2])
    wrong = refused(lambda: a.assign([1.0, 2.0, 3.0]))
    other = tf.Variable(a)
    a.assign([5, 6])
    sums = [a.assign_add([2, 3]).numpy(), a.assign_sub([7, 9]).numpy(), other.numpy()]
    named, same = tf.Variable(my_tensor, name="Mark"), tf.Variable(my_tensor + 1, name="Mark")
    step = tf.Variable(1, trainable=False)
    return [
        before,
        wrong,
        sums,
        named.name == same.name,
        (named.numpy() == same.numpy()).any(),
        step.trainable,
        b.dtype,
        c.numpy(),
        str(tf.Variable(3)),
        repr(tf.Variable([1.5], name="w")),
        a[0],
        v[1].shape,
        v @ v,
        -v + 1,
        v**2,
    ]


@rows("scatter", "slices", "unknown shape", "types", "sparse rows")
def variables_changed_in_part(tf: Any, what: str) -> Any:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def scattered() -> Any:
        v.scatter_nd_add([[0], [2]], [[1.0, 1.0], [2.0, 2.0]])
        first = v.numpy()
        v.scatter_nd_update([[1, 0]], [9.0])
        v.scatter_sub(tf.IndexedSlices(tf.constant([[1.0, 0.0]]), tf.constant([2])))
        return [first, v.numpy(), v.sparse_read([0, 0]), v.gather_nd([[1, 0]])]

    def sliced() -> Any:
        v[1:, 0].assign([7.0, 8.0])
        v[0].assign([0.0, 0.0])
        return [v.numpy(), refused(lambda: v[0].assign([1.0]))]

    def unknown() -> Any:
        free = tf.Variable([1.0], shape=tf.TensorShape(None))
        free.assign([[1.0, 2.0]])
        part = tf.Variable(tf.zeros([2, 3]), shape=[None, 3])
        part.assign(tf.ones([4, 3]))
        return [free.shape, free, part.shape, part.numpy().shape, refused(lambda: part.assign(tf.ones([4, 2])))]

    def typed() -> Any:
        return [
            tf.Variable(1).dtype,
            tf.Variable(1.0).dtype,
            tf.Variable(1, dtype=tf.float64).dtype,
            refused(lambda: v.assign("a")),
            refused(lambda: tf.Variable(None)),
        ]

    def of_rows() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(v, [0, 2, 0]) ** 2)
        g = tape.gradient(loss, v)
        v.scatter_sub(tf.IndexedSlices(g.values * 0.1, g.indices))
        return [g.values, g.indices, v]

    return {"scatter": scattered, "slices": sliced, "unknown shape": unknown, "types": typed, "sparse rows": of_rows}[
        what
    ]()
