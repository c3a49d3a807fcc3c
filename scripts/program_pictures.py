"""Takes the pictures of five programs, docs/pictures/programs: `python -m scripts.program_pictures`.

Each is a page as `to_html` writes it, in a headless Chromium, which must be on the path. Tests draw the same programs.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

import inlay as tf
from inlay._src.core.opdef import Role
from inlay._src.core.pictured import picture_of
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.partition import Task, parted
from inlay._src.inspection.pictures.graphs import of_graph
from inlay._src.inspection.pictures.page import page
from inlay._src.inspection.pictures.plans import of_parts
from inlay._src.inspection.pictures.scene import Picture
from scripts.browser import Browser, browser, opened

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures" / "programs"
COLORS = 255
v1 = tf.compat.v1


class Shot(NamedTuple):
    """A page and what is shown of it.

    Attributes:
      picture: the picture.
      times: the times of steps, or None.
      height: of the screenshot.
      click: the box whose way is shown, as a CSS selector; "" shows the whole.
      dark: whether its colors are dark.
    """

    picture: Picture
    times: Any = None
    height: int = 860
    click: str = ""
    dark: bool = False


def detector() -> Shot:
    """The detector of examples/detector.py, with the times of one run and the way of a host function."""
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        import detector as example
    finally:
        sys.path.pop(0)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        image = v1.placeholder(tf.float32, [1, example.SIZE, example.SIZE, 1], name="image")
        truth = v1.placeholder(tf.float32, [None, 5], name="truth")
        loss, _ = example.network(image, truth)
        session.run(v1.global_variables_initializer())
        shown, rows = example.picture()
        report = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        for _ in range(3):
            session.run(loss, {image: shown, truth: rows}, options=options, run_metadata=report)
        picture = of_graph(graph, session.plan(loss, (image, truth)))
    return Shot(picture, report.step_stats, 900, ".hosts button")


def loop() -> Shot:
    """A loop in a traced function: Newton's method, with a host function that logs."""

    def note(step: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Logs an approximation."""
        logged.append((int(step), float(x)))
        return x

    logged: list[tuple[int, float]] = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def root(a: Any) -> Any:
        x, step = a, tf.constant(0)
        while tf.abs(x * x - a) > 1e-4 * a:
            x = (x + a / x) / 2.0
            x = tf.ensure_shape(tf.numpy_function(note, [step, x], tf.float32), [])
            step += 1
        return x

    root(tf.constant(2.0))
    return Shot(picture_of(root), None, 860, ".box.host", dark=True)


def dataset() -> Shot:
    """A dataset whose map calls Python in worker processes."""

    def augmented(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """A mirrored picture with noise."""
        noise = np.random.default_rng(int(image.sum())).normal(0, 4, image.shape)
        return np.clip(image[:, ::-1] + noise, 0, 255).astype(np.float32)

    def prepared(image: Any, label: Any) -> Any:
        image = tf.numpy_function(augmented, [image], tf.float32, stateful=False)
        image.set_shape([32, 32, 3])
        return image / 255.0, tf.one_hot(label, 10)

    images, labels = np.zeros((64, 32, 32, 3), np.float32), np.zeros(64, np.int32)
    pictures = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(64, seed=1)
    made = pictures.map(prepared, num_parallel_calls=4, executor="processes").batch(16).prefetch(1)
    return Shot(picture_of(made))


def saved_model() -> Shot:
    """A saved model with two functions, one of which calls Python."""

    def clean(texts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Lengths of texts without spaces."""
        return np.array([len(text.replace(b" ", b"")) for text in texts.ravel()], np.float32)

    class Scorer(tf.Module):
        def __init__(self) -> None:
            super().__init__("scorer")
            self.weights = tf.Variable([0.5, 0.1], name="weights")

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def features(self, texts: Any) -> Any:
            lengths = tf.ensure_shape(tf.numpy_function(clean, [texts], tf.float32), [None])
            return tf.stack([tf.ones_like(lengths), tf.math.log1p(lengths)], axis=1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def score(self, features: Any) -> Any:
            return tf.sigmoid(tf.linalg.matvec(features, self.weights))

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Scorer(), folder)
        model = tf.saved_model.load(folder, trust=[__name__, *_digests(folder)])
        return Shot(picture_of(model), None, 820, ".box.host")


def _digests(folder: str) -> list[str]:
    """What allows the functions of a model that was just written here."""
    from inlay._src.saved.loading import Inspected

    return [f"sha256:{Inspected(folder).container.digest}"]


def _task_of(device: str, step: str) -> Task:
    named = dict(part.split(":", 1) for part in device.split("/") if ":" in part)
    return named.get("job", "worker"), int(named.get("task", 0))


def partition() -> Shot:
    """A plan over two workers and a parameter server, cut into the parts of the tasks."""
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            weights = v1.get_variable("weights", [8, 4], initializer=tf.zeros_initializer())
        batch = v1.placeholder(tf.float32, [None, 8], name="batch")
        losses = []
        for task in range(2):
            with tf.device(f"/job:worker/task:{task}"), tf.name_scope(f"tower_{task}"):
                scores = tf.matmul(tf.py_function(lambda x: x * 0.5, [batch], tf.TensorSpec([None, 8])), weights)
                losses.append(tf.reduce_mean(tf.square(scores - 1.0)))
        with tf.device("/job:ps/task:0"):
            loss = tf.add_n(losses, name="loss")
            update = weights.assign_sub(tf.fill([8, 4], loss) * 0.1)
    plan = build(graph, [loss, update.op], [batch])
    homes = {node.attrs["handle"]: node.device for node in graph.nodes if node.opdef.role is Role.VARIABLE}
    return Shot(of_parts(plan, parted(plan, _task_of, homes)), None, 900)


SHOTS: dict[str, Callable[[], Shot]] = {
    "detector": detector,
    "loop": loop,
    "dataset": dataset,
    "saved_model": saved_model,
    "partition": partition,
}


def take(tab: Browser, shot: Shot, width: int = 1280) -> bytes:
    """The screenshot of a page, as PNG with few colors."""
    for item in shot.picture.items:  # a picture of the documents names no folder of a machine
        item.facts = [(label, text.replace(f"{ROOT}/", "")) for label, text in item.facts]
        item.label = item.label.replace(f"{ROOT}/", "")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(page(shot.picture, shot.times), encoding="utf-8")
        tab.show(width, shot.height, shot.dark)
        tab.open(file)
        tab.wait("document.body && document.body.dataset.ready === 'true'")
        if shot.click:
            tab.click(shot.click)
        data = tab.picture()
    with Image.open(io.BytesIO(data)) as image:
        small = image.convert("RGB").quantize(COLORS, kmeans=3, dither=Image.Dither.NONE)
    target = io.BytesIO()
    small.save(target, "PNG", optimize=True)
    return target.getvalue()


def main() -> None:
    chromium = browser()
    if chromium is None:
        raise SystemExit("there is no Chromium on the path")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with opened(chromium) as tab:
        for name, make in SHOTS.items():
            data = take(tab, make())
            (FOLDER / f"{name}.png").write_bytes(data)
            print(f"wrote {FOLDER.relative_to(ROOT) / name}.png: {len(data) // 1024} KB")


if __name__ == "__main__":
    main()
