"""A pipeline of scikit-image as a dataset: coins are found in crops of a photograph, as many boxes as there are coins.

    pip install 'inlay[demo]'
    python examples/coins.py [--crops 24] [--out FOLDER]

Each element is a crop, brightened and segmented by scikit-image in a `numpy_function`; that gives a picture, a mask and
boxes in a dict, whose shapes are declared and checked. The exit status is 0 only if the dataset has what scikit-image
finds without it, and all 24 coins of the photograph are found.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

with needs("inlay[demo]"):
    from scipy import ndimage
    from skimage import exposure, filters, io, measure, morphology, segmentation

SIZE = 128
KINDS = {"picture": tf.float32, "mask": tf.bool, "boxes": tf.int32}
SHAPES = {"picture": [None, None], "mask": [None, None], "boxes": [None, 4]}


def segmented(picture: Any) -> dict[str, Any]:
    """The picture with its contrast evened out, where coins are, and a row for each: top, left, bottom, right."""
    even = exposure.equalize_adapthist(picture, clip_limit=0.01).astype(np.float32)
    seeds = np.where(picture < 30, 1, 0) + np.where(picture > 150, 2, 0)  # surely ground, and surely coin
    coins = segmentation.watershed(filters.sobel(picture), seeds) == 2  # between them, the edges decide
    mask = morphology.opening(ndimage.binary_fill_holes(coins), morphology.disk(3))
    regions = [region.bbox for region in measure.regionprops(measure.label(mask)) if region.area > 300]
    return {"picture": even, "mask": mask, "boxes": np.array(regions, np.int32).reshape(-1, 4)}


def crops(photograph: Any, count: int) -> Any:
    """Crops at random places, segmented; whole batches of them, with the boxes as rows of a ragged tensor."""

    def crop(seed: Any) -> Any:
        room = tf.constant([size - SIZE for size in photograph.shape], tf.float32)
        corner = tf.cast(tf.random.stateless_uniform([2], [seed, seed]) * room, tf.int32)
        part = tf.slice(photograph, corner, [SIZE, SIZE])
        return {**tf.numpy_function(segmented, [part], KINDS, stateful=False, output_shapes=SHAPES), "raw": part}

    return tf.data.Dataset.range(count).map(crop, num_parallel_calls=tf.data.AUTOTUNE)


def main() -> int:
    options = arguments(__doc__, crops=24)
    photograph = io.imread(str(files("skimage.data").joinpath("coins.png")))
    whole = segmented(photograph)
    check(f"the photograph has {len(whole['boxes'])} coins", len(whole["boxes"]) == 24)

    data = crops(tf.constant(photograph), options.crops)
    print(f"  an element has { ({name: spec.shape.as_list() for name, spec in data.element_spec.items()}) }")
    elements = list(data.as_numpy_iterator())
    again = [segmented(element["raw"]) for element in elements]
    same = [np.array_equal(a[name], b[name]) for a, b in zip(elements, again, strict=True) for name in KINDS]
    check("every element is what scikit-image gives", all(same))
    counts = [len(element["boxes"]) for element in elements]
    check(f"the crops have {min(counts)} to {max(counts)} coins", len(set(counts)) > 1)

    rows = [batch["boxes"] for batch in data.ragged_batch(8)]
    check("batches keep their rows apart", [n for b in rows for n in b.row_lengths().numpy()] == counts)
    filled = data.map(lambda element: element["boxes"]).padded_batch(8, padding_values=-1)
    check("or fill them up", [int((b[:, :, 0] >= 0).sum()) for b in filled.as_numpy_iterator()] == [
        sum(counts[i : i + 8]) for i in range(0, len(counts), 8)
    ])  # fmt: skip

    def draw(figure: Any) -> None:
        for place, element in zip(figure.subplots(2, 4).flat, elements, strict=False):
            place.imshow(element["picture"], cmap="gray")
            for top, left, bottom, right in element["boxes"]:
                place.plot([left, right, right, left, left], [top, top, bottom, bottom, top], "c")
            place.axis("off")

    table = [(i, *box) for i, element in enumerate(elements) for box in element["boxes"]]
    heading = ("crop", "top", "left", "bottom", "right")
    save(options.out, "coins", {name: [row[i] for row in table] for i, name in enumerate(heading)}, draw)
    return status()


if __name__ == "__main__":
    sys.exit(main())
