"""Rows of the ops behind ragged and sparse tensors. They run on NumPy only: their results' shapes depend on values."""

from __future__ import annotations

import numpy as np

from tests.conformance.sampling import Row, row

VALUES = [[0.3, -1.2], [2.4, 0.7], [-0.5, 1.6], [1.1, 0.2]]
SPLITS = [0, 1, 1, 4]
FULL = [0, 1, 4]
DENSE = [
    [[0.3, -1.2], [2.4, 0.7], [-0.5, 1.6]],
    [[1.1, 0.2], [-0.9, 1.9], [0.6, -2.1]],
    [[0.1, 3.0], [0.2, 2.0], [0, 1]],
]
PLACES = [[0, 2], [1, 0], [1, 1]]

LOGITS = [
    [[0.4, -0.3, 1.1], [0.2, 0.9, -0.5]],
    [[1.3, 0.1, -0.2], [-0.6, 0.7, 0.3]],
    [[-0.4, 0.8, 0.5], [0.6, 0.1, 1.2]],
    [[0.9, 0.2, -0.7], [0.3, -0.8, 0.4]],
]


def _first(*outputs: object) -> tuple[object, ...]:
    return outputs[:1]


def _here(*inputs: object, **attrs: object) -> Row:
    return row(*inputs, **attrs).but(numpy_only=True)


def _structure(*inputs: object, **attrs: object) -> Row:
    """An op whose results are indices."""
    return _here(*inputs, **attrs).but(order=0)


SAMPLES: dict[str, Row] = {
    "ValidSplits": _structure(SPLITS, 4),
    "SameSplits": _structure(SPLITS, SPLITS),
    "SplitsFromLengths": _structure([1, 0, 3]),
    "SplitsFromRowids": _structure([0, 2, 2, 2], 3).but(unknown=True),
    "RowsByNumber": _structure([2, 0, 2, 1], 4).but(unknown=True),
    "SplitEnds": _structure(5, [2, 0, 3], num=3),
    "RaggedText": _structure([b"a", b"b", b"c"], [[0, 2, 3]], quoted=True, summarize=-1),
    "RowidsFromSplits": _structure(SPLITS).but(unknown=True),
    "RowGather": _structure(SPLITS, [2, 0, 2]).but(unknown=True),
    "RowSlice": _structure(SPLITS, 1, np.iinfo(np.int64).min, 2).but(unknown=True),
    "RaggedRange": _structure([0.0, 2.0], [1.5, 4.0], [0.5, 1.0]).but(ints=([0, 2], [3, 9], [1, 3]), unknown=True),
    "RowPositions": _structure(SPLITS, [0, 2, 2], [0, 1, 0]),
    "BroadcastRows": _structure(SPLITS, [[0, 1, 2, 3]], num=3, operands=2, stretches=((False,), (True,))).but(
        unknown=True
    ),
    "UnsortedSegmentJoin": _structure([b"a", b"b", b"c"], [0, 2, 0], 3, separator="-"),
    "RowsToPadded": _here(VALUES, SPLITS, 0.5, [-1, -1]).but(unknown=True),
    "PaddedToRows": _here(DENSE, SPLITS).but(unknown=True),
    "SparseToDense": _here(PLACES, [2, 3], [0.3, -1.2, 2.4], 0.5).but(unknown=True),
    "SparseValuesAt": _here([[0.3, -1.2, 2.4], [0.7, -0.5, 1.6]], PLACES),
    "SparseBesideDense": _structure([[0, 1], [1, 2]], [2, 3], [1, 3]).but(unknown=True),
    "SliceBox": _structure([0, 1], [2, 1], [3, 4]).but(unknown=True),
    "SparseGroups": _structure([[1, 0], [0, 2], [1, 0]]).but(unknown=True),
    "SparseReshape": _structure(PLACES, [2, 3], [3, -1]).but(unknown=True),
    "SparseConcatShape": _structure([2, 3], [[2, 1]], axis=1, expand=False),
    "SameCoordinates": _structure(PLACES, PLACES),
    "ImagesOfBoxes": _structure([1, 0, 1], 2),
    "EditDistance": _structure(PLACES, [1, 2, 3], [2, 3], PLACES, [1, 2, 4], [2, 3]).but(unknown=True),
    "SparseFillEmptyRows": _here(PLACES, [0.3, -1.2, 2.4], [4, 3], 0.5).but(unknown=True),
    "SparseFillEmptyRowsGrad": _here([2, 0], [0.3, -1.2, 2.4, 0.7]),
    "DenseCountSparseOutput": _structure(
        [[3, 1, 1], [0, 2, 3]], [[0.3, -1.2, 2.4], [0.7, -0.5, 1.6]], binary_output=False
    ).but(unknown=True),
    "SparseCountSparseOutput": _structure(PLACES, [4, 1, 1], [2, 3], [2, 3, 5], binary_output=False, maxlength=4).but(
        unknown=True
    ),
    "RaggedCountSparseOutput": _structure(
        [0, 2, 3], [1, 1, 0], np.empty(0, np.int64), binary_output=True, minlength=4
    ).but(unknown=True),
    "DenseToDenseSetOperation": _structure([[1, 2, 2], [3, 4, 1]], [[2, 5], [1, 4]], set_operation="union").but(
        unknown=True
    ),
    "DenseToSparseSetOperation": _structure([[1, 2], [3, 4]], PLACES, [1, 4, 3], [2, 3], set_operation="a-b").but(
        unknown=True
    ),
    "SparseToSparseSetOperation": _structure(
        PLACES, [1, 4, 3], [2, 3], PLACES, [1, 3, 4], [2, 3], set_operation="intersection"
    ).but(unknown=True),
    "SetSize": _structure(PLACES, [1, 2, 1], [2, 3]).but(unknown=True),
    "CTCLoss": _here(LOGITS, [[0, 0], [0, 1], [1, 0]], [1, 1, 0], [4, 2]).but(order=1, sources=(0,), seen=_first),
    "CTCLossOfDense": _here(LOGITS, [[1, 2], [2, 0]], [2, 1], [4, 2], blank_index=0).but(
        order=1, sources=(0,), seen=_first
    ),
    "CTCGreedyDecoder": _structure(LOGITS, [4, 2], merge_repeated=True).but(unknown=True),
    "SparseOrder": _structure(PLACES, [2, 3]),
}
