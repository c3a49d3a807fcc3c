"""Python processes that a program starts, in which `import tensorflow` finds inlay as it does in the program.

A started process knows nothing of its parent's finders. One of `subprocess` inherits PYTHONPATH, one that
`multiprocessing` spawns inherits `sys.path`. So a folder is put on both that holds a package `tensorflow`, whose only
statement has inlay stand for it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inlay._src.tools.unmodified.metadata import TensorFlowDistribution
from inlay._src.tools.unmodified.names import VERSIONS


@contextmanager
def inherited(v1: bool) -> Iterator[None]:
    """Has Python processes started in the block find inlay in TensorFlow's place.

    Args:
      v1: whether they are of TensorFlow 1.
    """
    before = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory(prefix="inlay-run-") as folder:
        package, metadata = Path(folder, "tensorflow"), Path(folder, f"tensorflow-{VERSIONS[v1]}.dist-info")
        package.mkdir()
        text = f"from inlay._src.tools.unmodified.imports import take_over\n\ntake_over(v1={v1})\n"
        package.joinpath("__init__.py").write_text(text, "utf-8")
        metadata.mkdir()
        metadata.joinpath("METADATA").write_text(TensorFlowDistribution(VERSIONS[v1]).text, "utf-8")
        os.environ["PYTHONPATH"] = folder if before is None else os.pathsep.join((folder, before))
        sys.path.insert(1, folder)  # the first one is the program's own
        try:
            yield
        finally:
            with suppress(ValueError):  # the program took it out
                sys.path.remove(folder)
            if before is None:
                os.environ.pop("PYTHONPATH", None)
            else:
                os.environ["PYTHONPATH"] = before
