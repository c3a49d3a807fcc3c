"""Errors in IPython and in pytest: cells by their labels, and debuggers that stand in the user's function."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

CELLS = """
import inlay as tf

def body(x):
    return {}["missing"]

tf.py_function(body, [1.0], tf.float32)
%debug
p ("frame", x)
q
"""
KERNEL = """
import inlay as tf
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.compile._filename_map["/tmp/ipykernel_7/42.py"] = 3  # what the kernel of a notebook does
space = {"tf": tf}
exec(compile("def body(x):\\n    return {}['missing']", "/tmp/ipykernel_7/42.py", "exec"), space)
try:
    tf.py_function(space["body"], [1.0], tf.float32)
except KeyError as error:
    print(error)
"""


def out(arguments: list[str], folder: Path, given: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments], input=given, cwd=folder, capture_output=True, text=True, timeout=120
    )
    return done.stdout + done.stderr


def test_a_debugger_in_ipython_stands_in_the_function(tmp_path: Path) -> None:
    options = ["--simple-prompt", "--no-banner", "--colors=nocolor", f"--ipython-dir={tmp_path}"]
    text = out(["-m", "IPython", *options], tmp_path, CELLS)
    assert "ipdb> ('frame', <tf.Tensor: shape=()" in text
    assert "Cell In[3], line 1\n----> 1 tf.py_function" in text
    assert "raised in function body (Cell In[2], line 1)" in text
    assert "defined at Cell In[3], line 1 in <module>" in text and '  File "Cell In[2]", line 2, in body' in text


def test_a_cell_of_a_notebook_has_its_label_in_messages(tmp_path: Path) -> None:
    text = out(["-c", KERNEL], tmp_path)
    assert "raised in function body (Cell In[3], line 1)" in text and "ipykernel" not in text


def test_pytest_shows_the_frames_of_the_user_alone(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent(
            """
            import inlay as tf

            def body(x):
                return {}["missing"]

            def test_function():
                tf.py_function(body, [1.0], tf.float32)

            def test_argument():
                tf.nn.relu(object())

            def test_explained():
                tf.compat.v1.train.assert_global_step(5)
            """
        )
    )
    text = out(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "test_it.py"], tmp_path)
    assert "3 failed" in text and "_src/" not in text
    assert "test_it.py:5: in body" in text and "cannot do with `global_step_tensor`" in text
