"""`tf.nn`'s connectionist temporal classification: losses and decoders of label sequences."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, ctc, joining, math, ranges, rearranging, reductions, scatter, shaping
from inlay._src.ops.composite.sparse import SparseTensor, is_sparse
from inlay._src.ops.cumulative import cumsum
from inlay._src.ops.gathering import boolean_mask, gather
from inlay._src.ops.sequences import sequence_mask

_HALVES = (dtypes.float16, dtypes.bfloat16)


def _logits(logits: Any, time_major: bool) -> tuple[Any, DType]:
    """Logits as [time, batch, classes] in a type that the loss is computed in, and the type that they have."""
    x = convert_to_tensor(logits, name="logits")
    kind = x.dtype
    x = math.cast(x, dtypes.float32) if kind in _HALVES else x
    return x if time_major else rearranging.transpose(x, [1, 0, 2]), kind


def _classes(x: Any) -> Any:
    static = None if x.shape.rank is None else x.shape.as_list()[2]
    return array.shape(x)[2] if static is None else static


@export("compat.v1.nn.ctc_loss")
def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The negative logarithm of the probability of label sequences; the last class is the blank.

    Args:
      labels: a SparseTensor, int32 [batch, labels].
      inputs: logits, [time, batch, classes] or, unless `time_major`, [batch, time, classes].
      sequence_length: int32 [batch], how many times there are.
      preprocess_collapse_repeated: whether repeated labels are made one beforehand.
      ctc_merge_repeated: whether repeated classes without a blank between them are one label.
      ignore_longer_outputs_than_inputs: whether labels that need more time have loss 0, instead of being refused.
      time_major: whether time, rather than the batch, is the first axis of `inputs`.
      logits: another name of `inputs`.

    Returns:
      [batch].

    Raises:
      TypeError: if `labels` is no SparseTensor.
      InvalidArgumentError: for labels that are no classes, or need more time than there is.
    """
    if not is_sparse(labels):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    x, kind = _logits(inputs if logits is None else logits, time_major)
    loss = ctc.ctc_loss_op(
        x,
        labels.indices,
        labels.values,
        convert_to_tensor(sequence_length, dtypes.int32),
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )[0]
    return math.cast(loss, kind)


@export("nn.ctc_loss", "compat.v1.nn.ctc_loss_v2")
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The negative logarithm of the probability of label sequences.

    Args:
      labels: int32 [batch, labels], or a SparseTensor of that.
      logits: [time, batch, classes] or, unless `logits_time_major`, [batch, time, classes].
      label_length: [batch], how many labels there are; of dense ones.
      logit_length: [batch], how many times there are.
      logits_time_major: whether time, rather than the batch, is the first axis of `logits`.
      unique: accepted; repeated labels cost nothing here.
      blank_index: the class that stands for no label, counted from the end if negative; 0 if None, for dense labels.
      name: ignored.

    Returns:
      [batch]; of dense labels that need more time than there is, infinity.

    Raises:
      ValueError: for sparse labels without `blank_index`.
      InvalidArgumentError: for labels that are no classes, or sparse ones that need more time than there is.
    """
    if not is_sparse(labels):
        x, kind = _logits(logits, logits_time_major)
        lengths = convert_to_tensor(logit_length)
        loss = ctc.ctc_loss_of_dense(
            x, *(math.cast(v, dtypes.int64) for v in (labels, label_length, lengths)), blank_index=blank_index or 0
        )[0]
        return math.cast(loss, kind)
    if blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
    x = convert_to_tensor(logits, name="logits")
    at: Any = blank_index + _classes(x) if blank_index < 0 else blank_index
    x = joining.concat([x[:, :, :at], x[:, :, at + 1 :], x[:, :, at : at + 1]], 2)
    before = math.less(labels.values, math.cast(at, labels.values.dtype))
    moved = array.where(before, labels.values, labels.values - 1)
    recoded = SparseTensor(labels.indices, math.cast(moved, dtypes.int32), labels.dense_shape)
    return ctc_loss_v1(recoded, x, logit_length, time_major=logits_time_major)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The labels of each row without repetitions, as `ctc_loss` takes them for `unique`.

    Args:
      labels: integers, [batch, labels].
      name: the scope of the nodes.

    Returns:
      `(unique, indices)`: the labels of each row in the order of their first places, zeros behind them, int64 of the
      shape of `labels`; and where among those each label is, int32 of the same shape.
    """
    with name_scope(name, "ctc_unique_labels"):
        labels = math.cast(labels, dtypes.int64)
        count = array.shape(labels)[1]
        every = ranges.range_(count)
        equal = math.equal(array.expand_dims(labels, 2), array.expand_dims(labels, 1))
        first = reductions.reduce_min(array.where(equal, every, count), 2)
        new = math.cast(math.equal(first, every), dtypes.int32)
        indices = gather(math.subtract(cumsum(new, 1), 1), first, batch_dims=1)
        places = math.equal(array.expand_dims(indices, 1), array.expand_dims(every, 1))
        put = math.logical_and(places, array.expand_dims(math.cast(new, dtypes.bool_), 1))
        here = array.where(put, array.expand_dims(labels, 1), array.zeros_like(array.expand_dims(labels, 1)))
        return reductions.reduce_sum(here, 2), indices


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """The label sequences that take the best class at each time.

    Args:
      inputs: logits, [time, batch, classes].
      sequence_length: int32 [batch], how many times there are.
      merge_repeated: whether repeated classes without a blank between them are one label.
      blank_index: the class that stands for no label, counted from the end if negative; the last if None.

    Returns:
      A list of one SparseTensor, int64 [batch, labels]; and the sums of the logits taken, negated, [batch, 1].
    """
    lengths = convert_to_tensor(sequence_length, dtypes.int32)
    blank = -1 if blank_index is None else blank_index
    *parts, sums = ctc.ctc_greedy_decoder_op(
        convert_to_tensor(inputs), lengths, merge_repeated=merge_repeated, blank_index=blank
    )
    return [SparseTensor(*parts)], sums


@export("compat.v1.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder_v1(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Any]:
    """The most probable label sequences; the last class is the blank.

    Args:
      inputs: logits, [time, batch, classes].
      sequence_length: int32 [batch], how many times there are.
      beam_width: number of prefixes kept at each time.
      top_paths: number of sequences in the result.
      merge_repeated: whether repeated labels of a result are made one.

    Returns:
      A list of `top_paths` SparseTensors, int64 [batch, labels]; and the logarithms of their probabilities,
      [batch, top_paths].
    """
    x = convert_to_tensor(inputs)
    outputs = ctc.ctc_beam_search_decoder_op(
        x,
        convert_to_tensor(sequence_length, dtypes.int32),
        beam_width=beam_width,
        top_paths=top_paths,
        output_types=(*[dtypes.int64] * (3 * top_paths), x.dtype),
        merge_repeated=merge_repeated,
    )
    decoded = [SparseTensor(*(outputs[i + part * top_paths] for part in range(3))) for i in range(top_paths)]
    return decoded, outputs[-1]


@export("nn.ctc_beam_search_decoder", "compat.v1.nn.ctc_beam_search_decoder_v2")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """The most probable label sequences; arguments and results as for `compat.v1.nn.ctc_beam_search_decoder`."""
    return ctc_beam_search_decoder_v1(inputs, sequence_length, beam_width, top_paths, False)


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Label sequences whose repeated labels are one.

    Args:
      labels: [batch, labels].
      seq_length: [batch], how many labels there are.
      name: ignored.

    Returns:
      Labels as far as the longest sequence goes, filled up with 0; and how many there are.
    """
    rows, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    rows.shape.assert_has_rank(2)
    if rows.shape.rank is None:
        rows = shaping.ensure_shape(rows, [None, None])
    if lengths.shape.rank is None:
        lengths = shaping.ensure_shape(lengths, [None])
    first = array.ones_like(rows[:, :1], dtypes.bool_)
    new = joining.concat([first, math.not_equal(rows[:, 1:], rows[:, :-1])], 1)
    new = math.logical_and(new, sequence_mask(lengths, array.shape(rows)[1]))
    counts = reductions.reduce_sum(math.cast(new, dtypes.int32), 1)
    there = sequence_mask(counts, reductions.reduce_max(counts))
    places = array.expand_dims(boolean_mask(ranges.range_(array.size(there)), array.reshape(there, [-1])), 1)
    flat = scatter.scatter_nd(places, boolean_mask(rows, new), array.reshape(array.size(there), [1]))
    return array.reshape(flat, array.shape(there)), math.cast(counts, lengths.dtype)
