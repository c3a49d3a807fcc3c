"""Measures how long the page of a graph of 10,000 nodes takes: `python -m scripts.time_pictures [--nodes N]`.

It prints the seconds of writing the page, and those in a headless Chromium until it is drawn, until a search has its
results, and until a node in a folded scope is drawn.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import inlay as tf
from scripts.browser import browser, opened

READY = "document.body && document.body.dataset.ready === 'true'"


def scoped(nodes: int) -> tf.Graph:
    """A graph of blocks of layers of ten nodes."""
    with tf.Graph().as_default() as graph:
        h = tf.compat.v1.placeholder(tf.float32, name="x")
        for layer in range(nodes // 10):
            with tf.name_scope(f"block_{layer // 50}/layer_{layer % 50}/"):
                for _ in range(5):
                    h = tf.sqrt(h) + h
    return graph


def flat(nodes: int) -> tf.Graph:
    """A graph without scopes."""
    with tf.Graph().as_default() as graph:
        h = before = tf.compat.v1.placeholder(tf.float32, name="x")
        for _ in range(nodes):
            h, before = tf.add(h, before), h
    return graph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=10_000)
    count = parser.parse_args().nodes
    chromium = browser()
    if chromium is None:
        raise SystemExit("there is no Chromium on the path")
    with tempfile.TemporaryDirectory() as folder, opened(chromium) as tab:
        tab.show(1300, 900)
        for name, graph in (("scoped", scoped(count)), ("flat", flat(count))):
            file = Path(folder, f"{name}.html")
            times = [time.monotonic()]
            graph.to_html(file)
            times.append(time.monotonic())
            tab.open(file)
            tab.wait(READY)
            times.append(time.monotonic())
            tab.click("#search")
            tab.type("_7")
            tab.wait("document.querySelector('#panel li')")
            times.append(time.monotonic())
            tab.click("#panel li:last-child button, #panel li button")
            tab.wait("document.querySelector('#view .selected')")
            times.append(time.monotonic())
            seconds = [f"{after - before:.2f}" for before, after in zip(times, times[1:], strict=False)]
            parts = ", ".join(
                f"{what} {value} s" for what, value in zip(("write", "open", "search", "go"), seconds, strict=True)
            )
            print(f"{name}, {len(graph.nodes):,} nodes, {file.stat().st_size / 1e6:.1f} MB: {parts}")


if __name__ == "__main__":
    main()
