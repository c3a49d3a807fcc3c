"""The generated pages in the checkout are what the sources give now: `make generate` writes them."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import inlay
from scripts import compatibility, deviations, namespaces, reference, update_generated
from scripts.docstrings import markdown, own_doc
from scripts.recorded_examples import examples


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
    by_hand = {"benchmarks/README.md"}
    by_hand |= {f"docs/{page}.md" for page in ("command_line", "deviations", "execution", "scale/performance")}
    generated = {str(path.relative_to(root)) for path in update_generated.wanted()} - by_hand
    tracked = subprocess.check_output(
        ["git", "ls-files", "src", "docs", "scripts", "benchmarks"], cwd=root, text=True
    ).split("\n")[:-1]
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


def test_a_name_is_described_once_and_listed_elsewhere() -> None:
    def f() -> None:
        """Does it."""

    first, second = ModuleType("inlay.first"), ModuleType("inlay.second")
    first.f = second.f = f  # type: ignore[attr-defined]
    names = reference.collected({"tf.first": first, "tf.second": second})
    page = reference.page("tf.first", first, names)
    assert "### `f`\n\n```py\ntf.first.f() -> None\n```\n\nDoes it.\n" in page
    assert "- `tf.second.f` is [`tf.first.f`](tf.first.md#f)" in reference.page("tf.second", second, names)


def test_a_name_is_described_where_its_module_says() -> None:
    def f() -> None:
        """Does it."""

    f.__module__, f.__qualname__ = "inlay.second", "f"
    assert reference.home(f, ["tf.f", "tf.second.f"]) == "tf.second.f"
    assert reference.home(f, ["tf.f", "tf.g"]) == "tf.f"


def test_a_description_has_the_signature_examples_and_differences() -> None:
    def f(a, *, some_long_name="a long default", another_long_name="another default", the_last_long_name=True, **rest):  # type: ignore[no-untyped-def]
        """Does it.

        Args:
          a: the `one`,
            [m, n].
          **rest: others < 3.

        Returns:
          A tensor.
        """

    f.__module__ = "inlay"
    names = reference.Names(examples={id(f): ["f(1)  # 2"]}, differences={"f": ["Otherwise."]})
    text = reference.entry("tf.f", f, names)
    assert "```py\ntf.f(\n    a,\n    *,\n    some_long_name='a long default',\n" in text
    assert "**Arguments**\n\n- `a`: the `one`, [m, n].\n- `**rest`: others &lt; 3.\n\n**Returns** A tensor.\n" in text
    assert "**Examples**\n\n```py\nf(1)  # 2\n```\n" in text
    assert "> [!NOTE]\n> **Differs from TensorFlow**\n>\n> - Otherwise.\n" in text


def test_deviations_name_what_exists() -> None:
    rows = list(deviations.rows())
    assert len(rows) > 150
    names = {name for row in rows for name in row[0]}
    assert {name for name in names if not compatibility.has(inlay, name)} == set()
    assert all(cell and not cell.endswith(".") for row in rows for cell in row[1:])


def test_most_functions_of_tensors_have_an_example() -> None:
    shown = examples(inlay)
    assert shown[id(inlay.range)][0].startswith("tf.range(")
    assert len(shown) > 500


def test_examples_of_docstrings_run() -> None:
    """The blocks of a docstring share a namespace, with `tf` and `np` in it."""
    ran = 0
    for path, (home, _) in namespaces.exports().items():
        scope = {"tf": inlay, "np": np}
        for block in re.findall(r"^```python\n(.*?)^```$", own_doc(home.value), re.M | re.S):
            exec(compile(block, f"the example of tf.{path}", "exec"), scope)
            ran += 1
    assert ran


def test_markdown_of_a_docstring_keeps_code_and_marks_what_is_no_markup() -> None:
    doc = "Adds *args of <kind>, `a*b`.\n\n```python\nx * y\n```\n\nRaises:\n  ValueError: never.\nAnd more."
    assert markdown(doc) == (
        "Adds \\*args of &lt;kind>, `a*b`.\n\n```py\nx * y\n```\n\n**Raises**\n\n- `ValueError`: never.\n\nAnd more."
    )


def test_every_name_of_datasets_that_is_absent_is_refused_with_a_reason() -> None:
    page = (update_generated.ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 100 and not [row for row in rows if "not yet here" in row]


def test_what_others_may_change_is_not_described() -> None:
    from absl import flags

    assert reference.signature(np.float64) == reference.signature(flags.UnrecognizedFlagError) == "(...)"
    assert own_doc(np.float64) == "NumPy's `float64`."
    assert "\n\n" in (flags.mark_flag_as_required.__doc__ or "") and "\n\n" not in own_doc(flags.mark_flag_as_required)
