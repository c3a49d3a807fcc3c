"""Sound as WAV files, as in TensorFlow: 16 bits a sample.

Format: http://soundfile.sapp.org/doc/WaveFormat/
"""

from __future__ import annotations

import io
import wave
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.shapes import bracketed
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import no_gradient, of_ranks, scalar
from inlay._src.core.values import boxed

_STEPS = 1 << 15
"""Steps of a sample between 0 and 1."""
_MOST_RATE = 2**31 - 1


def wav_of(samples: np.ndarray, rate: int) -> bytes:
    """Samples as a WAV file; samples beyond -1 and 1 are clipped.

    Args:
      samples: [frames, channels] of float.
      rate: frames a second.
    """
    scaled = samples.astype(np.float32) * np.float32(_STEPS)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))  # halves away from zero
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((samples.shape[1], 2, rate, 0, "NONE", ""))
        sound.writeframes(np.clip(rounded, -_STEPS, _STEPS - 1).astype("<i2").tobytes())
    return file.getvalue()


@op("EncodeWav", "audio:float32, sample_rate:int32 -> string", infer=of_ranks(scalar, 2, 0), lower=REFUSES_VALUES)
@export("audio.encode_wav")
def encode_wav(xp, audio, sample_rate):
    """Sound as a WAV file.

    Args:
      audio: [frames, channels] of float32 between -1 and 1; samples beyond are clipped.
      sample_rate: frames a second, a scalar.

    Returns:
      A scalar string.

    Raises:
      InvalidArgumentError: for another shape, or a rate that is not above zero.
    """
    if audio.ndim != 2:
        raise ValueError(f"audio must be 2-dimensional but got shape {bracketed(audio.shape)}")
    if audio.shape[1] == 0:
        raise ValueError("audio has no channels: it must have 1 at least")
    if np.ndim(sample_rate):
        raise ValueError(f"sample_rate must be a scalar but got shape {bracketed(np.shape(sample_rate))}")
    if sample_rate <= 0:
        raise ValueError(f"sample_rate must be above 0, got {int(sample_rate)}")
    return boxed(wav_of(np.asarray(audio), int(sample_rate)))


def _infer(s: Any) -> list[Any]:
    wanted = (s.attrs["desired_samples"], s.attrs["desired_channels"])
    return [tuple(None if n < 0 else n for n in wanted), ()]


@op(
    "DecodeWav",
    "contents:string -> float32, int32",
    infer=of_ranks(_infer, 0),
    lower=REFUSES_VALUES,
    vjp=no_gradient,
)
@export("audio.decode_wav")
def decode_wav(xp, contents, *, desired_channels=-1, desired_samples=-1):
    """The sound of a WAV file.

    Args:
      contents: the file, a scalar string; 16 bits a sample.
      desired_channels: number of channels of the result: the file's first ones, the last one repeated; -1 for all.
      desired_samples: number of frames of the result: longer audio is cut off, shorter audio is padded with zeros; -1
        for all.

    Returns:
      ([frames, channels] of float32 between -1 and 1, the frames a second as int32).

    Raises:
      InvalidArgumentError: if it is no such file.
    """
    try:
        with wave.open(io.BytesIO(np.asarray(contents).item())) as file:
            channels, width, rate, count, *_ = file.getparams()
            raw = file.readframes(count)
    except (wave.Error, EOFError, RuntimeError) as error:  # the last for a chunk that goes on behind the end
        raise ValueError(f"this is not a WAV file: {error or 'it ends too early'}") from None
    if rate > _MOST_RATE:
        raise ValueError(f"this is not a WAV file: it has {rate:,} frames a second")
    if width != 2:
        raise ValueError(f"Can only read 16-bit WAV files, but received {8 * width}")
    whole = len(raw) // (2 * channels) * channels
    samples = np.frombuffer(raw, "<i2", whole).reshape(-1, channels).astype(np.float32) / np.float32(_STEPS)
    if desired_channels >= 0:
        samples = samples[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples >= 0:
        samples = np.pad(samples[:desired_samples], ((0, max(desired_samples - len(samples), 0)), (0, 0)))
    return samples, np.int32(rate)
