"""The pictures of the documents are readable on light and on dark pages, and a page shows and describes each.

That they are what their scripts draw is looked at in test_generated.py.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from scripts import pictures
from scripts.pictures import benchmark_charts, canvas, charts, pipeline, record_pipeline, traceback
from tests.docs.test_links import PAGES

SVG = "{http://www.w3.org/2000/svg}"
SCREENSHOTS = pictures.FOLDER / "site"  # scripts/site_pictures.py takes them
FILES = sorted(path for path in pictures.FOLDER.rglob("*.*") if path.parent != SCREENSHOTS)
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)|<img [^>]*src=\"([^\"]+)\"[^>]*alt=\"([^\"]*)\"")


def shown() -> dict[Path, list[str]]:
    """Of each picture that a page shows the texts in its place."""
    found: dict[Path, list[str]] = {}
    for page in PAGES:
        for text, path, other, words in _IMAGE.findall(page.read_text(encoding="utf-8")):
            found.setdefault((page.parent / (path or other)).resolve(), []).append(text or words)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(pictures.FOLDER)))
def test_a_picture_stands_on_a_page_with_a_text_in_its_place(path: Path) -> None:
    if path.name == "logo.svg":
        pytest.skip("the site's own")
    assert all(len(text.split()) > 3 for text in shown()[path])
    assert path.stat().st_size < 60_000


@pytest.mark.parametrize("name", sorted(pictures.DRAWINGS))
def test_a_drawing_is_described_and_its_text_stays_inside(name: str) -> None:
    drawing = pictures.DRAWINGS[name]()
    root = ElementTree.fromstring(drawing.svg())
    assert len(root.attrib["aria-label"].split()) > 20 and root.findtext(f"{SVG}title")
    for text in root.iter(f"{SVG}text"):
        words = "".join(text.itertext())
        width = canvas.text_width(words, float(text.attrib["font-size"]), mono="mono" in text.attrib["class"])
        begin = float(text.attrib["x"]) - width * {"end": 1.0, "middle": 0.5}.get(text.attrib.get("text-anchor", ""), 0)
        assert 0 <= begin and begin + width <= drawing.width, words
        assert 0 <= float(text.attrib["y"]) <= drawing.height, words


def luminance(color: str) -> float:
    """As WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [canvas.LIGHT, canvas.DARK])
@pytest.mark.parametrize("name", sorted(set(canvas.TONES) - {"grid"}))
def test_text_of_each_tone_has_contrast(name: str, theme: int) -> None:
    tone, paper = canvas.TONES[name], canvas.TONES["ink"].soft[theme]
    assert contrast(tone.strong[theme], paper) >= 4.5
    assert contrast(tone.strong[theme], tone.soft[theme]) >= 4.5


def test_both_themes_are_in_one_file() -> None:
    drawing = canvas.Canvas(10, 10, "a <b>", 'c "d"')
    text = drawing.svg()
    assert text.count(canvas.TONES["blue"].strong[canvas.LIGHT]) and "prefers-color-scheme: dark" in text
    assert canvas.TONES["blue"].strong[canvas.DARK] not in drawing.svg(canvas.LIGHT)
    root = ElementTree.fromstring(text)
    assert root.findtext(f"{SVG}title") == "a <b>" and root.attrib["aria-label"] == 'c "d"'


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.5e-6, "4.5 µs"), (1e-5, "10 µs"), (3e-8, "30 ns")]
)
def test_times_have_three_figures_and_a_unit(value: float, text: str) -> None:
    assert charts.seconds(value) == text


# The data that pictures are drawn from.


def test_a_chart_takes_the_newest_full_entry_with_every_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry(run: str, *peers: str, quick: bool = False) -> dict[str, object]:
        return {"kind": "row", "row": "a", "run": run, "quick": quick, "seconds": dict.fromkeys(("inlay", *peers), {})}

    entries = [entry("1", "jax", "dask"), entry("2", "jax"), entry("3"), entry("4", "jax", "dask", quick=True)]
    monkeypatch.setattr(benchmark_charts.ledger, "read", lambda: entries)
    benchmark_charts._ledger.cache_clear()
    try:
        assert benchmark_charts.newest("row", "row", "a")["run"] == "3"
        assert benchmark_charts.newest("row", "row", "a", ("jax",))["run"] == "2"
        assert benchmark_charts.newest("row", "row", "a", ("jax", "dask"))["run"] == "1"
        with pytest.raises(LookupError, match="no row with row='a' and torch"):
            benchmark_charts.newest("row", "row", "a", ("torch",))
    finally:
        benchmark_charts._ledger.cache_clear()


def test_the_recorded_pipeline_is_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pipeline, "SECONDS", dict.fromkeys(record_pipeline.SECONDS, 0.0))
    recorded = json.loads(record_pipeline.RECORD.read_text(encoding="utf-8"))
    for name, overlapped in (("sequential", False), ("overlapped", True)):
        run = record_pipeline.timeline(overlapped)
        assert list(run["stages"]) == list(recorded[name]["stages"])
        assert sorted(span[:2] for span in run["spans"]) == sorted(span[:2] for span in recorded[name]["spans"])


def test_calls_that_overlap_stand_in_different_lanes() -> None:
    spans = [["read", 0, 0.0, 2.0], ["read", 1, 1.0, 3.0], ["read", 2, 2.0, 4.0]]
    assert [[number for _, number, *_ in lane] for lane in pipeline._lanes(spans)] == [[0, 2], [1]]


def test_an_annotated_traceback_has_a_line_for_each_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traceback, "printed", lambda: ("ValueError: alone",))
    with pytest.raises(ValueError, match="no line matches 'line 18'"):
        traceback.draw()
