"""Every op's sample: op type -> row. A new op is one declaration and one row here or in a table below.

`tests/conformance/test_samples.py` refuses an op without a row, unless `UNSAMPLED` says why.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from tests.conformance.sampling import Row

UNSAMPLED: dict[str, str] = {
    **dict.fromkeys(("Const", "Placeholder", "NoOp"), "a source: it has no inputs and no kernel to compare"),
    **dict.fromkeys(("PyFunc", "PyFuncStateless", "EagerPyFunc", "Pullback"), "calls user code: tests/conformance"),
    **dict.fromkeys(
        (
            "CustomGradient",
            "PartitionedCall",
            "StatefulPartitionedCall",
            "If",
            "StatelessIf",
            "Case",
            "StatelessCase",
            "While",
            "StatelessWhile",
            "MutexLockCall",
        ),
        "holds a program: bound by the plan, it has no kernel",
    ),
    **{
        f"TensorList{verb}": "takes or gives a list of tensors, which is not an array: tests/unit/control"
        for verb in (
            *("Add", "Clear", "Concat", "ElementShape", "FromTensor", "GetItem", "GetOr", "ItemLengths", "Length"),
            *("Only", "Reserve", "Resize", "SetItem", "Split", "SplitLike", "Stack", "StackLike"),
        )
    },
    **{
        name: "takes or gives the bytes of a picture, and Pillow does the work: tests/unit/ops/test_image_files.py"
        for name in (
            *("DecodeAndCropJpeg", "DecodeBmp", "DecodeGif", "DecodeImage", "DecodeJpeg", "DecodePng"),
            *("EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng", "ExtractJpegShape", "IsJpeg", "DecodeWebP"),
        )
    },
    **{
        name: "takes or gives the bytes of a sound, or a message: tests/recorded/test_summaries.py, tests/unit/ops"
        for name in (
            *("DecodeWav", "EncodeWav", "ScalarSummary", "HistogramSummary", "ImageSummary", "AudioSummaryV2"),
            *("TensorSummaryV2", "MergeSummary", "DecodeJSONExample"),
        )
    },
    "SummaryBuckets": "NumPy's alone, and its result has as many rows as it is told: tests/recorded/test_summaries.py",
    **{
        name: "its attributes say which features are asked for: tests/unit/composite/test_example_parsing.py"
        for name in ("ParseExampleV2", "ParseSequenceExampleV2", "RaggedFeatureRowLengths")
    },
    **{
        f"Optional{verb}": "takes or gives an optional, which is not an array: tests/unit/datasets"
        for verb in ("FromValue", "GetValue", "HasValue", "None")
    },
    **{
        name: "NumPy's alone, and an attribute says its type: tests/golden/expressions/networks.py"
        for name in ("QuantizeV2", "Dequantize")
    },
    "CrossRows": "an attribute says what its inputs are: tests/golden/expressions/composites.py",
    **{
        f"{verb}Sparse": "takes or gives messages of sparse tensors: tests/golden/expressions/composites.py"
        for verb in ("Serialize", "SerializeMany", "Deserialize", "DeserializeMany")
    },
    "CTCBeamSearchDecoder": "an attribute says what it gives: tests/golden/programs/label_sequences.py",
    "StatelessRandomGetAlg": "has no inputs: tests/golden",
    "ShardedFilename": "declared with what writes checkpoints: tests/unit/training",
    "UninitializedNames": "names variables: tests/unit/variables",
}
"""Ops without a row, and why. Ops that read or write state, draw random numbers or print are left out by effect."""


def _tables() -> dict[str, Row]:
    """The rows of every module named `samples_*` beside this one."""
    found: dict[str, Row] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.startswith("samples_"):
            table: dict[str, Row] = importlib.import_module(f"tests.conformance.{module.name}").SAMPLES
            twice = sorted(set(found) & set(table))
            assert not twice, f"{module.name} repeats the rows of {twice}"
            found |= table
    return found


SAMPLES: dict[str, Row] = _tables()
