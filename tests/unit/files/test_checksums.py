"""CRC-32C from tables is that of google-crc32c, and of RFC 3720."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inlay._src.base.files import checksums

BYTES = np.random.default_rng(5).integers(0, 256, 3 * checksums._PART + 77, np.uint8).tobytes()


@pytest.mark.parametrize("extend", [checksums.extend, checksums.extended], ids=["installed", "tables"])
def test_examples_of_the_standard(extend: object) -> None:
    """RFC 3720, appendix B.4."""
    assert callable(extend)
    assert extend(0, b"") == 0
    assert extend(0, bytes(32)) == 0x8A9136AA
    assert extend(0, b"\xff" * 32) == 0x62A8AB43
    assert extend(0, bytes(range(32))) == 0x46DD794E
    assert extend(0, b"123456789") == 0xE3069283


@given(data=st.binary(max_size=1200), at=st.integers(0, 1200))
def test_tables_give_what_is_installed(data: bytes, at: int) -> None:
    assert checksums.extended(0, data) == checksums.extend(0, data)
    assert checksums.extended(checksums.extended(0, data[:at]), data[at:]) == checksums.extend(0, data)


def test_large_data_is_read_in_parts() -> None:
    for size in (checksums._PART - 1, checksums._PART, checksums._PART + 1, len(BYTES)):
        assert checksums.extended(7, BYTES[:size]) == checksums.extend(7, BYTES[:size])
