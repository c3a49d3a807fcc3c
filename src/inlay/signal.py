"""`tf.signal`: Fourier and cosine transforms, windows, spectra."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "signal",
    {
        "ops.cosine_transforms":
        "dct idct inverse_mdct linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms",
        "ops.signal":
        "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d irfft3d irfftnd "
        "rfft rfft2d rfft3d rfftnd",
        "ops.signal_windows":
        "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window",
        "ops.spectrograms": "frame inverse_stft inverse_stft_window_fn overlap_and_add stft",
    },
)
