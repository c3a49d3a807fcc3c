"""The compressed pixels of an image file: their number of bytes, and a check for truncation.

Formats: PNG (W3C, third edition, 5.3 and 13), GIF89a (sections 15 to 23), JPEG (ITU T.81, annex B).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_SIGNATURE = 8
_PASSES = ((0, 8, 0, 8), (0, 8, 4, 8), (4, 8, 0, 4), (0, 4, 2, 4), (2, 4, 0, 2), (0, 2, 1, 2), (1, 2, 0, 1))
"""Adam7: first row, rows apart, first column, columns apart."""
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PIECE = 1 << 16


def coded_bytes(kind: str, text: bytes) -> int:
    """An upper bound of the number of bytes of coded pixels: palettes, comments and profiles are not counted.

    Args:
      kind: "PNG", "GIF", "JPEG" or "BMP".
      text: the file.
    """
    if kind == "PNG":
        return sum([end - start for chunk, start, end in _chunks(text) if chunk in (b"IDAT", b"fdAT")])
    if kind == "GIF":
        return _coded_of_gif(text)
    return _coded_of_jpeg(text) if kind == "JPEG" else len(text)


def _chunks(text: bytes) -> Iterator[tuple[bytes, int, int]]:
    """The chunks of a PNG file: type, and where their data begin and end."""
    at = _SIGNATURE
    while at + 8 <= len(text):
        end = at + 8 + int.from_bytes(text[at : at + 4], "big")
        yield text[at + 4 : at + 8], at + 8, min(end, len(text))
        at = end + 4  # its checksum


def _palette(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _coded_of_gif(text: bytes) -> int:
    coded, at = 0, 13 + _palette(text[10])
    while at + 10 <= len(text):
        block = text[at]
        if block == 0x21:
            at = _end_of_blocks(text, at + 2)
        elif block == 0x2C:
            start = at + 11 + _palette(text[at + 9])
            at = _end_of_blocks(text, start)
            coded += max(at - start, 0)
        else:  # the end, or damage: whatever follows may be read as pixels
            return coded + len(text) - at
    return coded


def _end_of_blocks(text: bytes, at: int) -> int:
    """Where a chain of sub-blocks ends: each says its length, the last one has none."""
    while at < len(text) and text[at]:
        at += 1 + text[at]
    return min(at + 1, len(text))


def _coded_of_jpeg(text: bytes) -> int:
    at = 2
    while at + 4 <= len(text):
        marker = text[at + 1]
        if text[at] != 0xFF or marker == 0xDA:  # damage, or a scan, which ends with the file at most
            break
        alone = marker in (0x01, 0xFF) or 0xD0 <= marker <= 0xD9
        at += (1 if marker == 0xFF else 2) if alone else 2 + int.from_bytes(text[at + 2 : at + 4], "big")
    return max(len(text) - at, 0)


def png_lacks_rows(text: bytes) -> bool:
    """Whether the compressed data of a PNG file end before its last row, though their stream is whole.

    Args:
      text: a file that a decoder took for a PNG file.
    """
    width, height = int.from_bytes(text[16:20], "big"), int.from_bytes(text[20:24], "big")
    bits, interlaced = text[24] * _CHANNELS[text[25]], text[28]
    missing = 0
    for top, down, left, right in _PASSES if interlaced else ((0, 1, 0, 1),):
        columns, rows = max(-(-(width - left) // right), 0), max(-(-(height - top) // down), 0)
        missing += rows * (1 + -(-columns * bits // 8)) if columns else 0  # a byte says how a row is filtered
    stream = zlib.decompressobj()
    for chunk, start, end in _chunks(text):
        data = text[start:end] if chunk == b"IDAT" else b""
        while data and missing > 0 and not stream.eof:
            missing -= len(stream.decompress(data, _PIECE))
            data = stream.unconsumed_tail
    return missing > 0
