"""The notebooks run, each in a process of its own, and show what their files hold."""

from __future__ import annotations

import ast
import base64
import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from scripts.notebooks import NOTEBOOKS, Outcome, code_cells, differences, page, run, same, stored, write

FILES = sorted(NOTEBOOKS.glob("*.ipynb"))
PAGE = NOTEBOOKS.parent / "start" / "notebooks.md"
PACKAGES = {"augmentation": ("PIL", "scipy"), "simulator_gradients": ("scipy",)}


@pytest.mark.parametrize("notebook", FILES, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_file_holds(notebook: Path) -> None:
    if absent := [name for name in PACKAGES.get(notebook.stem, ()) if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{notebook.name} needs {', '.join(absent)}")
    assert "\n".join(differences(notebook, run(notebook))) == ""


def test_there_are_five_and_a_page_describes_each() -> None:
    assert len(FILES) == 5
    text = PAGE.read_text(encoding="utf-8")
    assert [file.name for file in FILES if f"(../notebooks/{file.name})" not in text] == []


@pytest.mark.parametrize("notebook", FILES, ids=lambda path: path.stem)
def test_notebooks_use_public_names_and_have_outputs(notebook: Path) -> None:
    cells = code_cells(notebook)
    for cell in cells:
        ast.parse(cell)
    assert "inlay._src" not in "".join(cells)
    assert sum(bool(outcome.printed or outcome.value) for outcome in stored(notebook)) >= len(cells) / 2


@pytest.mark.parametrize("notebook", FILES, ids=lambda path: path.stem)
def test_files_have_the_form_of_jupyter(notebook: Path) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    identifiers = [cell["id"] for cell in content["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    assert content["cells"][0]["source"][0].startswith("# ")


# The runner itself.


def notebook_of(folder: Path, *sources: str) -> Path:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": None, "id": str(i), "metadata": {}, "outputs": [], "source": [text]}
        for i, text in enumerate(sources)
    ]
    path = folder / "some.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_outputs_are_written_and_read_again(tmp_path: Path) -> None:
    notebook = notebook_of(tmp_path, "print('a')\n1 + 1", "x = object()\nx", "x = 3", "{}['gone']")
    outcomes = run(notebook)
    assert [o.error for o in outcomes] == [None, None, None, "KeyError: 'gone'"]
    assert [(o.printed, o.value) for o in outcomes[:3]] == [("a\n", "2"), ("", "<object object>"), ("", "")]
    write(notebook, outcomes[:3] + [Outcome(None, "")])
    assert stored(notebook)[:3] == outcomes[:3]
    assert differences(notebook, outcomes) == ["some.ipynb, cell 4 fails: KeyError: 'gone'"]


def test_a_different_output_is_shown(tmp_path: Path) -> None:
    notebook = notebook_of(tmp_path, "6 * 7")
    write(notebook, [Outcome(None, "", "43")])
    (line,) = differences(notebook, run(notebook))
    assert "the file holds\n43\nand the cell shows\n42" in line


def test_a_warning_is_an_error(tmp_path: Path) -> None:
    (outcome,) = run(notebook_of(tmp_path, "import warnings\nwarnings.warn('careful')"))
    assert outcome.error == "UserWarning: careful"


def test_a_process_that_ends_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended in cell 2"):
        run(notebook_of(tmp_path, "import os", "os._exit(3)"))


def test_pictures_are_compared_by_their_pixels() -> None:
    def picture(array: Any) -> Outcome:
        png = io.BytesIO()
        Image.fromarray(array).save(png, "png")
        return Outcome(None, "", "", base64.b64encode(png.getvalue()).decode())

    grey = np.full((8, 8, 3), 100, np.uint8)
    assert same(picture(grey), picture(grey + np.uint8(1)))
    assert not same(picture(grey), picture(grey + np.uint8(50)))
    assert not same(picture(grey), picture(grey[:4]))
    assert not same(picture(grey), Outcome(None, ""))


def test_a_notebook_is_a_page_of_the_site(tmp_path: Path) -> None:
    notebook = notebook_of(tmp_path, "print('a')\n1 + 1")
    write(notebook, run(notebook))
    assert page(notebook) == "```python\nprint('a')\n1 + 1\n```\n\nOutput:\n\n```text\na\n2\n```\n"
