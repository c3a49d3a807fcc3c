"""`tf.audio`: sound as WAV files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from typing import Any as _Any
__all__ = [
    "decode_wav", "encode_wav"
]
def decode_wav(contents: _TensorLike, desired_channels: _Any = -1, desired_samples: _Any = -1, name: str | None = None) -> list[_Tensor]:
    """The sound of a WAV file.

    Args:
      contents: the file, a scalar string; 16 bits a sample.
      desired_channels: number of channels of the result: the file's first ones, the last one repeated; -1 for all.
      desired_samples: number of frames of the result: longer audio is cut off, shorter audio is padded with zeros; -1
        for all.

    Returns:
      ([frames, channels] of float32 between -1 and 1, the frames a second as int32).

    Raises:
      InvalidArgumentError: if it is no such file."""
def encode_wav(audio: _TensorLike, sample_rate: _TensorLike, name: str | None = None) -> _Tensor:
    """Sound as a WAV file.

    Args:
      audio: [frames, channels] of float32 between -1 and 1; samples beyond are clipped.
      sample_rate: frames a second, a scalar.

    Returns:
      A scalar string.

    Raises:
      InvalidArgumentError: for another shape, or a rate that is not above zero."""
