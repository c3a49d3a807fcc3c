"""Connectionist temporal classification: the loss of label sequences, and what sequences logits tell.

Source: Graves et al., "Connectionist Temporal Classification", 2006, section 4; the prefix search of Graves,
"Supervised Sequence Labeling with Recurrent Neural Networks", 2012, section 7.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.signature import AtLeast
from inlay._src.ops import array, math

REAL = frozenset({dtypes.float32, dtypes.float64})


def _log_softmax(x: np.ndarray) -> np.ndarray:
    shifted = x.astype(np.float64) - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # type: ignore[no-any-return]


def _with_blanks(labels: Sequence[int], blank: int) -> np.ndarray:
    """Labels with a blank before, between and behind them."""
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    return states


def _moves(states: np.ndarray, merge: bool) -> tuple[np.ndarray, np.ndarray]:
    """The permitted transitions, to the same state and from the last but one, as logarithms of 1 and 0.

    A label that is the blank itself, in dense labels, moves as every label does.
    """
    is_label = np.arange(len(states)) % 2 == 1
    may_stay = np.ones(len(states), bool) if merge else ~is_label
    skips = is_label.copy()
    skips[:2] = False
    if merge:
        skips[2:] &= states[2:] != states[:-2]
    return np.where(may_stay, 0.0, -np.inf), np.where(skips, 0.0, -np.inf)


def _forward(said: np.ndarray, stays: np.ndarray, skips: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of all ways to each state at each time; `said` is [time, states]."""
    ways = np.full(said.shape, -np.inf)
    ways[0, :2] = said[0, :2]
    none = np.array([-np.inf, -np.inf])
    for t in range(1, len(said)):
        before = np.concatenate([none, ways[t - 1]])
        entered = np.logaddexp(ways[t - 1] + stays, before[1:-1])
        ways[t] = np.logaddexp(entered, before[:-2] + skips) + said[t]
    return ways


def _loss(logits: np.ndarray, labels: Sequence[int], blank: int, merge: bool) -> tuple[float, np.ndarray]:
    """The loss of one sequence, and its gradient by the logits, [time, classes]."""
    log_y = _log_softmax(logits)
    if not len(log_y):
        return (0.0 if not labels else np.inf), np.zeros_like(log_y)
    states = _with_blanks(labels, blank)
    said = log_y[:, states]
    stays, skips = _moves(states, merge)
    ahead = _forward(said, stays, skips)
    # Backwards the same, with the moves as they are seen from the states that they lead to.
    turned = np.concatenate([skips[2:], [-np.inf] * min(2, len(skips))])[: len(skips)][::-1]
    back = _forward(said[::-1, ::-1], stays[::-1], turned)[::-1, ::-1]
    total = np.logaddexp.reduce(ahead[-1, -2:])
    if not np.isfinite(total):
        return np.inf, np.zeros_like(log_y)
    both = ahead + back - said - total
    share = np.zeros_like(log_y)
    for state, label in enumerate(states.tolist()):
        share[:, label] += np.exp(both[:, state])
    return -float(total), np.exp(log_y) - share


def _needed(labels: Sequence[int], merge: bool) -> int:
    repeats = sum(a == b for a, b in zip(labels, labels[1:], strict=False)) if merge else 0
    return len(labels) + repeats


def _losses(
    inputs: Any, sequences: Sequence[Sequence[int]], lengths: Any, blank: int, merge: bool
) -> tuple[np.ndarray, np.ndarray]:
    x = np.asarray(inputs)
    gradient = np.zeros_like(x)
    losses = np.zeros(x.shape[1], x.dtype)
    for b, (labels, length) in enumerate(zip(sequences, np.asarray(lengths).tolist(), strict=True)):
        losses[b], gradient[:length, b] = _loss(x[:length, b], labels, blank, merge)
    return losses, gradient


def _sequences(indices: Any, values: Any, batch: int, classes: int) -> list[list[int]]:
    """The labels of each row."""
    sequences: list[list[int]] = [[] for _ in range(batch)]
    for row, value in zip(np.asarray(indices)[:, 0].tolist(), np.asarray(values).tolist(), strict=True):
        if not 0 <= row < batch:
            raise ValueError(f"labels_indices({row}) is out of range for batch size {batch}")
        if not 0 <= value < classes - 1:
            raise ValueError(
                "Saw a label that is not a class, or is the blank, which is the last class. batch: "
                f"{row}, num_classes: {classes}, label: {value}"
            )
        sequences[row].append(value)
    return sequences


def _checked(inputs: Any, lengths: Any, refused: type[errors.OpError] | None = None) -> None:
    if np.ndim(inputs) != 3:
        raise ValueError(f"inputs must be [time, batch, classes], got shape {list(np.shape(inputs))}")
    time, batch, _ = np.shape(inputs)
    if refused is not None and not np.size(inputs):
        raise ValueError("inputs must not be empty")
    text = ""
    if np.shape(lengths) != (batch,):
        text = f"len(sequence_length) != batch_size: {list(np.shape(lengths))} vs. {batch}"
    elif batch and (np.max(lengths) > time or np.min(lengths) < 0):
        text = f"sequence_length must be in [0, {time}], got {np.asarray(lengths).tolist()}"
    if text:
        raise ValueError(text) if refused is None else refused(None, None, text)


def _loss_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is not None and len(dims) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(dims)}")
    return [(None,), None] if dims is None else [(dims[1],), dims]


def _loss_vjp(op: Any, dy: Any, _: Any) -> Any:
    whole = array.reshape(dy, [1, -1, 1])
    return math.multiply(whole, op.outputs[1]), *[None] * (len(op.inputs) - 1)


@op(
    "CTCLoss",
    "inputs:T, labels_indices:int64, labels_values:int32, sequence_length:int32 -> T, T",
    types=REAL,
    infer=_loss_infer,
    vjp=_loss_vjp,
    lower=REFUSES_VALUES,
    ranks={"inputs": 3, "labels_indices": 2, "labels_values": 1, "sequence_length": 1},
)
def ctc_loss_op(
    xp,
    inputs,
    labels_indices,
    labels_values,
    sequence_length,
    *,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
):
    """The loss of sparse labels, and its gradient by the inputs; the last class is the blank."""
    _checked(inputs, sequence_length)
    batch, classes = np.shape(inputs)[1:]
    rows = _sequences(labels_indices, labels_values, batch, classes)
    lengths = np.array(sequence_length)
    sequences = [_collapsed(row) if preprocess_collapse_repeated else row for row in rows]
    for row, labels in enumerate(rows):
        if (need := _needed(labels, ctc_merge_repeated)) > lengths[row]:
            if not ignore_longer_outputs_than_inputs:
                raise ValueError(
                    f"Not enough time for target transition sequence (required: {need}, available: {lengths[row]}), "
                    f"batch {row}. You can turn this error into a zero loss with ignore_longer_outputs_than_inputs"
                )
            sequences[row], lengths[row] = [], 0
    return _losses(inputs, sequences, lengths, classes - 1, ctc_merge_repeated)


@op(
    "CTCLossOfDense",
    "inputs:T, labels:int64, label_length:int64, sequence_length:int64 -> T, T",
    types=REAL,
    infer=_loss_infer,
    vjp=_loss_vjp,
    lower=REFUSES_VALUES,
)
def ctc_loss_of_dense(xp, inputs, labels, label_length, sequence_length, *, blank_index=0):
    """The loss of dense labels, and its gradient by the inputs; infinite where there is too little time."""
    _checked(inputs, sequence_length)
    rows = np.asarray(labels)
    sequences = [row[:n].tolist() for row, n in zip(rows, np.asarray(label_length).tolist(), strict=True)]
    classes = np.shape(inputs)[2]
    if any(not 0 <= label < classes for row in sequences for label in row):
        raise ValueError(f"labels must be in [0, {classes})")
    return _losses(inputs, sequences, sequence_length, blank_index % classes, True)


# ---------------------------------------------------------------- decoding


def _sparse(decoded: Sequence[Sequence[int]]) -> list[Any]:
    """Indices, values and shape of sequences."""
    places = [(b, i) for b, row in enumerate(decoded) for i in range(len(row))]
    return [
        np.array(places, np.int64).reshape(-1, 2),
        np.array([v for row in decoded for v in row], np.int64),
        np.array([len(decoded), max(map(len, decoded), default=0)], np.int64),
    ]


def _collapsed(row: Sequence[int]) -> list[int]:
    return [v for i, v in enumerate(row) if not i or row[i - 1] != v]


def _greedy_infer(s: Shapes) -> list[Dims]:
    inputs, lengths = s.dims
    batch = shapes.merge(lengths or (None,), None if inputs is None else inputs[1:2])
    return [(None, 2), (None,), (2,), (*(batch or ()), 1)]


@op(
    "CTCGreedyDecoder",
    "inputs:T, sequence_length:int32 -> int64, int64, int64, T",
    types=REAL,
    ranks={"inputs": 3, "sequence_length": 1},
    infer=_greedy_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def ctc_greedy_decoder_op(xp, inputs, sequence_length, *, merge_repeated=False, blank_index=-1):
    """The best class of each time without blanks, and the sums of their logits, negated."""
    _checked(inputs, sequence_length, errors.FailedPreconditionError)
    x = np.asarray(inputs)
    blank = blank_index % x.shape[2]
    decoded, sums = [], np.zeros((x.shape[1], 1), x.dtype)
    for b, length in enumerate(np.asarray(sequence_length).tolist()):
        best = x[:length, b].argmax(-1)
        sums[b] = -x[:length, b].max(-1).sum() if length else 0
        row = best.tolist()
        decoded.append([v for v in (_collapsed(row) if merge_repeated else row) if v != blank])
    return [*_sparse(decoded), sums]


def _prefixes(log_y: np.ndarray, width: int) -> list[tuple[tuple[int, ...], float]]:
    """The best prefixes and the logarithms of their probabilities, best first."""
    blank = log_y.shape[1] - 1
    beam: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}  # ends with a blank, with a label
    for row in log_y.tolist():
        scores: defaultdict[tuple[int, ...], list[float]] = defaultdict(lambda: [-np.inf, -np.inf])
        for prefix, (with_blank, with_label) in beam.items():
            total = np.logaddexp(with_blank, with_label)
            own = scores[prefix]
            own[0] = np.logaddexp(own[0], total + row[blank])
            if prefix:
                own[1] = np.logaddexp(own[1], with_label + row[prefix[-1]])
            for label in range(blank):
                before = with_blank if prefix and prefix[-1] == label else total
                grown = scores[(*prefix, label)]
                grown[1] = np.logaddexp(grown[1], before + row[label])
        best = sorted(scores.items(), key=lambda item: -np.logaddexp(item[1][0], item[1][1]))[:width]
        beam = {prefix: (a, b) for prefix, (a, b) in best}
    return [(prefix, float(np.logaddexp(*ways))) for prefix, ways in beam.items()]


def _beam_infer(s: Shapes) -> list[Dims]:
    paths, dims = s.attrs["top_paths"], s.dims[0]
    parts: list[Dims] = [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths]
    return [*parts, (None if dims is None else dims[1], paths)]


@op(
    "CTCBeamSearchDecoder",
    "inputs:T, sequence_length:int32 -> *output_types",
    types=REAL,
    infer=_beam_infer,
    attrs={"beam_width": AtLeast(1), "top_paths": AtLeast(1)},
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def ctc_beam_search_decoder_op(
    xp, inputs, sequence_length, *, beam_width: int, top_paths: int, output_types, merge_repeated=True
):
    """The most probable label sequences, by searching prefixes."""
    _checked(inputs, sequence_length, errors.FailedPreconditionError)
    x = np.asarray(inputs)
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    probabilities = np.zeros((x.shape[1], top_paths), x.dtype)
    for b, length in enumerate(np.asarray(sequence_length).tolist()):
        prefixes = _prefixes(_log_softmax(x[:length, b]), beam_width)
        if len(prefixes) < top_paths:
            raise ValueError(f"Less leaves in the beam search than requested: {len(prefixes)} of {top_paths}")
        for i, (prefix, probability) in enumerate(prefixes[:top_paths]):
            paths[i].append(_collapsed(prefix) if merge_repeated else list(prefix))
            probabilities[b, i] = probability
    parts = [_sparse(decoded) for decoded in paths]
    return [*(p[0] for p in parts), *(p[1] for p in parts), *(p[2] for p in parts), probabilities]
