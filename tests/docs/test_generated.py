"""The generated pages in the checkout are what the sources give now: `make generate` writes them."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import inlay
from scripts import compatibility, namespaces, reference, update_generated


def test_generated_pages_are_up_to_date() -> None:
    old = [
        str(path.relative_to(update_generated.ROOT))
        for path, text in update_generated.wanted().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert old == [], "a name, a docstring or an op changed: run `make generate` and commit what it writes"
    assert update_generated.stale() == [], "pages of namespaces that are gone: run `make generate`"


def test_generated_files_are_marked_for_reviews() -> None:
    root = update_generated.ROOT
    if not (root / ".git").exists():
        pytest.skip("attributes are git's, and this is no checkout")
    # Only the last lists of these pages are generated: the rest is written by hand.
    by_hand = {"docs/deviations.md", "docs/execution.md"}
    generated = {str(path.relative_to(root)) for path in update_generated.wanted()} - by_hand
    tracked = subprocess.check_output(["git", "ls-files", "src", "docs", "scripts"], cwd=root, text=True).split("\n")[
        :-1
    ]
    attributes = subprocess.run(
        ["git", "check-attr", "--stdin", "linguist-generated"],
        input="\n".join(sorted({*tracked, *generated})), cwd=root, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    marked = {line.rsplit(": ", 2)[0] for line in attributes if line.endswith(": set")}
    assert marked == generated


def test_each_path_is_what_its_module_defines() -> None:
    other = [
        path
        for path, (home, _) in namespaces.exports().items()
        if functools.reduce(getattr, path.split("."), inlay) is not home.value
    ]
    assert other == [], "a decorator further out than `export` made something else of it"


def test_no_generated_page_tells_an_address_or_a_path_of_this_machine() -> None:
    for path, text in update_generated.wanted().items():
        assert " at 0x" not in text, path
        assert str(Path.home()) not in text, path
        assert str(update_generated.ROOT) not in text, path


def test_a_symbol_is_looked_up_through_namespaces_and_classes() -> None:
    root = SimpleNamespace(a=SimpleNamespace(b=str))
    assert compatibility.has(root, "a.b.join")
    assert not compatibility.has(root, "a.c")
    page = compatibility.render(
        root,
        {
            "group": [{"title": "G", "names": "a.b a.c"}],
            "deviation": {"a.b": "better", "a.c": "unseen"},
            "refused": {"k": "use j"},
            "absent": {"m": "use n"},
        },
    )
    assert "## G: 1 of 2" in page
    assert "| `a.b` | yes | better |" in page
    assert "| `a.c` | not yet |  |" in page
    assert "| `k` | use j |" in page and "| `m` | use n |" in page


def test_signatures_mark_keyword_only_arguments_and_hide_objects() -> None:
    some = object()

    def f(a, b=1, *, c, d=some, **rest):  # type: ignore[no-untyped-def]
        """F."""

    def g(*args, c=2):  # type: ignore[no-untyped-def]
        """G."""

    assert reference.signature(f) == "(a, b=1, *, c, d=..., **rest)"
    assert reference.signature(g) == "(*args, c=2)"
    assert reference.signature(int.__add__) == "(self, value, /)"


def test_a_name_is_described_at_home_and_listed_elsewhere() -> None:
    def f() -> None:
        """Does it."""

    first, second = ModuleType("inlay.first"), ModuleType("inlay.second")
    first.f = second.f = f  # type: ignore[attr-defined]
    homes: dict[int, str] = {}
    assert "### `tf.first.f()`" in reference.page("tf.first", first, homes)
    assert "- `tf.second.f` is `tf.first.f`" in reference.page("tf.second", second, homes)


def test_every_name_of_datasets_that_is_absent_is_refused_with_a_reason() -> None:
    page = (update_generated.ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 100 and not [row for row in rows if "not yet here" in row]
