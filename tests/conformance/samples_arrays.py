"""Rows of the arrays: shapes, joining, slicing, gathering, scattering, order, random numbers, strings, images."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, shapes
from tests.conformance.sampling import Row, row

X = [[-1.3, 0.6, 2.2], [0.4, -0.7, 1.1]]
Y = [[0.9, -1.6, 0.5], [-0.3, 1.2, 0.8]]
DISTINCT = [[1.3, -0.6, 2.2, 0.9], [0.4, -0.7, 1.1, 3.0]]
CUBE: Any = (np.arange(24).reshape(2, 3, 4) % 7 - 3.25).tolist()
PIXELS: Any = ((np.arange(2 * 4 * 5 * 4) * 37 % 41).reshape(2, 4, 5, 4) / 41).tolist()
GREY: Any = np.array(PIXELS)[..., :1].tolist()
B = np.array([[True, False, True], [False, False, True]])
ORDER = [2, 0, 1]
BOXES: Any = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]]
WORDS = [[b" Ab cD", "éa x".encode()], [b"", b"a1b22"]]

NO_GRADIENT: dict[str, Any] = {"order": 0}
TEXT: dict[str, Any] = {"order": 0, "numpy_only": True}
BY_VALUE: dict[str, Any] = {"order": 0, "numpy_only": True, "unknown": True}
KEYED: Any = ([2, 3], [5], [0, 7], 1)
"""A shape, a key, a counter and the algorithm of a draw."""

SHAPES: dict[str, Row] = {
    "PlaceholderWithDefault": row(X, shape=shapes.TensorShape([2, 3])),
    "Identity": row(X),
    "StopGradient": row(X).but(**NO_GRADIENT),
    "EnsureShape": row(X, shape=shapes.TensorShape([2, None])),
    "CheckNumerics": row(X, message="x"),
    "Shape": row(X).but(**NO_GRADIENT),
    "Size": row(X).but(**NO_GRADIENT),
    "Rank": row(X).but(**NO_GRADIENT),
    "Reshape": row(X, [3, -1]),
    "ExpandDims": row(X, 1),
    "Squeeze": row([X], axis=(0,)),
    "Transpose": row(CUBE, ORDER),
    "InvertPermutation": row(np.array(ORDER)).but(**NO_GRADIENT),
    "BroadcastTo": row(X, [2, 2, 3]),
    "BroadcastGradientArgs": row(np.array([2, 1]), np.array([3, 1, 4])).but(unknown=True, **NO_GRADIENT),
    "BroadcastArgs": row(np.array([2, 1]), np.array([3])).but(unknown=True, **NO_GRADIENT),
    "Bitcast": row(
        [[1.5, -2.0]],
        type=lambda d: {1: dtypes.uint8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}[min(d.size, 8)],
    ).but(**NO_GRADIENT),
}

SOURCES: dict[str, Row] = {
    "Range": row(np.array(1), np.array(9), np.array(3)).but(**NO_GRADIENT),
    "Fill": row([2, 3], 1.5),
    "ZerosLike": row(X).but(**NO_GRADIENT),
    "OnesLike": row(X).but(**NO_GRADIENT),
    "LinSpace": row([0.5, 1.0], [2.0, -3.0], 4, axis=1),
    "OneHot": row(np.array([[0, 2], [5, 1]]), 3, 2.5, -1.0, axis=1).but(**NO_GRADIENT),
}

JOINING: dict[str, Row] = {
    "Pack": row([X, Y], axis=1),
    "Unpack": row(X, num=3, axis=1),
    "ConcatV2": row([X, Y], axis=1),
    "Split": row(CUBE, num=2, axis=2),
    "SplitV": row(CUBE, [1, -1], num=2, axis=1),
    "Tile": row(X, [2, 3]),
    "RepeatIndices": row([1, 0, 2], 3).but(**NO_GRADIENT),
}

SELECTING: dict[str, Row] = {
    "SelectV2": row(B, X, [0.7, -1.4, 1.9]),
    "Where": row(B.astype(np.int64)).but(**BY_VALUE),
    "BooleanMask": row(CUBE, B, axis=0).but(numpy_only=True, unknown=True),
    "StridedSlice": row(
        CUBE, [np.array(1)], index=((None, None, -1), "newaxis", ("tensor", 0), "ellipsis", (0, 3, 2))
    ).but(unknown=True),
    "AxisExchanged": row(np.int32(-1), np.int32(3)),
    "StridedSliceAdd": row([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.5, -1.0], [], index=((None, None, None), 1)),
    "StridedSliceGrad": row([2, 3], [0.5, -1.0], [], index=((None, None, None), 1)),
    "BiasAdd": row(CUBE, [0.1, 0.2, 0.3], data_format="NCHW"),
    "Slice": row(CUBE, [0, 1, 1], [2, -1, 2]),
    "GatherV2": row(CUBE, np.array([[2, 0], [1, 1]]), axis=2, batch_dims=1),
    "GatherGrad": row(
        [2, 3, 4], np.array([[2, 0], [1, 1]]), np.reshape(CUBE, -1)[:12].reshape(2, 3, 2), axis=2, batch_dims=1
    ),
    "GatherNd": row(CUBE, np.array([[[2, 0]], [[1, 3]]]), batch_dims=1),
    "GatherNdGrad": row([2, 3, 4], np.array([[[2, 0]], [[1, 3]]]), [[0.5], [-1.0]], batch_dims=1),
    "ScatterNd": row(np.array([[1], [0], [1]]), [*X, [0.1, 0.2, 0.3]], [3, 3]),
    "TensorScatterUpdate": row(X, np.array([[1]]), [[0.1, 0.2, 0.3]]),
    "TensorScatterAdd": row(X, np.array([[1], [1]]), Y),
    "TensorScatterSub": row(X, np.array([[1], [1]]), Y).but(
        ints=([[9, 8, 7], [6, 5, 4]], np.array([[1], [1]]), [[1, 1, 2]] * 2)
    ),
    "TensorScatterMin": row(X, np.array([[1], [0]]), Y),
    "TensorScatterMax": row(X, np.array([[1], [0]]), Y),
    "DynamicPartition": row(CUBE, np.array([[1, 0, 1], [0, 2, 2]]), num=3).but(numpy_only=True, unknown=True),
    "Stitch": row(np.array([2, 0, 2]), [*X, [0.1, 0.2, 0.3]]).but(numpy_only=True, unknown=True),
}

ORDERING: dict[str, Row] = {
    "Pad": row(X, [[0, 1], [2, 1]]),
    "PadV2": row(X, [[0, 1], [2, 1]], 2.5),
    "MirrorPad": row(X, [[0, 1], [2, 1]], mode="REFLECT"),
    "MirrorPadGrad": row([2, 3], np.reshape(CUBE, -1)[:18].reshape(3, 6), [[0, 1], [2, 1]], mode="SYMMETRIC"),
    "ReverseV2": row(CUBE, [0, -1]),
    "Roll": row(CUBE, [1, -2], [0, 2]),
    "ReverseSequence": row(CUBE, [3, 1], seq_axis=1, batch_axis=0),
    "TakeAlongAxis": row(X, np.array([[0, 2], [1, 1]]), axis=1),
    "PutAlongAxis": row(X, np.array([[0, 2], [1, 1]]), [[0.5, 1.5], [2.5, 3.5]], axis=1).but(sources=(2,)),
    "Sort": row(DISTINCT, axis=1, descending=True),
    "ArgSort": row(DISTINCT, axis=1, descending=True).but(**NO_GRADIENT),
    "SearchSorted": row([[1, 3, 5], [2, 4, 6]], [[1, 6], [4, 5]], side="right", out_type=dtypes.int64).but(
        **NO_GRADIENT
    ),
    "ListDiff": row([3.5, 1.0, 3.5, 2.0], [1.0], out_idx=dtypes.int32).but(**BY_VALUE),
    "FirstRows": row([[3.5, 1.0], [2.0, 1.0], [3.5, 1.0]]).but(**BY_VALUE),
    "Unique": row([3.5, 1.0, 3.5, 2.0], out_idx=dtypes.int32).but(**BY_VALUE),
    "UniqueWithCounts": row([3.5, 1.0, 3.5, 2.0], out_idx=dtypes.int64).but(**BY_VALUE),
    "DepthToSpace": row(PIXELS, block_size=2, data_format="NHWC"),
    "SpaceToDepth": row(np.array(PIXELS)[:, :, :4].tolist(), block_size=2, data_format="NCHW"),
    "SpaceToBatchND": row(CUBE, [2], [[1, 0]]),
    "BatchToSpaceND": row(CUBE, [2], [[1, 2]]),
}

RANDOM: dict[str, Row] = {
    "RandomIndexShuffle": row([1, 5], [1, 2, 3], 9).but(numpy_only=True, **NO_GRADIENT),
    "StatelessRandomShuffle": row([5, 6, 7, 8, 9], np.array([1, 2])).but(numpy_only=True, **NO_GRADIENT),
    "StatelessRandomUniform": row([2, 3], np.array([1, 2]), dtype=dtypes.float64).but(**NO_GRADIENT),
    "StatelessRandomNormal": row([2, 3], np.array([1, 2]), dtype=dtypes.float32).but(**NO_GRADIENT),
    "StatelessTruncatedNormal": row([2, 3], np.array([1, -2]), dtype=dtypes.float64).but(**NO_GRADIENT),
    "StatelessRandomUniformFullInt": row([2, 3], np.array([1, 2]), dtype=dtypes.uint32).but(**NO_GRADIENT),
    "StatelessRandomUniformInt": row([2, 3], np.array([1, 2]), np.array(-3), np.array(9)).but(**NO_GRADIENT),
    "RandomGammaGrad": row([0.5, 2.0, 30.0], [0.2, 2.5, 28.0]).but(loose=10, **NO_GRADIENT),
    "StatelessRandomGetKeyCounter": row(np.array([1, 2])).but(**TEXT),
    "StatelessRandomUniformV2": row(*KEYED, dtype=dtypes.float64).but(**TEXT),
    "StatelessRandomNormalV2": row(*KEYED, dtype=dtypes.float32).but(**TEXT),
    "StatelessTruncatedNormalV2": row(*KEYED, dtype=dtypes.float64).but(**TEXT),
    "StatelessRandomUniformFullIntV2": row(*KEYED, dtype=dtypes.uint32).but(**TEXT),
    "StatelessRandomUniformIntV2": row(*KEYED, np.array(3), np.array(9)).but(**TEXT),
    "StatelessRandomGammaV2": row([2, 3], np.array([1, 2]), [0.5, 1.0, 3.0]).but(**TEXT),
    "StatelessRandomPoisson": row([2, 2], np.array([1, 2]), [0.5, 30.0], dtype=dtypes.int32).but(**TEXT),
    "StatelessRandomBinomial": row([2, 2], np.array([1, 2]), [9, 50], [0.25, 0.5], dtype=dtypes.int32).but(**TEXT),
    "StatelessMultinomial": row(X, 4, np.array([1, 2]), output_dtype=dtypes.int32).but(**TEXT),
}

IMAGES: dict[str, Row] = {
    "RGBToHSV": row([[0.3, 0.7, 0.9], [0.9, 0.4, 0.1], [0.2, 0.6, 0.35]]),
    "HSVToRGB": row([[0.3, 0.7, 0.9], [0.93, 0.4, 0.1], [0.55, 0.6, 0.35]]),
    "Resize": row(PIXELS, [3, 7], method="bilinear"),
    "ResizeGrad": row([2, 4, 5, 4], np.array(PIXELS)[:, :3, :2].tolist(), method="bicubic"),
    "ResizeIntegers": row(np.array(PIXELS).astype(np.uint8), [3, 7], method="area").but(**NO_GRADIENT),
    "ResizeNearestNeighbor": row(PIXELS, [3, 7]).but(**NO_GRADIENT),
    "ExtractImagePatches": row(PIXELS, ksizes=(1, 2, 3, 1), strides=(1, 2, 1, 1), rates=(1, 1, 2, 1), padding="SAME"),
    "ExtractVolumePatches": row([PIXELS], ksizes=(1, 1, 2, 2, 1), strides=(1, 1, 2, 2, 1), padding="VALID"),
    "DrawBoundingBoxes": row(GREY, [[[0.1, 0.2, 0.7, 0.9]]] * 2).but(**TEXT),
    "DrawBoundingBoxesV2": row(GREY, [[[0.1, 0.2, 0.7, 0.9]]] * 2, [[0.5]]).but(**TEXT),
    "ExtractGlimpse": row(GREY, [3, 2], [[0.0, 0.0], [0.5, -0.5]], uniform_noise=False, noise="zero").but(**TEXT),
    "ExtractGlimpseV2": row(GREY, [3, 2], [[0.0, 0.0], [0.5, -0.5]], noise="zero").but(**TEXT),
    "StatelessSampleDistortedBoundingBox": row(
        np.array([40, 50, 3]), [[[0.1, 0.2, 0.7, 0.9]]], np.array(0.1), np.array([1, 2])
    ).but(**TEXT),
    "NonMaxSuppressionV3": row(BOXES, [0.9, 0.8, 0.7], 2, 0.5, 0.1).but(**BY_VALUE),
    "NonMaxSuppressionV4": row(BOXES, [0.9, 0.8, 0.7], 2, 0.5, 0.1).but(**BY_VALUE),
    "NonMaxSuppressionV5": row(BOXES, [0.9, 0.8, 0.7], 2, 0.5, 0.1, 0.5).but(**BY_VALUE),
    "NonMaxSuppressionWithOverlaps": row(
        [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]], [0.9, 0.8, 0.7], np.array(2), np.array(0.5), np.array(0.1)
    ).but(**BY_VALUE),
    "BatchNonMaxSuppression": row([BOXES], [[0.9, 0.8, 0.7]], 2, 0.5, 0.1).but(**TEXT),
    "CombinedNonMaxSuppression": row(
        [[[box] for box in BOXES]], [[[0.9, 0.1], [0.8, 0.6], [0.7, 0.2]]], 2, 3, np.array(0.5), np.array(0.1)
    ).but(**TEXT),
}

AS_STRING: dict[str, Any] = {"precision": -1, "scientific": False, "shortest": False, "width": 6, "fill": "0"}

STRINGS: dict[str, Row] = {
    "StringFormat": row([np.array([1.5, 2.0], np.float32), np.array(3)], template="a {} b {}").but(**TEXT),
    "StringJoin": row([WORDS, np.array(b"-", object)], separator=", ").but(**TEXT),
    "ReduceJoin": row(WORDS, axis=(1,), keepdims=True, separator="|").but(**TEXT),
    "StringLength": row(WORDS, unit="UTF8_CHAR").but(**TEXT),
    "Substr": row(WORDS, np.array(0), np.array(3), unit="BYTE").but(**TEXT),
    "StringLower": row(WORDS, encoding="utf-8").but(**TEXT),
    "StringUpper": row(WORDS, encoding="").but(**TEXT),
    "StringStrip": row(WORDS).but(**TEXT),
    "EncodeBase64": row(WORDS, pad=True).but(**TEXT),
    "DecodeBase64": row([b"aGVsbG8=", b"YQ"]).but(**TEXT),
    "RegexReplace": row(WORDS, b"[a-z]", b"<\\0>").but(**TEXT),
    "StaticRegexReplace": row(WORDS, pattern="[a-z]", rewrite="<\\0>", replace_global=False).but(**TEXT),
    "StaticRegexFullMatch": row(WORDS, pattern=".*\\d").but(**TEXT),
    "RegexFullMatch": row(WORDS, b".*\\d").but(**TEXT),
    "StringToNumber": row([b"1.5", b"-2"], out_type=dtypes.float64).but(**TEXT),
    "AsString": row(X, **AS_STRING).but(**TEXT),
    "StringSplitV2": row(WORDS, b"", maxsplit=-1).but(**BY_VALUE),
    "StringNGrams": row(
        [b"a", b"b", b"c"],
        np.array([0, 2, 3]),
        separator="-",
        ngram_widths=(1, 2),
        left_pad="<",
        right_pad=">",
        pad_width=1,
        preserve_short_sequences=False,
    ).but(**BY_VALUE),
    "UnicodeScript": row(np.array([65, 1071, -3])).but(**TEXT),
    "StringSplit": row(WORDS[0], b" a", skip_empty=True).but(**BY_VALUE),
    "BytesSplit": row(WORDS).but(**BY_VALUE),
    "UnicodeDecodeWithOffsets": row(WORDS, input_encoding="UTF-8", errors="replace", replacement_char=65533).but(
        **BY_VALUE
    ),
    "StringToHashBucket": row(WORDS, num_buckets=1000).but(**TEXT),
    "StringToHashBucketFast": row(WORDS, num_buckets=1000).but(**TEXT),
    "StringToHashBucketStrong": row(WORDS, num_buckets=1000, key=(98765, 132)).but(**TEXT),
    "Fingerprint": row(np.array([[1, 2], [3, 4]]), b"farmhash64").but(**TEXT),
    "DecodeCSV": row(
        [b"1,x", b"2,"], [np.array([], np.int64), np.array(b"-", object)], out_type=(dtypes.int64, dtypes.string)
    ).but(**TEXT),
    "SerializeTensor": row(X).but(**TEXT),
    "ParseTensor": row(
        np.array(b"\x08\x01\x12\x04\x12\x02\x08\x02*\x04\0\0\xc0?", object), out_type=dtypes.float32
    ).but(**BY_VALUE),
    "DecodeCompressed": row(WORDS, compression_type="").but(**TEXT),
    "UnicodeTranscode": row(WORDS, input_encoding="UTF-8").but(**TEXT),
    "UnicodeEncode": row(np.array([104, 105, 233, 33]), np.array([0, 3, 4])).but(**TEXT),
    "DecodeRaw": row([b"\0\1\2\3", b"\4\5\6\7"], out_type=dtypes.int16, little_endian=False, fixed_length=None).but(
        **BY_VALUE
    ),
}

SAMPLES: dict[str, Row] = {
    "ComputeAccidentalHits": row(np.array([[1, 2], [0, 4]]), np.array([4, 1, 9]), num_true=2).but(unknown=True, **TEXT),
    "UnravelIndex": row([5, 0, 3], [2, 3]).but(ints=([5, 0, 3], [2, 3]), order=0),
    **SHAPES,
    **SOURCES,
    **JOINING,
    **SELECTING,
    **ORDERING,
    **RANDOM,
    **IMAGES,
    **STRINGS,
}
