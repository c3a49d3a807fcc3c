"""Every op has a sample row, so that no op escapes the conformance tests."""

from __future__ import annotations

from inlay._src.core.opdef import OPS, Effect
from tests.conformance.samples import SAMPLES, UNSAMPLED


def test_every_pure_op_has_a_sample_and_every_sample_an_op() -> None:
    pure = {name for name, op in OPS.items() if op.effect is Effect.PURE}
    assert {
        "without a row": sorted(pure - set(SAMPLES) - set(UNSAMPLED)),
        "without an op": sorted(set(SAMPLES) - set(OPS)),
        "left out and sampled": sorted(set(SAMPLES) & set(UNSAMPLED)),
        "left out for nothing": sorted(set(UNSAMPLED) - set(OPS)),
    } == {"without a row": [], "without an op": [], "left out and sampled": [], "left out for nothing": []}
