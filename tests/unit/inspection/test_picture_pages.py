"""The page of a picture in a real browser: it draws, folds, searches, follows tensors, and runs no text of a model."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.inspection.pictures.page import as_data, embedded, page
from inlay._src.inspection.pictures.scene import Picture
from scripts import program_pictures
from scripts.browser import Browser, browser, opened
from tests.unit.inspection.test_static_pictures import HOSTILE, hostile_graph

v1 = tf.compat.v1
READY = "document.body && document.body.dataset.ready === 'true'"
SECONDS = 30.0
"""A bound far above the time that a page takes to open, for machines that do much else."""


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    chromium = browser()
    if chromium is None:
        pytest.skip("there is no Chromium on the path")
    with opened(chromium) as made:
        made.show(1300, 900)
        yield made


def show(tab: Browser, folder: Path, text: str) -> None:
    """Opens a page, which must draw without complaints and without asking for anything else."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    tab.open(file)
    tab.wait(READY)
    assert tab.messages == []
    assert tab.requests == [file.resolve().as_uri()]


def labels(tab: Browser, selector: str) -> list[str]:
    """The labels of the boxes of a CSS selector."""
    labels: list[str] = tab.value(f"[...document.querySelectorAll('{selector} .label')].map(e => e.textContent)")
    return labels


def panel(tab: Browser) -> str:
    text: str = tab.value("document.querySelector('#panel').innerText")
    return text


def scoped() -> tf.Graph:
    """Two chains, one of them in a scope."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        y = v1.placeholder(tf.float32, name="y")
        with tf.name_scope("scope"):
            grown = tf.exp(tf.sqrt(x, name="root"), name="grown")
        tf.negative(grown, name="end")
        tf.sin(y, name="wave")
    return graph


def test_a_page_folds_and_unfolds_scopes(tab: Browser, tmp_path: Path) -> None:
    scoped().to_html(tmp_path / "scoped.html")
    show(tab, tmp_path, (tmp_path / "scoped.html").read_text(encoding="utf-8"))
    assert sorted(labels(tab, ".box")) == ["end", "grown", "root", "wave", "x", "y"]
    assert labels(tab, ".container") == ["scope"]
    tab.click(".container .toggle")
    tab.wait("document.body.dataset.drawn === '2'")
    assert sorted(labels(tab, ".box")) == ["end", "scope", "wave", "x", "y"] and labels(tab, ".container") == []
    tab.click(".box.folded .toggle")
    tab.wait("document.body.dataset.drawn === '3'")
    assert labels(tab, ".container") == ["scope"]
    tab.click("#fold")
    tab.wait("document.body.dataset.drawn === '4'")
    assert labels(tab, ".box.folded") == ["scope"]


def test_a_click_shows_the_way_of_a_tensor(tab: Browser, tmp_path: Path) -> None:
    scoped().to_html(tmp_path / "scoped.html")
    show(tab, tmp_path, (tmp_path / "scoped.html").read_text(encoding="utf-8"))
    index = tab.value("[...document.querySelectorAll('.box')].find(e => e.textContent.includes('root')).dataset.item")
    tab.click(f".box[data-item='{index}']")
    assert sorted(labels(tab, ".box.up")) == ["root", "x"]
    assert sorted(labels(tab, ".box.down")) == ["end", "grown", "root"]
    assert "takes from" in panel(tab).lower() and "scope/root" in panel(tab)
    tab.click("svg .hit")
    assert "value" in panel(tab).splitlines()[0]
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    assert labels(tab, ".box.on") == []


def test_a_search_finds_nodes_in_folded_scopes(tab: Browser, tmp_path: Path) -> None:
    scoped().to_html(tmp_path / "scoped.html")
    show(tab, tmp_path, (tmp_path / "scoped.html").read_text(encoding="utf-8"))
    tab.click("#fold")
    tab.wait("document.body.dataset.drawn === '2'")
    tab.click("#search")
    tab.type("GROWN")
    assert panel(tab).splitlines()[0] == "1 found"
    tab.click("#panel li button")
    tab.wait("document.querySelector('.box.selected')")
    assert labels(tab, ".box.selected") == ["grown"]


def test_a_graph_of_10_000_nodes_opens_and_searches(tab: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        h = v1.placeholder(tf.float32, name="x")
        for block in range(20):
            with tf.name_scope(f"block_{block}"):
                for layer in range(50):
                    with tf.name_scope(f"layer_{layer}"):
                        for _ in range(10):
                            h = tf.sqrt(h)
    assert len(graph.nodes) == 10_001
    graph.to_html(tmp_path / "large.html")
    began = time.monotonic()
    show(tab, tmp_path, (tmp_path / "large.html").read_text(encoding="utf-8"))
    tab.click("#search")
    tab.type("block_7/layer_33/Sqrt_9")
    assert panel(tab).splitlines()[0] == "1 found"
    assert time.monotonic() - began < SECONDS
    assert len(labels(tab, ".box")) < 60


def test_a_dense_graph_opens(tab: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tensors = [v1.placeholder(tf.float32, [4], name="x")]
        for _ in range(90):
            tensors.append(tf.add_n(list(tensors)))
    graph.to_html(tmp_path / "dense.html")
    show(tab, tmp_path, (tmp_path / "dense.html").read_text(encoding="utf-8"))
    assert tab.value("document.querySelectorAll('.wire').length") == 91 * 90 // 2


def test_markup_in_names_is_text(tab: Browser, tmp_path: Path) -> None:
    picture = Picture(HOSTILE)
    scope = picture.add(HOSTILE, "program")
    first = picture.add(HOSTILE, "host", scope, HOSTILE, HOSTILE, HOSTILE)
    picture.items[first].say(HOSTILE, HOSTILE)
    picture.items[first].decide("placed", HOSTILE)
    picture.items[first].source = "</script><script>window.hit=1</script>"
    picture.wire(first, picture.add("next", "op", scope), HOSTILE)
    show(tab, tmp_path, page(picture.finished()))
    tab.click(".box.host")
    assert "<script>window.hit=1</script>" in panel(tab) and "\\x1b[31m\\u202eevil\\u2066" in panel(tab)
    assert tab.value("document.title").startswith("<script>window.hit=1</script>")
    assert tab.value("document.querySelectorAll('script').length") == 3
    assert tab.value("document.querySelectorAll('img, iframe, object, embed, link').length") == 0
    assert tab.value("typeof window.hit") == "undefined"


def test_the_names_and_sources_of_a_graph_run_nothing(tab: Browser, tmp_path: Path) -> None:
    graph = hostile_graph()
    graph.to_html(tmp_path / "graph.html")
    show(tab, tmp_path, (tmp_path / "graph.html").read_text(encoding="utf-8"))
    tab.click(".box.host")
    assert "# </script><script>window.hit=1</script>" in panel(tab)
    assert tab.value("typeof window.hit") == "undefined"


def test_a_page_runs_no_script_of_others_and_loads_nothing(tab: Browser, tmp_path: Path) -> None:
    show(tab, tmp_path, page(Picture("empty")))
    blocked = tab.value(
        "new Promise(done => { document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));"
        " const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i); })"
    )
    assert blocked == "img-src"
    tab.value(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1';"
        " document.body.append(s); })()"
    )
    assert tab.value("typeof window.hit") == "undefined"


def test_the_page_holds_no_address_but_names_of_namespaces() -> None:
    text = page(Picture("empty"))
    assert not re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=|<link|@import|url\(", text.replace("javascript", ""))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'sha256-[^']+'; base-uri 'none'; "
        r"form-action 'none'",
        policy[1],
    )


def test_embedded_data_has_no_character_that_html_reads() -> None:
    assert embedded({"a": "</script><!--&\u2028é"}) == '{"a":"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u00e9"}'


def test_data_of_a_page_has_times_and_open_containers() -> None:
    picture = Picture("times")
    scope = picture.add("scope", "scope")
    picture.add("a", "op", scope, "a")
    data = as_data(picture, {"a": 3})
    assert [row[-1] for row in data["items"]] == [3.0, 3.0] and data["opened"] == [scope]


@pytest.mark.parametrize("name", program_pictures.SHOTS)
def test_the_pictures_of_the_documents_are_drawn(name: str, tab: Browser, tmp_path: Path) -> None:
    shot: Any = program_pictures.SHOTS[name]()
    data = program_pictures.take(tab, shot)
    assert data.startswith(b"\x89PNG") and len(data) < 60_000
    assert tab.messages == [] and len(tab.requests) == 1
    assert (program_pictures.FOLDER / f"{name}.png").is_file()
    if shot.click:
        assert tab.value("document.querySelectorAll('.box.selected, .container.selected').length") == 1
