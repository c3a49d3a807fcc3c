"""What `make demo` runs: log-Huber through a session, its gradients, and SciPy's image functions on a photograph.

    python examples/demo.py [--out FOLDER]

It prints what it computes and checks every number; the exit status is 0 only if all of them are right. The picture that
it draws is demo.png in the folder.
"""

from __future__ import annotations

import math
import sys
import time
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from PIL import Image
from saving import arguments
from scipy import ndimage

import inlay as tf


class Checks:
    """Prints numbers beside what they must be, and remembers the wrong ones."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.made = 0

    def near(self, what: str, got: float, want: float, tolerance: float = 1e-5) -> None:
        self.that(f"{what:<44}{got:>12.6f}   expected {want:.6f}", math.isclose(got, want, rel_tol=tolerance))

    def that(self, what: str, fine: bool) -> None:
        self.made += 1
        print(f"  {'ok   ' if fine else 'WRONG'} {what}")
        if not fine:
            self.wrong.append(what)


def log_huber(x: tf.Tensor, m: tf.Tensor) -> tf.Tensor:
    """Quadratic near zero, logarithmic far away: ordinary Python control flow on eager tensors."""
    if tf.abs(x) <= m:
        return x**2
    return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))


def show_log_huber(check: Checks) -> None:
    """Both branches through placeholders, a session and gradients; then the same function under a tape."""
    print("log-Huber: a Python `if` inside a graph, with its gradients")
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        m = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(func=log_huber, inp=[x, m], Tout=tf.float32)
        dy_dx, dy_dm = tf.gradients(y, [x, m])
        with tf.compat.v1.Session() as sess:
            near = sess.run([y, dy_dx, dy_dm], feed_dict={x: 1.0, m: 2.0})
            far = sess.run([y, dy_dx, dy_dm], feed_dict={x: 3.0, m: 2.0})
    # By hand: y = x^2, dy/dx = 2x, dy/dm = 0; outside, y = m^2 (1 - 2 log m + log x^2), dy/dx = 2 m^2 / x and
    # dy/dm = 2 m (log x^2 - 2 log m).
    for name, got, want in zip(("y", "dy/dx", "dy/dm"), near, (1.0, 2.0, 0.0), strict=True):
        check.near(f"inside,  x=1, m=2: {name}", float(got), want)
    outside = (4 * (1 + 2 * math.log(1.5)), 8 / 3, 8 * math.log(1.5))
    for name, got, want in zip(("y", "dy/dx", "dy/dm"), far, outside, strict=True):
        check.near(f"outside, x=3, m=2: {name}", float(got), want)

    x, m = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.py_function(log_huber, [x, m], tf.float32)
        first = inner.gradient(y, x)
    check.near("eagerly, under two tapes: dy/dx", float(first), 8 / 3)
    check.near("and the second derivative", float(outer.gradient(first, x)), -8 / 9)


def photograph() -> np.ndarray:
    """A photograph of a cat that scikit-image ships, as float32 in [0, 1]."""
    with as_file(files("skimage.data").joinpath("chelsea.png")) as path, Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.float32) / 255


def turn(image: np.ndarray, degrees: np.float32) -> np.ndarray:
    """SciPy turns the picture."""
    return ndimage.rotate(image, degrees, axes=(1, 0), reshape=False, order=1, mode="reflect")


def blur(image: np.ndarray) -> np.ndarray:
    """SciPy's Gaussian filter over rows and columns, not over colors."""
    return ndimage.gaussian_filter(image, (4, 4, 0), mode="constant")


def blur_gradient(image: np.ndarray, blurred: np.ndarray, upstream: np.ndarray) -> np.ndarray:
    """The filter is linear and symmetric: it is its own gradient."""
    return tf.numpy_function(blur, [upstream], tf.float32)


def show_photograph(check: Checks, out: Path) -> None:
    """SciPy on a photograph, eagerly and in a graph, and a gradient through the filter."""
    photo = photograph()
    print(f"\nSciPy on a photograph: {photo.shape[1]} x {photo.shape[0]} pixels, mean {photo.mean():.4f}")
    turned = tf.numpy_function(turn, [photo, 15.0], tf.float32)
    blurred = tf.numpy_function(blur, [turned], tf.float32, output_shapes=photo.shape, grad=blur_gradient)

    with tf.Graph().as_default():
        image = tf.compat.v1.placeholder(tf.float32, photo.shape)
        degrees = tf.compat.v1.placeholder(tf.float32, [])
        staged = tf.numpy_function(turn, [image, degrees], tf.float32)
        soft = tf.numpy_function(blur, [staged], tf.float32, output_shapes=image.shape, grad=blur_gradient)
        weights = tf.constant(photo)
        slope = tf.gradients(tf.reduce_sum(soft * weights), staged)[0]
        with tf.compat.v1.Session() as sess:
            graph_turned, graph_soft, gradient = sess.run([staged, soft, slope], {image: photo, degrees: 15.0})

    check.that("the rotation equals SciPy's own", np.array_equal(turned.numpy(), turn(photo, np.float32(15))))
    check.that("graph and eager code give the same rotation", np.array_equal(graph_turned, turned.numpy()))
    check.that("graph and eager code give the same blur", np.array_equal(graph_soft, blurred.numpy()))
    check.that(f"the graph knew the shape before running: {soft.shape}", soft.shape == photo.shape)
    check.that("the photograph is as it was", np.array_equal(photo, photograph()))

    # d sum(blur(t) * w) along a direction d is the inner product of the gradient and d; measured, it is a difference.
    direction = np.random.default_rng(7).standard_normal(photo.shape).astype(np.float32)
    step = (blur(graph_turned + direction) - blur(graph_turned - direction)).astype(np.float64)
    measured = float((step * photo).sum() / 2)
    along = float((gradient.astype(np.float64) * direction).sum())
    check.near("gradient through SciPy's filter, one direction", along, measured, 1e-3)

    write_picture(check, np.concatenate([photo, turned.numpy(), blurred.numpy()], axis=1), out / "demo.png")


def write_picture(check: Checks, panels: np.ndarray, path: Path) -> None:
    """Writes the panels as PNG, and reads them back."""
    pixels = np.rint(np.clip(panels, 0, 1) * 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    with Image.open(path) as again:
        check.that(f"written and read back: {path}", np.array_equal(np.asarray(again), pixels))


def main() -> int:
    began = time.perf_counter()
    check = Checks()
    show_log_huber(check)
    show_photograph(check, arguments(__doc__).out)
    seconds = time.perf_counter() - began
    print(f"\n{check.made - len(check.wrong)} of {check.made} right, in {seconds:.1f} s")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
