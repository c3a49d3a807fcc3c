"""Boxes drawn at random that show enough of given ones: random crops for training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Effect, Shapes, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import philox
from inlay._src.ops.draws import SEED
from inlay._src.ops.seeds import state_of_draw

_TYPES = frozenset({dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
_SINGLE = np.float32


class Box(NamedTuple):
    """A box of pixels."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)

    def shared(self, other: Box) -> int:
        """The area of what two boxes share."""
        rows = min(self.bottom, other.bottom) - max(self.top, other.top)
        columns = min(self.right, other.right) - max(self.left, other.left)
        return max(rows, 0) * max(columns, 0)


class _BlockWords:
    """Single words of a sequence of blocks, one after the other."""

    def __init__(self, key: int, high: int, start: int) -> None:
        self._where, self._held = (key, high, start), np.zeros(0, np.uint32)

    def take(self) -> int:
        if not self._held.size:
            key, high, start = self._where
            self._held = philox.fill(np, "words", dtypes.uint32, key, high, np.uint64(start), (64,))
            self._where = key, high, start + 16
        word, self._held = int(self._held[0]), self._held[1:]
        return word

    def share(self) -> Any:
        """A float32 in [0, 1)."""
        return np.array([self.take() & 0x7FFFFF | 0x3F800000], np.uint32).view(_SINGLE)[0] - _SINGLE(1)

    def below(self, limit: int) -> int:
        """A whole number below another one, all alike probable."""
        if limit & (limit - 1) == 0:
            return self.take() & (limit - 1)
        least = 0xFFFFFFFF % limit
        while True:
            word = self.take()
            if word >= least:
                return word % limit


def _whole(number: Any) -> int:
    """The nearest whole number of a float32, an even one of two."""
    return int(np.rint(_SINGLE(number)))


def _cut(rows: int, columns: int, areas: tuple[Any, Any], ratio: Any, words: _BlockWords) -> Box | None:
    """A box of a ratio of width to height whose area lies in a range; None if there is none."""
    least, most = (_SINGLE(share) * _SINGLE(columns) * _SINGLE(rows) for share in areas)
    if areas[1] <= 0 or ratio <= 0 or rows <= 0 or columns <= 0 or areas[0] > areas[1]:
        return None
    height, tallest = _whole(np.sqrt(least / ratio)), _whole(np.sqrt(most / ratio))
    if _whole(tallest * ratio) > columns:
        tallest = int((columns + 0.5 - 1e-7) / float(ratio))
        if _whole(tallest * ratio) > columns:
            tallest -= 1
    tallest = min(tallest, rows)
    height = min(height, tallest)
    if height < tallest:
        height += words.below(tallest - height + 1)
    for change, wrong in ((1, lambda area: area < least), (-1, lambda area: area > most)):
        if wrong(_SINGLE(_whole(height * ratio) * height)):
            height += change
    width = _whole(height * ratio)
    area = _SINGLE(width * height)
    if area < least or area > most or not 0 < width <= columns or not 0 < height <= rows:
        return None
    top = words.below(rows - height) if height < rows else 0
    left = words.below(columns - width) if width < columns else 0
    return Box(top, left, top + height, left + width)


def _shows(crop: Box, boxes: list[Box], least: float) -> bool:
    """Whether a crop shows a share of one of the boxes."""
    pixels = (box for box in boxes if box.area > 0)
    return crop.area > 0 and any(_SINGLE(crop.shared(box)) / _SINGLE(box.area) >= least for box in pixels)


class BoxRequirements(NamedTuple):
    """Requirements of a sampled box; ranges as pairs.

    Attributes:
      ratios, areas: width over height, and the share of the image.
      attempts: maximum number of attempts.
      whole: whether no box stands for the whole image.
    """

    ratios: tuple[float, float]
    areas: tuple[float, float]
    attempts: int
    whole: bool

    def check(self, least: Any) -> None:
        """Refuses what no box can be."""
        for what, pair in (("Aspect ratio", self.ratios), ("Area", self.areas)):
            if len(pair) != 2:
                raise ValueError(f"{what} range field must specify 2 dimensions, got {list(pair)}")
            if min(pair) <= 0 if what == "Aspect ratio" else min(pair) < 0:
                raise ValueError(f"{what} range must be non-negative: {list(pair)}")
        if max(self.areas) > 1:
            raise ValueError(f"Area range must be less then or equal to 1.0: {list(self.areas)}")
        if self.attempts <= 0:
            raise ValueError(f"Max attempts must be non-negative: {self.attempts}")
        if not 0 <= least:
            raise ValueError(f"Min object covered must be non-negative: {least}")
        if least > 1:
            raise ValueError(f"Min object covered must be <= 1.0: {least}")


def _sampled(image_size: Any, boxes: Any, least: Any, wanted: BoxRequirements, words: Callable[[], _BlockWords]) -> Any:
    """(begin, size, box) of a crop; the whole image where no attempt gave one."""
    if np.ndim(least):
        raise ValueError(f"min_object_covered must be 0-D, got shape {list(np.shape(least))}")
    size, boxes, least = np.asarray(image_size), np.asarray(boxes), float(np.asarray(least))
    wanted.check(least)
    if size.shape != (3,):
        raise ValueError(f"image_size must contain 3 elements, got shape {list(size.shape)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise ValueError(f"input boxes must be 3-dimensional [batch, num_boxes, coords], got {list(boxes.shape)}")
    rows, columns = int(size[0]), int(size[1])
    if rows <= 0 or columns <= 0:
        raise ValueError(f"image height and width must be positive, got {rows} and {columns}")
    if boxes.size and not ((boxes >= 0) & (boxes <= 1)).all():
        raise ValueError("All bounding box coordinates must be in [0.0, 1.0]")
    ends = np.array([rows, columns, rows, columns], _SINGLE)
    bounding = [Box(*np.trunc(box * ends).astype(int).tolist()) for box in boxes.reshape(-1, 4)]
    whole = Box(0, 0, rows, columns)
    if not bounding:
        if not wanted.whole:
            raise ValueError(
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to "
                "not provide any bounding boxes."
            )
        bounding = [whole]
    drawn, crop = words(), None
    low, high = map(_SINGLE, wanted.ratios)
    for _ in range(wanted.attempts):
        ratio = drawn.share() * (high - low) + low
        crop = _cut(rows, columns, wanted.areas, ratio, drawn)
        if crop is not None and _shows(crop, bounding, least):
            break
        crop = None
    box = crop or whole
    begin = np.array([box.top, box.left, 0], size.dtype)
    sides = np.array([box.bottom - box.top, box.right - box.left, -1]).astype(size.dtype)
    return begin, sides, (np.array(box, _SINGLE) / ends).reshape(1, 1, 4)


def _infer(s: Shapes, first: int = 0) -> list[Dims]:
    """The shapes of what is given; the size of the image is input `first`."""
    size, boxes = s.dims[first : first + 2]
    if size is not None and (len(size) != 1 or size[0] not in (3, None)):
        raise ValueError(f"image_size must contain 3 elements, got shape {size}")
    if boxes is not None and (len(boxes) != 3 or boxes[2] not in (4, None)):
        raise ValueError(f"bounding_boxes must be [batch, n, 4], got shape {boxes}")
    return [(3,), (3,), (1, 1, 4)]


RATIOS, AREAS, ATTEMPTS = (0.75, 1.33), (0.05, 1.0), 100


@op(
    "SampleDistortedBoundingBoxV2",
    "state:resource, image_size:T, bounding_boxes:float32, min_object_covered:float32 -> T, T, float32",
    types=_TYPES,
    infer=lambda s: _infer(s, 1),
    effect=Effect.RANDOM,
    vjp=no_gradient,
)
def _sample(
    xp,
    state,
    image_size,
    bounding_boxes,
    min_object_covered,
    *,
    seed=0,
    seed2=0,
    aspect_ratio_range: Any = RATIOS,
    area_range: Any = AREAS,
    max_attempts=ATTEMPTS,
    use_image_if_no_bounding_boxes=False,
):
    """A box that shows enough of given ones: where it begins, its size, and its corners as shares."""
    wanted = BoxRequirements(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return _sampled(
        image_size, bounding_boxes, min_object_covered, wanted, lambda: _BlockWords(*state.reserve(max_attempts))
    )


@op(
    "StatelessSampleDistortedBoundingBox",
    "image_size:T, bounding_boxes:float32, min_object_covered:float32, seed:Seed -> T, T, float32",
    types={"T": _TYPES, "Seed": INDEX},
    ranks=SEED,
    infer=_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def _stateless_sample(
    xp,
    image_size,
    bounding_boxes,
    min_object_covered,
    seed,
    *,
    aspect_ratio_range: Any = RATIOS,
    area_range: Any = AREAS,
    max_attempts=ATTEMPTS,
    use_image_if_no_bounding_boxes=False,
):
    """A box that shows enough of given ones, a function of the seed."""
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {list(np.shape(seed))}")
    wanted = BoxRequirements(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    key, high = philox.scrambled(np, np.asarray(seed))
    return _sampled(image_size, bounding_boxes, min_object_covered, wanted, lambda: _BlockWords(key, high, 0))


def _said(ratios: Any, areas: Any, attempts: Any, whole: Any) -> dict[str, Any]:
    return {
        "aspect_ratio_range": RATIOS if ratios is None else tuple(map(float, ratios)),
        "area_range": AREAS if areas is None else tuple(map(float, areas)),
        "max_attempts": ATTEMPTS if attempts is None else attempts,
        "use_image_if_no_bounding_boxes": bool(whole),
    }


@export("image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """A box of an image that shows enough of one of given ones: equal seeds give equal boxes.

    Args:
      image_size: rows, columns and channels.
      bounding_boxes: [batch, n, 4], rows of top, left, bottom, right as shares of the sides.
      seed: two integers.
      min_object_covered: the share of one of the boxes that is seen.
      aspect_ratio_range: the least and the greatest width over height; 0.75 and 1.33 if None.
      area_range: the least and the greatest share of the image; 0.05 and 1 if None.
      max_attempts: after how many attempts it is the whole image; 100 if None.
      use_image_if_no_bounding_boxes: whether no boxes stand for the whole image.
      name: the node's name.

    Returns:
      `(begin, size, box)`: the first two for `tf.slice`, the box as shares, [1, 1, 4].
    """
    attrs = _said(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return _stateless_sample(image_size, bounding_boxes, min_object_covered, seed, name=name, **attrs)


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A box of an image, drawn at random, that shows enough of one of given ones.

    Args:
      image_size: rows, columns and channels.
      bounding_boxes: [batch, n, 4], rows of top, left, bottom, right as shares of the sides.
      seed: the op's seed; 0 or None: none.
      min_object_covered: the share of one of the boxes that is seen.
      aspect_ratio_range: the least and the greatest width over height; 0.75 and 1.33 if None.
      area_range: the least and the greatest share of the image; 0.05 and 1 if None.
      max_attempts: after how many attempts it is the whole image; 100 if None.
      use_image_if_no_bounding_boxes: whether no boxes stand for the whole image.
      name: the node's name.

    Returns:
      `(begin, size, box)`: the first two for `tf.slice`, the box as shares, [1, 1, 4].
    """
    size = convert_to_tensor(image_size)
    state, drawn = state_of_draw("SampleDistortedBoundingBoxV2", seed or None, (size, bounding_boxes), size.dtype.name)
    attrs = _said(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return _sample(state, size, bounding_boxes, min_object_covered, name=name, **drawn, **attrs)


sample_distorted_bounding_box_v1: Any = export("compat.v1.image.sample_distorted_bounding_box")(
    another_form(
        sample_distorted_bounding_box,
        "image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1, aspect_ratio_range=None, "
        "area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None, name=None",
        "sample_distorted_bounding_box",
        seed2=None,
    )
)
