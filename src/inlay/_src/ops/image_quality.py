"""Similarity of images (SSIM), image gradients and edges, and luma-based color spaces (YUV, YIQ).

Source: Wang et al., "Image quality assessment: from error visibility to structural similarity", 2004; "Multiscale
structural similarity for image quality assessment", 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, joining, math, powers, reductions, slicing, stacking
from inlay._src.ops.activations import relu
from inlay._src.ops.asserting import assert_equal_v1, assert_greater_equal_v1
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.convolutions import depthwise_conv2d
from inlay._src.ops.einsum import tensordot
from inlay._src.ops.image_colors import convert_image_dtype
from inlay._src.ops.pooling import avg_pool2d
from inlay._src.ops.shaping import ensure_shape
from inlay._src.ops.tiling import tile

_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _checked(img1: Any, img2: Any) -> tuple[Any, Any]:
    """Two batches of images; ValueError, or an error in a run, if they do not go together."""
    one, other = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
    first, second = one.shape.with_rank_at_least(3), other.shape.with_rank_at_least(3)
    if one.dtype is not other.dtype:
        raise TypeError(f"two images must be of one type, got {one.dtype.name} and {other.dtype.name}")
    first[-3:].assert_is_compatible_with(second[-3:])
    if first.rank is not None and second.rank is not None:
        pairs = zip(reversed(first.as_list()[:-3]), reversed(second.as_list()[:-3]), strict=False)
        if any(1 not in (a, b) and None not in (a, b) and a != b for a, b in pairs):
            raise ValueError(f"Two images are not compatible: {first} and {second}")
    with control_dependencies([assert_equal_v1(array.shape(one)[-3:], array.shape(other)[-3:])]):
        return array.identity(one), other


def _as_floats(one: Any, other: Any, max_val: Any) -> tuple[Any, Any, Any]:
    whole = convert_image_dtype(math.cast(max_val, one.dtype), dtypes.float32)
    return convert_image_dtype(one, dtypes.float32), convert_image_dtype(other, dtypes.float32), whole


def _gauss(size: int, sigma: float) -> np.ndarray:
    """A window by Gauss, [size, size], that sums to 1."""
    places = np.arange(size) - (size - 1) / 2.0
    exponents = -0.5 * np.square(places) / sigma**2
    weights = np.exp(exponents[:, None] + exponents[None, :])
    return (weights / weights.sum()).astype(np.float32)  # type: ignore[no-any-return]


class _Similarity:
    """Parameters of the similarity measure between two batches of images.

    Args:
      whole: the largest possible difference of two values.
      size, sigma: the window's.
      k1, k2: stabilizers that bound the denominators away from 0.
    """

    def __init__(self, whole: Any, size: int, sigma: float, k1: float, k2: float) -> None:
        self._size, self._window = size, _gauss(size, sigma)
        self._c1, self._c2 = powers.square(whole * k1), powers.square(whole * k2)

    def __call__(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Luminance, and contrast with structure, of each window: [..., height, width, channels]."""
        says = "images must be at least as large as the filter"
        least = [assert_greater_equal_v1(array.shape(v)[-3:-1], self._size, message=says) for v in (x, y)]
        with control_dependencies(least):
            x = array.identity(x)
        kernel = tile(self._window[:, :, None, None], stacking.stack([1, 1, array.shape(x)[-1], 1]))

        def mean(v: Any) -> Any:
            sizes = array.shape(v)
            flat = array.reshape(v, joining.concat([[-1], sizes[-3:]], 0))
            filtered = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
            return array.reshape(filtered, joining.concat([sizes[:-3], array.shape(filtered)[1:]], 0))

        a, b = mean(x), mean(y)
        product, squares = a * b * 2.0, powers.square(a) + powers.square(b)
        both, own = mean(x * y) * 2.0, mean(powers.square(x) + powers.square(y))
        luminance = division.real_divide(product + self._c1, squares + self._c1)
        return luminance, division.real_divide(both - product + self._c2, own - squares + self._c2)


@export("image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images, up to 1 for equal ones.

    Args:
      img1, img2: batches of images, [..., height, width, channels]; batches broadcast.
      max_val: the largest possible difference of two values.
      filter_size, filter_sigma: the window's side and width.
      k1, k2: stabilizers that bound the denominators away from 0, as fractions of `max_val`.
      return_index_map: whether the similarity of each window is given.

    Returns:
      float32, [...], or [..., height - filter_size + 1, width - filter_size + 1].

    Raises:
      ValueError: if shapes do not go together.
      InvalidArgumentError: if images are smaller than the window.
    """
    one, other, whole = _as_floats(*_checked(img1, img2), max_val)
    luminance, structure = _Similarity(whole, filter_size, filter_sigma, k1, k2)(one, other)
    similarity = luminance * structure
    return reductions.reduce_mean(
        similarity if return_index_map else reductions.reduce_mean(similarity, [-3, -2]), [-1]
    )


def _halved(x: Any) -> Any:
    """Images of half the size: the means of squares of four pixels, with the last row and column doubled if odd."""
    sizes = array.shape(x)
    flat = array.reshape(x, joining.concat([[-1], sizes[-3:]], 0))
    odd = division.floormod(sizes[-3:-1], 2)
    rest = stacking.stack([0, odd[0], odd[1], 0])
    flat = slicing.pad(flat, stacking.stack([array.zeros_like(rest), rest], 1), "SYMMETRIC")
    small = avg_pool2d(flat, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return array.reshape(small, joining.concat([sizes[:-3], array.shape(small)[1:]], 0))


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images on several scales, each half as large as the one before.

    Args:
      img1, img2, max_val, filter_size, filter_sigma, k1, k2: as for `ssim`.
      power_factors: the exponent of each scale.

    Returns:
      float32, [...].

    Raises:
      ValueError: if shapes do not go together.
      InvalidArgumentError: if images are smaller than the window on some scale.
    """
    one, other, whole = _as_floats(*_checked(img1, img2), max_val)
    measure = _Similarity(whole, filter_size, filter_sigma, k1, k2)
    factors = []
    for scale in range(len(power_factors)):
        if scale:
            one, other = _halved(one), _halved(other)
        luminance, structure = measure(one, other)
        last = scale == len(power_factors) - 1
        factors.append(relu(reductions.reduce_mean(luminance * structure if last else structure, [-3, -2])))
    every = powers.pow(stacking.stack(factors, -1), np.array(power_factors, np.float32))
    return reductions.reduce_mean(reductions.reduce_prod(every, [-1]), [-1])


# ---------------------------------------------------------------- gradients and edges


@export("image.image_gradients")
def image_gradients(image: Any) -> tuple[Any, Any]:
    """Forward differences to the next pixel below, and to the next pixel at the right.

    Args:
      image: [batch, height, width, channels].

    Returns:
      Two tensors of that shape; the last row of the first and the last column of the second are 0.

    Raises:
      ValueError: for another rank.
    """
    x = image if isinstance(image, Tensor) else convert_to_tensor(image)
    if x.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}.")
    down = slicing.pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    right = slicing.pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return array.reshape(down, array.shape(x)), array.reshape(right, array.shape(x))


_SOBEL = np.transpose(
    [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]],
    (1, 2, 0),
)[:, :, None, :]


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Tensor:
    """Vertical and horizontal gradients of images by the Sobel filter.

    Args:
      image: [batch, height, width, channels], of real numbers.

    Returns:
      [batch, height, width, channels, 2].
    """
    x = image if isinstance(image, Tensor) else convert_to_tensor(image)
    sizes = array.shape(x)
    kernel = tile(convert_to_tensor(_SOBEL.astype(x.dtype.np)), stacking.stack([1, 1, sizes[-1], 1]))
    padded = slicing.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    edges = depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    gradients = array.reshape(edges, joining.concat([sizes, [2]], 0))
    gradients.set_shape(x.shape.concatenate([2]))
    return gradients


# ---------------------------------------------------------------- colors

_YIQ = [
    [0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955],
]  # fmt: skip
_FROM_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_YUV = [
    [0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026],
]  # fmt: skip
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _mixed(images: Any, matrix: Any) -> Any:
    x = convert_to_tensor(images, name="images")
    if x.shape.rank is not None and x.shape.rank > 0 and x.shape[-1] not in (3, None):
        raise ValueError(f"images must have 3 channels in the last axis, got shape {x.shape}")
    if x.shape.rank:
        x = ensure_shape(x, [*x.shape[:-1], 3])
    return tensordot(x, convert_to_tensor(matrix, x.dtype), 1)


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> Tensor:
    """Colors as brightness, in phase and quadrature.

    Args:
      images: real numbers in [0, 1], [..., 3].
    """
    return _mixed(images, _YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> Tensor:
    """The inverse of `rgb_to_yiq`."""
    return _mixed(images, _FROM_YIQ)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> Tensor:
    """Colors as brightness, and differences of blue and red from it.

    Args:
      images: real numbers in [0, 1], [..., 3].
    """
    return _mixed(images, _YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> Tensor:
    """The inverse of `rgb_to_yuv`."""
    return _mixed(images, _FROM_YUV)
