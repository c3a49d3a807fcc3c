"""Questions that docs/architecture.md answers by the name of a module, and that the module's own text confirms."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.sources import ARCHITECTURE, PACKAGE

# question -> (words of the page's answer, the module that it names, what the module's docstring says)
QUESTIONS = {
    "Where is it decided whether a call adds a node or runs a kernel?": (
        "adds a node or runs a kernel", "core/eager/emit.py", "adds a node or runs the kernel",
    ),
    "Which ways to run a plan are there?": (
        "the lowering that runs a plan", "engine/run/registry.py", "every other way to run a plan",
    ),
    "What happens when a fast path fails?": ("a failing fast path", "base/interpreter/fallbacks.py", "took over"),
    "Which module says where a name is public?": ("public names", "base/export.py", "Where a name is public"),
    "Where are common subexpressions merged and constants folded?": (
        "merging and folding", "engine/plan/rewrite.py", "merge equal pure nodes, fold constant ones",
    ),
    "Where is it decided on which device a step runs?": (
        "the device of a step", "engine/plan/placement.py", "where each step of a plan runs",
    ),
    "What is a plan's meaning?": ("the meaning of a plan", "engine/run/reference.py", "is the meaning of a plan"),
    "What happens when a step blocks?": (
        "a blocking step", "engine/run/scheduling/work_stealing.py", "when a step blocks",
    ),
    "Where is it decided which executor runs a host function?": (
        "the executor of a host function", "host/executors/selection.py", "The executor of a call",
    ),
    "Who may read from a worker process?": (
        "a worker process", "host/executors/processes/ownership.py", "The ownership of a worker process",
    ),
    "What may a function capture that another process runs?": (
        "may capture", "host/bodies/pickling.py", "have no meaning in another process",
    ),
    "Where is it decided which saved functions may run?": (
        "saved functions that may run", "host/bodies/trust.py", "the saved functions that may run",
    ),
    "Which rule differentiates an op?": (
        "the gradient rule of an op", "engine/autodiff/rules.py", "The gradient rule of an op application",
    ),
    "What happens to a variable's value that somebody has read?": (
        "variable's value is copied", "core/state.py", "is replaced, never written into",
    ),
    "What happens to locks in a forked child?": (
        "locks in a forked child", "base/interpreter/forking.py", "all locks made here are free again",
    ),
}  # fmt: skip


def answers() -> dict[str, str]:
    """Module -> the row of "Where decisions are made" that names it."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    section = text.partition("## Where decisions are made\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return {module: row for row in rows for module in re.findall(r"`([\w/]+\.py)`", row)}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_page_names_the_module_and_the_module_says_so(question: str) -> None:
    words, module, said = QUESTIONS[question]
    assert words in answers()[module]
    doc = ast.get_docstring(ast.parse((PACKAGE / "_src" / module).read_text(encoding="utf-8")))
    assert doc is not None and said in " ".join(doc.split())


def test_every_module_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(\w+(?:/\w+)+\.py)`", ARCHITECTURE.read_text(encoding="utf-8"))
    assert len(named) > 30
    assert [n for n in named if not n.startswith("tests/") and not (PACKAGE / "_src" / n).is_file()] == []


def test_every_module_that_the_glossary_names_is_there() -> None:
    named = re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", (ARCHITECTURE.parent / "glossary.md").read_text(encoding="utf-8"))
    assert len(named) > 40
    assert [n for n in named if not (PACKAGE / "_src" / n).exists()] == []


def test_no_cell_of_the_table_has_more_than_thirty_words() -> None:
    rows = [line for line in ARCHITECTURE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(rows) > 10
    assert [cell for row in rows for cell in row.strip("|").split("|") if len(cell.split()) > 30] == []
