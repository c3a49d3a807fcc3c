"""Write tests/golden/resize.json: what TensorFlow makes of a small image. Needs TensorFlow, which the tests do not.

pip install tensorflow-cpu==2.21.0
python tests/golden/make_resize.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SIZES = [(3, 4), (11, 9), (5, 14), (10, 3)]
METHODS = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
LEGACY = ["resize_bilinear", "resize_nearest_neighbor", "resize_bicubic", "resize_area"]


def picture(dtype: Any = np.float32) -> np.ndarray:
    """Two small images of two channels, with values in [0, 1) (or [0, 256) for integers)."""
    values = (np.arange(2 * 5 * 7 * 2) * 37 % 101).reshape(2, 5, 7, 2)
    return (values / 101).astype(dtype) if np.dtype(dtype).kind == "f" else (values * 2).astype(dtype)


def resized(tf: Any) -> dict[str, Any]:
    """Every case by name, computed with `tf`."""
    out: dict[str, Any] = {}
    for height, width in SIZES:
        size = [height, width]
        for method in METHODS:
            for antialias in (False, True):
                out[f"{method} {height}x{width} antialias={antialias}"] = tf.image.resize(
                    picture()[:1], size, method=method, antialias=antialias
                )
        for name in LEGACY:
            for align in (False, True):
                out[f"{name} {height}x{width} align_corners={align}"] = getattr(tf.compat.v1.image, name)(
                    picture()[:1], size, align_corners=align
                )
    out["uint8 bilinear"] = tf.image.resize(picture(np.uint8), [4, 4])
    out["uint8 nearest"] = tf.image.resize(picture(np.uint8), [4, 4], method="nearest")
    for method in METHODS:
        out[f"{method} keeps the ratio"] = tf.image.resize(
            picture()[0], [10, 10], method=method, preserve_aspect_ratio=True
        )
    boxes = [[0.1, -0.2, 0.7, 0.9], [0.9, 0.8, 0.2, 0.1], [0.3, 0.3, 0.3, 0.3]]
    for method in ("bilinear", "nearest"):
        out[f"crop_and_resize {method}"] = tf.image.crop_and_resize(
            picture(), boxes, [0, 1, 1], [3, 4], method=method, extrapolation_value=-1.0
        )
    out["crop_and_resize to one pixel"] = tf.image.crop_and_resize(picture(), boxes, [0, 1, 1], [1, 1])
    return out


def gradients(tf: Any) -> dict[str, Any]:
    """The gradient of sum(resized * ramp), where TensorFlow has one."""
    out = {}
    for method in ("bilinear", "nearest", "bicubic", "lanczos3"):
        for antialias in (False, True):
            image = tf.constant(picture()[:1])
            with tf.GradientTape() as tape:
                tape.watch(image)
                result = tf.image.resize(image, [3, 9], method=method, antialias=antialias)
                ramp = np.arange(3 * 9 * 2, dtype=np.float32).reshape(1, 3, 9, 2) / 54
                total = tf.reduce_sum(result * ramp)
            out[f"gradient {method} antialias={antialias}"] = tape.gradient(total, image)
    return out


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    cases = resized(tf) | gradients(tf)
    record = {
        "made_with": f"TensorFlow {tf.__version__}, NumPy {np.__version__}, {Path(__file__).name}",
        "cases": {
            name: {
                "dtype": value.dtype.name,
                "shape": value.shape.as_list(),
                "values": [float(f"{v:.7g}") for v in value.numpy().astype(np.float64).ravel()],
            }
            for name, value in cases.items()
        },
    }
    (HERE / "resize.json").write_text(json.dumps(record, separators=(",", ":")).replace('},"', '},\n"') + "\n")
    print(f"{len(cases)} cases", file=sys.stderr)


if __name__ == "__main__":
    main()
