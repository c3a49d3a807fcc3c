"""Arbitrary Python in a pipeline: image files found by a pattern, decoded, and turned by SciPy at random angles.

    python examples/rotated_images.py [--out FOLDER]

The section "Applying arbitrary Python logic" of TensorFlow's guide "tf.data: Build TensorFlow input pipelines". The
files are made here, in a folder per class, of photographs that scikit-image ships. What was turned is drawn, and the
exit status is 0 only if all is right. Needs `inlay[demo]`.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import scipy.ndimage as ndimage
from checking import check, status
from PIL import Image
from saving import arguments, save

import inlay as tf

PHOTOGRAPHS = {"animal": "chelsea.png", "drink": "coffee.png", "person": "astronaut.png"}
PER_CLASS, SIZE = 4, 128
ANGLES = np.random.default_rng(4)


def write_files(root: Path) -> list[str]:
    """Parts of each photograph as JPEG files, in a folder that is named after what they show; their names, in order."""
    parts = np.random.default_rng(1)
    for name, file in PHOTOGRAPHS.items():
        (root / name).mkdir()
        with Image.open(str(files("skimage.data").joinpath(file))) as photograph:
            for number in range(PER_CLASS):
                left, top, width, height = parts.integers([0, 0, 150, 150], [100, 100, 200, 200])
                part = photograph.convert("RGB").crop((left, top, left + width, top + height))
                part.save(root / name / f"{number}.jpg", quality=95)
    return sorted(str(path) for path in root.glob("*/*"))


# Reads an image from a file, decodes it into a dense tensor, and resizes it to a fixed shape.
def parse_image(filename: Any) -> Any:
    parts = tf.strings.split(filename, "/")
    label = parts[-2]

    image = tf.io.read_file(filename)
    image = tf.io.decode_jpeg(image)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize(image, [SIZE, SIZE])
    return image, label


# The decorator, as the guide has it since 2023: an eager tensor is handed straight to SciPy, which returns an array.
@tf.py_function(Tout=tf.float32)
def random_rotate_image(image: Any) -> Any:
    return ndimage.rotate(image, ANGLES.uniform(-30, 30), reshape=False)


def tf_random_rotate_image(image: Any, label: Any) -> Any:
    im_shape = image.shape
    image = random_rotate_image(image)
    image.set_shape(im_shape)
    return image, label


# The form of TensorFlow 2.0: a list of types, and a list of one result.
def random_rotate_array(image: Any) -> Any:
    return ndimage.rotate(image.numpy(), ANGLES.uniform(-30, 30), reshape=False)


def tf_random_rotate_array(image: Any, label: Any) -> Any:
    im_shape = image.shape
    [image,] = tf.py_function(random_rotate_array, [image], [tf.float32])  # fmt: skip
    image.set_shape(im_shape)
    return image, label


def draw(figure: Any, pictures: list[Any]) -> None:
    """The pictures side by side, each with its label."""
    for place, (image, label) in zip(figure.subplots(2, len(pictures) // 2).flat, pictures, strict=True):
        place.imshow(np.clip(image, 0, 1))  # a spline overshoots
        place.set_title(label.numpy().decode("utf-8"))
        place.axis("off")


def show_files(root: Path) -> Any:
    print("image files")
    paths = write_files(root)
    list_ds = tf.data.Dataset.list_files(str(root / "*/*"))
    check(f"{len(paths)} files are found", sorted(f.numpy().decode() for f in list_ds) == paths)

    list_ds = tf.data.Dataset.list_files(str(root / "*/*"), shuffle=False)
    image, label = parse_image(next(iter(list_ds)))
    with Image.open(paths[0]) as file:
        pixels = np.asarray(file)
    check("eagerly: the folder is the label", label.numpy().decode() == Path(paths[0]).parent.name)
    check(f"eagerly: {pixels.shape} became {image.shape}", image.shape == [SIZE, SIZE, 3])
    check("its brightness is the file's", abs(float(tf.reduce_mean(image)) - pixels.mean() / 255) < 0.01)

    images_ds = list_ds.map(parse_image)
    for mapped, name in images_ds.take(1):
        check("in the map it is the same", np.array_equal(mapped, image) and name == label)
    # A JPEG file is grey or colored, so no one knows the channels before it is read.
    check(f"what is known: {images_ds.element_spec[0].shape}", images_ds.element_spec[0].shape[:2] == [SIZE, SIZE])
    return images_ds


def show_rotation(images_ds: Any) -> list[Any]:
    """Both forms of the function, eagerly and in a map; the pictures that were turned."""
    print("turned by SciPy")
    image, _ = next(iter(images_ds))
    turned = random_rotate_image(image)
    check("called eagerly, the function turns an image", turned.shape == image.shape and not np.allclose(turned, image))

    unknown = images_ds.map(lambda image, label: (random_rotate_image(image), label))
    check("what Python returns has no known shape", unknown.element_spec[0].shape.rank is None)
    turned_again = []
    for form in (tf_random_rotate_image, tf_random_rotate_array):
        rot_ds = images_ds.map(form)
        same = rot_ds.element_spec == images_ds.element_spec
        check(f"{form.__name__}: set_shape gave back what was known", same)
        before, after = (list(ds.as_numpy_iterator()) for ds in (images_ds, rot_ds))
        pairs = list(zip(before, after, strict=True))
        check("every label stays with its image", all(b[1] == a[1] for b, a in pairs))
        check("every image is another, and finite", all(np.abs(b[0] - a[0]).max() > 0.1 for b, a in pairs))
        batches = [(images.shape, len(labels)) for images, labels in rot_ds.batch(5)]
        check("batches", batches == [((5, SIZE, SIZE, 3), 5), ((5, SIZE, SIZE, 3), 5), ((2, SIZE, SIZE, 3), 2)])
        turned_again.extend(rot_ds.shard(PER_CLASS, 0))  # one of each class
    return turned_again


def main() -> int:
    options = arguments(__doc__)
    with tempfile.TemporaryDirectory() as name:
        pictures = show_rotation(show_files(Path(name)))
    brightness = [float(tf.reduce_mean(image)) for image, _ in pictures]
    columns = {"label": [label.numpy().decode() for _, label in pictures], "brightness": brightness}
    save(options.out, "rotated_images", columns, lambda figure: draw(figure, pictures))
    return status()


if __name__ == "__main__":
    sys.exit(main())
