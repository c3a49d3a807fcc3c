"""`tf.audio`: sound as WAV files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from typing import Any as _Any
__all__ = [
    "decode_wav", "encode_wav"
]
def decode_wav(contents: _TensorLike, desired_channels: _Any = -1, desired_samples: _Any = -1, name: str | None = None) -> list[_Tensor]: ...
def encode_wav(audio: _TensorLike, sample_rate: _TensorLike, name: str | None = None) -> _Tensor: ...
