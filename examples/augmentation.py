"""Image augmentation: SciPy rotates and scales a photograph inside a dataset, a new angle for each element.

python examples/augmentation.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from drawing import save_image
from saving import arguments

import inlay as tf

with needs("inlay[demo]"):
    from scipy import ndimage
    from skimage import data

SIDE, COUNT = 92, 15


def turned(image: Any, angle: Any, zoom: Any) -> Any:
    """The image, rotated around its center and enlarged."""
    cosine, sine = np.cos(angle) / zoom, np.sin(angle) / zoom
    matrix = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    center = (np.array(image.shape) - 1) / 2
    return ndimage.affine_transform(image, matrix, center - matrix @ center, order=1, mode="reflect")


def augment(image: Any) -> Any:
    angle, zoom = tf.random.uniform([], -0.6, 0.6, seed=4), tf.random.uniform([], 1.0, 1.7, seed=5)
    image = tf.numpy_function(turned, [image, angle, zoom], tf.float32, output_shapes=[SIDE, SIDE, 3], stateful=False)
    image = tf.image.random_flip_left_right(image, seed=6)
    return tf.image.adjust_brightness(image, tf.random.uniform([], -0.12, 0.12, seed=7))


def main() -> int:
    options = arguments(__doc__)
    cat = data.chelsea()[10:290, 90:370]
    cat = tf.image.resize(tf.cast(cat, tf.float32) / 255, [SIDE, SIDE], antialias=True)
    images = tf.data.Dataset.from_tensors(cat).repeat(COUNT).map(augment, num_parallel_calls=2).batch(COUNT)
    batch = next(images.as_numpy_iterator())
    again = next(images.as_numpy_iterator())
    check(f"the batch has shape {batch.shape}, and no two images are equal", len(np.unique(batch, axis=0)) == COUNT)
    check("the seeds give every iteration the same images", np.array_equal(batch, again))
    rows = batch.reshape(3, 5, SIDE, SIDE, 3).transpose(0, 2, 1, 3, 4).reshape(3 * SIDE, 5 * SIDE, 3)
    save_image(options.out, "augmentation", rows.clip(0, 1) * 255, 40)
    return status()


if __name__ == "__main__":
    sys.exit(main())
