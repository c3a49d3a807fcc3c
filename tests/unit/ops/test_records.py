"""Files, records of values, hashes and blocks: what they refuse, and how they behave in graphs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.protos.tensor import TensorProto
from inlay._src.ops import seeds

IMAGE = np.zeros((1, 4, 4, 3), np.float32)
v1 = tf.compat.v1
BAD = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: tf.io.decode_csv(["1,2"], [[1]]), BAD, "Expect 1 fields but have 2"),
        (lambda: tf.io.decode_csv(["", "1"], [[1]]), BAD, "have 0 in record 0"),
        (lambda: tf.io.decode_csv(["1,"], [[1], np.zeros(0, np.int32)]), BAD, "Field 1 is required"),
        (lambda: tf.io.decode_csv(["2x"], [[1]]), BAD, "Field 0 in record 0 is not a valid int32: 2x"),
        (lambda: tf.io.decode_csv(["2x"], [[1.0]]), BAD, "not a valid float: 2x"),
        (lambda: tf.io.decode_csv(['a"b'], [[""]]), BAD, "Unquoted fields cannot have quotes"),
        (lambda: tf.io.decode_csv(['"a'], [[""]]), BAD, "Quoted field has to end with quote"),
        (lambda: tf.io.decode_csv(['"a"b"'], [[""]]), BAD, "escaped by another quote"),
        (lambda: tf.io.decode_csv(["1"], [[[1]]]), BAD, "at most rank 1"),
        (lambda: tf.io.decode_csv(["1"], [[1, 2]]), BAD, "only be 1 default per field"),
        (lambda: tf.io.decode_csv(["1"], [[True]]), TypeError, "got a default of bool"),
        (lambda: tf.io.decode_csv(["1"], [[1]], field_delim="::"), ValueError, "only 1 char"),
        (lambda: tf.io.decode_csv(["1"], [[1], [2]], select_cols=[1, 0]), ValueError, "not strictly increasing"),
        (lambda: tf.io.decode_csv(["1"], [[1]], select_cols=[-1]), ValueError, "negative values"),
        (lambda: tf.io.decode_csv(["1"], [[1]], select_cols=[0, 1]), ValueError, "do not match"),
        (lambda: tf.fingerprint(3), BAD, "at least one dimension"),
        (lambda: tf.fingerprint([3], "md5"), BAD, "Unsupported fingerprint method"),
        (lambda: tf.strings.to_hash_bucket_fast(["a"], 0), BAD, "of 0 must be at least minimum 1"),
        (lambda: tf.strings.to_hash_bucket_strong(["a"], 2, [1]), BAD, "Key must have 2 elements"),
        (lambda: tf.io.read_file("/nowhere/at/all"), tf.errors.NotFoundError, "/nowhere/at/all; No such file"),
        (lambda: tf.io.read_file("/"), tf.errors.FailedPreconditionError, "Is a directory"),
        (lambda: tf.io.read_file(["a", "b"]), BAD, "must be a scalar"),
        (lambda: tf.io.write_file("/dev/null/x", "a"), tf.errors.FailedPreconditionError, "/dev/null/x"),
        (lambda: tf.nn.space_to_depth(IMAGE, 3), BAD, "must be a multiple of 3"),
        (lambda: tf.nn.depth_to_space(IMAGE, 2), BAD, "must be a multiple of 4"),
        (lambda: tf.nn.depth_to_space(IMAGE, 2, "CNHW"), BAD, "data_format must be"),
        (lambda: tf.space_to_batch(IMAGE, [0], [[0, 0]]), BAD, "block_shape must be positive, got"),
        (lambda: tf.space_to_batch(IMAGE, [3], [[0, 0]]), BAD, "not divisible by block_shape's 3"),
        (lambda: tf.space_to_batch(IMAGE, [1], [[0, -1]]), BAD, "paddings cannot be negative"),
        (lambda: tf.space_to_batch(IMAGE, [1, 1], [[0, 0]]), BAD, r"should have shape \[2, 2\]"),
        (lambda: tf.space_to_batch([1.0], [1], [[0, 0]]), BAD, "rank should be >= 2 instead of 1"),
        (lambda: tf.batch_to_space(IMAGE, [2], [[0, 0]]), BAD, "size of the batch, 1, is not divisible"),
        (lambda: tf.batch_to_space(IMAGE, [1], [[3, 2]]), BAD, "take more than the 4 of dimension 1"),
        (lambda: v1.space_to_batch(IMAGE, [[0, 0], [0, 0]], 1), ValueError, "block_size must be at least 2"),
        (lambda: v1.space_to_batch(IMAGE, [[0, 0], [0, 0]]), ValueError, "block_size must be given"),
        (lambda: v1.string_split(["a"], delimiter=["a"]), BAD, "delimiter must be a scalar"),
        (lambda: v1.string_split(["a"], result_type="Other"), ValueError, "result_type must be 'RaggedTensor' or"),
        (lambda: tf.strings.substr("abc", [1, 2], 1), BAD, "should have the same shape"),
        (lambda: tf.io.parse_tensor("bogus", tf.int32), BAD, "as TensorProto, base64: Ym9n"),
        (lambda: tf.io.parse_tensor(["a"], tf.int32), BAD, r"`serialized` to be a scalar, got shape: \[1\]"),
        (lambda: tf.io.parse_tensor(tf.io.serialize_tensor(1.0), tf.int32), BAD, r"parsed tensor \(float\) and dtype"),
        (lambda: tf.io.decode_compressed("a", "LZ4"), BAD, "Only ZLIB, GZIP"),
        (lambda: tf.io.decode_compressed("a", "ZLIB"), tf.errors.DataLossError, "not compressed as ZLIB"),
        (lambda: tf.concat([1, 2], 0), BAD, "Can't concatenate scalars"),
        (lambda: tf.concat([[1], [2]], tf.constant([0])), ValueError, "Shape must be rank 0 but is rank 1"),
        (lambda: tf.concat([[1], [2]], 0.5), TypeError, "must be int32 or int64"),
        (lambda: tf.concat(1, tf.constant(0.5)), ValueError, "must be int32 or int64"),
        (lambda: tf.split([1, 2], [-1, -1]), BAD, r"Split size at index 1 must be >= 0. Got: -1"),
        (lambda: tf.split([1, 2, 3], 2), BAD, "should evenly divide the split dimension"),
        (lambda: tf.fill([2], [1, 2]), BAD, "value must represent a scalar"),
        (lambda: tf.fill([[2]], 1), BAD, "dims must be rank 1"),
        (lambda: tf.fill([-1], 1), BAD, "Dimension -1 must be >= 0"),
        (lambda: tf.slice([1, 2], 1, [1]), BAD, r"1-D tensors of size 1, but got shapes \[\] and \[1\]"),
        (lambda: tf.tile([1, 2], 2), BAD, "multiples must be rank 1"),
        (lambda: tf.tile([[1]], [1 << 40, 1 << 40]), BAD, "overflow when multiplying"),
        (lambda: tf.random.uniform(tf.constant(3)), BAD, "shape must be a vector"),
        (lambda: tf.pad([1], [[1, 2, 3]]), BAD, "a matrix with 2 columns"),
        (lambda: tf.gather([1], [[0, 3]]), BAD, r"indices\[0,1\] = 3 is not in \[0, 1\)"),
        (lambda: tf.gather_nd(tf.zeros([0, 3]), [[0, 0]]), BAD, "Requested more than 0 entries"),
        (lambda: tf.scatter_nd([[0, 0]], [1], [0, 3]), BAD, "Indices and updates specified for empty output"),
        (lambda: tf.scatter_nd([[0]], [1], 2), BAD, "Shape must be a vector"),
        (lambda: tf.scatter_nd([[0]], [[1]], [2, 3]), BAD, r"Dimensions \[1,2\) of input\[shape=\[2,3\]\] must match"),
        (lambda: tf.math.unsorted_segment_sum([1], [0], [1]), BAD, "num_segments must be rank 0"),
        (lambda: tf.reverse_sequence([[1, 2]], [[1]], 1), BAD, "seq_lengths must be rank 1 but is rank 2"),
        (lambda: tf.reverse_sequence([[1, 2]], [1], 2), BAD, "seq_dim must be < input rank"),
        (lambda: tf.constant(10**310, tf.float64), ValueError, "out-of-range integer"),
        (lambda: tf.convert_to_tensor(tf.TensorShape([1]), tf.float32), TypeError, "Allowed dtypes are int32"),
        (lambda: tf.convert_to_tensor(tf.TensorShape([1 << 40]), tf.int32), ValueError, "a dimension is too large"),
        (lambda: v1.sparse_to_dense([0], 3, [1]), BAD, "output_shape must be rank 1"),
        (lambda: tf.strings.regex_replace("a", "(", "b"), BAD, "Invalid pattern"),
        (lambda: tf.strings.unsorted_segment_join(["a"], [1], 1), BAD, "not allowed to exceed"),
        (lambda: tf.strings.unsorted_segment_join(["a"], [1, 0], 2), BAD, "do not start with"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_files_are_read_written_and_found_when_the_op_runs(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.bin"):
        assert tf.io.write_file(str(tmp_path / "deep" / name), name) is None
    assert tf.io.matching_files(str(tmp_path / "deep" / "*.txt")).numpy().tolist() == [
        str(tmp_path / "deep" / name).encode() for name in ("a.txt", "b.txt")
    ]
    with tf.Graph().as_default(), v1.Session() as session:
        path = v1.placeholder(tf.string, [])
        read, found = tf.io.read_file(path), tf.io.matching_files([path])
        write = tf.io.write_file(path, tf.strings.join([read, "!"]))
        assert (read.shape.as_list(), found.shape.as_list()) == ([], [None])
        feed = {path: str(tmp_path / "deep" / "c.bin")}
        assert [session.run([read, write], feed) for _ in range(3)][-1] == [b"c.bin!!", None]
        assert session.run(read, feed) == b"c.bin!!!"


def test_a_file_is_written_once_per_call_of_a_function(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("")

    @tf.function
    def append(text: Any) -> None:
        tf.io.write_file(str(log), tf.strings.join([tf.io.read_file(str(log)), text]))

    for part in "abc":
        append(tf.constant(part))
    assert log.read_text() == "abc"


def test_columns_have_types_of_their_own_in_graphs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        lines = v1.placeholder(tf.string, [None])
        columns = v1.decode_csv(lines, [[0], [0.5], ["-"], np.zeros(0, np.int64)])
        assert [(c.dtype.name, c.shape.as_list()) for c in columns] == [
            ("int32", [None]), ("float32", [None]), ("string", [None]), ("int64", [None]),
        ]  # fmt: skip
        got = session.run(columns, {lines: ["1,,x,4", ",2,,5"]})
    assert [c.tolist() for c in got] == [[1, 0], [0.5, 2.0], [b"x", b"-"], [4, 5]]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be at most rank 1"):
        tf.io.decode_csv(["1"], [[[1]]])


def test_shapes_of_blocks_follow_from_what_is_known() -> None:
    with tf.Graph().as_default():
        some = v1.placeholder(tf.float32, [3, None, 2, 2])
        sizes = v1.placeholder(tf.int32, [2])
        edges = v1.placeholder(tf.int32)
        shapes = [
            tf.space_to_batch(some, [2, 3], [[1, 1], [0, 1]]),
            tf.space_to_batch(some, [2, 3], edges),
            tf.space_to_batch(some, sizes, edges),
            tf.batch_to_space(some, [3, 1], [[1, 1], [0, 1]]),
            tf.space_to_batch(v1.placeholder(tf.float32), [2, 3], edges),
            v1.batch_to_space(v1.placeholder(tf.float32), edges, 2),
            tf.nn.depth_to_space(v1.placeholder(tf.float32, [None, 8, 2, None]), 2, "NCHW"),
        ]
        assert [None if s.shape.rank is None else s.shape.as_list() for s in shapes] == [
            [18, None, 1, 2], [18, None, None, 2], [None, None, None, 2], [1, None, 1, 2], None, [None] * 4,
            [None, 2, 4, None],
        ]  # fmt: skip
        with pytest.raises(ValueError, match="not divisible by block_shape's 3"):
            tf.space_to_batch(some, [1, 3], [[0, 0], [0, 0]])
        known = tf.required_space_to_batch_paddings([5, 8], [2, 3])
        assert [tf.get_static_value(k) for k in known][1].tolist() == [[0, 1], [0, 1]]
        paddings, crops = tf.required_space_to_batch_paddings(v1.placeholder_with_default([5, 8], [2]), [2, 3])
        with v1.Session() as session:
            assert [v.tolist() for v in session.run([paddings, crops])] == [[[0, 1], [0, 1]]] * 2


def test_draws_need_a_seed_once_determinism_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.setattr(seeds._Determinism, "wanted", False)
    tf.config.experimental.enable_op_determinism()
    assert "deterministic" in os.environ["XLA_FLAGS"]
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="Random ops require a seed"):
        tf.random.uniform([2])
    with tf.Graph().as_default():
        tf.random.set_seed(1)
        tf.random.uniform([2])
        tf.random.uniform([2], seed=3)


def test_set_shape_of_a_sparse_tensor_adds_to_what_is_known() -> None:
    eager = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    eager.set_shape([None, 3])
    with pytest.raises(ValueError, match="are 3 and 4"):
        eager.set_shape([None, 4])

    @tf.function
    def shapes(size: Any) -> None:
        sparse = tf.SparseTensor([[0, 1]], [1.0], size)
        found: list[Any] = [sparse.shape.rank]
        for known in ([None, None], [5, None], [None, 6]):
            sparse.set_shape(known)
            found.append(sparse.shape.as_list())
        assert found == [None, [None, None], [5, None], [5, 6]]

    shapes.get_concrete_function(tf.TensorSpec(None, tf.int64))
    with tf.Graph().as_default():
        held = [v1.sparse_placeholder(tf.float32, s) for s in ([2, 1], [2, None])]
        assert [h.shape.as_list() for h in held] == [[2, 1], [2, None]]
        assert tf.sparse.transpose(tf.SparseTensor([[0, 0]], [0.0], [3, 4])).shape == [4, 3]
        assert tf.sparse.concat(1, [held[0], v1.sparse_placeholder(tf.float32, [2, 2])]).shape == [2, 3]


def test_static_values() -> None:
    assert tf.get_static_value([1, 2]) == [1, 2]
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(tf.Variable(2.0)) is None
    with tf.Graph().as_default():
        size = v1.placeholder(tf.int32, [])
        assert tf.get_static_value(tf.constant("a")) == b"a"
        assert tf.get_static_value(tf.shape(tf.zeros([2, 3]))).tolist() == [2, 3]
        assert tf.get_static_value(tf.stack([2, size])) is None
        assert tf.get_static_value(tf.stack([2, size]), partial=True).tolist() == [2, None]
        assert tf.get_static_value(tf.stack([size, size]), partial=True) is None


def test_shapes_that_cannot_be_are_refused_while_the_graph_is_built() -> None:
    with tf.Graph().as_default():
        for call, says in (
            (lambda: tf.fill([-2], 1), "Dimension -2"),
            (lambda: tf.slice([1, 2], 1, [1]), "Shape must be rank 1 but is rank 0"),
            (lambda: tf.tile([1, 2], 2), "Shape must be rank 1 but is rank 0"),
            (lambda: tf.scatter_nd([[0]], [1], 2), "Shape must be rank 1 but is rank 0"),
            (lambda: tf.scatter_nd([0], [0.0], [1]), "must match dimensions"),
            (lambda: v1.constant([1, 2, 3], shape=[2]), "Too many elements provided"),
        ):
            with pytest.raises(ValueError, match=says):
                call()


def test_sequences_of_users_become_tensors() -> None:
    class Odd:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, key: int) -> int:
            raise KeyError(key)

        def __iter__(self) -> Any:
            return iter([1, 3])

    assert tf.constant(Odd()).numpy().tolist() == [1, 3]


def test_gather_nd_of_rows_has_a_gradient_of_rows() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        (grad,) = tf.gradients(tf.gather_nd(rows, [[1], [1]]), [rows])
        assert isinstance(grad, tf.IndexedSlices)
        assert session.run(tf.convert_to_tensor(grad)).tolist() == [[0, 0], [2, 2]]


def test_infinities_are_saturated_too() -> None:
    for kind in (tf.float64, tf.float32, tf.float16, tf.bfloat16):
        ends = tf.saturate_cast(tf.constant([np.inf, -np.inf, np.nan], tf.float32), kind)
        assert tf.math.is_finite(ends).numpy().tolist() == [True, True, False]


def test_a_fixed_pattern_is_part_of_the_node() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        word = v1.placeholder(tf.string)
        fixed, free = (tf.strings.regex_replace(word, p, "x") for p in ("b+", tf.constant("b+")))
        match = tf.strings.regex_full_match(word, "a.*")
        assert [t.op.type for t in (fixed, free, match)] == [
            "StaticRegexReplace",
            "RegexReplace",
            "StaticRegexFullMatch",
        ]
        assert session.run([fixed, free, match], {word: "abbab"}) == [b"axax", b"axax", True]


def test_a_tensor_of_integers_whose_elements_are_infinite_is_refused() -> None:
    serialized = TensorProto(dtype=tf.int32.as_datatype_enum, float_val=[float("inf")]).SerializeToString()
    with pytest.raises(BAD, match="as TensorProto, base64"):
        tf.io.parse_tensor(serialized, tf.int32)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64", "int8", "uint64", "complex128", "bool", "string"])
def test_tensors_come_back_from_strings(kind: str) -> None:
    value = tf.cast([[0, 1], [1, 5]], kind) if kind != "string" else tf.constant([["a", ""], ["b" * 300, "é"]])

    @tf.function
    def there_and_back(x: Any) -> Any:
        return tf.io.parse_tensor(tf.io.serialize_tensor(x), x.dtype)

    for back in (there_and_back(value), there_and_back(value[:0]), there_and_back(value[0, 0])):
        assert back.dtype is value.dtype
    np.testing.assert_array_equal(there_and_back(value).numpy(), value.numpy())


def test_an_axis_known_only_later_leaves_the_rank_known() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        axis = v1.placeholder(tf.int32)
        gathered = tf.gather([[0, 1, 2]], [[0, 0], [0, 0]], axis=axis)
        assert gathered.shape.as_list() == [None, None, None]
        assert session.run(gathered, {axis: 1}).shape == (1, 2, 2)
    assert tf.gather([[1, 2], [3, 4]], [1, 0], axis=1, batch_dims=None).numpy().tolist() == [[2, 1], [4, 3]]


def test_a_quoted_field_is_read_in_steps_that_do_not_grow_with_it() -> None:
    """Lines of Python that run for a field of n characters and of 100 n: as many."""

    def lines_for(field: str) -> int:
        count = 0

        def each(frame: Any, event: str, argument: Any) -> Any:
            nonlocal count
            count += event == "line" and frame.f_code.co_filename.endswith("ops/csv.py")
            return each

        before = sys.gettrace()
        sys.settrace(each)
        try:
            tf.io.decode_csv([f'"{field}",1'], [[""], [0]])
        finally:
            sys.settrace(before)
        return count

    lines_for("a")  # what is done once
    assert lines_for("a" * 100) == lines_for("a" * 10_000)
    assert lines_for('""' * 1000) < 11 * lines_for('""' * 100)


def test_quoted_fields_end_where_a_delimiter_follows() -> None:
    fields = tf.io.decode_csv(['"a""b",""', '",,","x"""'], [["x"], ["y"]])
    assert [f.numpy().tolist() for f in fields] == [[b'a"b', b",,"], [b"y", b'x"']]


def test_a_field_that_steers_a_terminal_is_told_without() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not a valid float: \\x1b\[31m") as raised:
        tf.io.decode_csv(["\x1b[31m"], [[1.0]])
    assert "\x1b" not in str(raised.value) + str(raised.value.__cause__)


@pytest.mark.parametrize("defaults", [np.zeros(2), tf.zeros(2)])
def test_defaults_may_be_an_array(defaults: Any) -> None:
    """As in TensorFlow while executing eagerly."""
    columns = tf.io.decode_csv(["1,", "2,3"], defaults)
    assert [column.dtype for column in columns] == [tf.as_dtype(defaults.dtype)] * 2
    assert [column.numpy().tolist() for column in columns] == [[1, 2], [0, 3]]
