"""Versions: inlay's own number, and that of the graphs it writes."""

from __future__ import annotations

import platform
import sys

from inlay._src.base.export import export
from inlay._src.programs.graph_def.exporting import PRODUCER

_OURS: str = sys.modules[__name__.partition(".")[0]].__version__

VERSION: str = export("version.VERSION", "compat.v1.VERSION")(_OURS)
GIT_VERSION: str = export("version.GIT_VERSION", "compat.v1.GIT_VERSION")(f"v{_OURS}")
COMPILER_VERSION: str = export("version.COMPILER_VERSION", "compat.v1.COMPILER_VERSION")(platform.python_compiler())
GRAPH_DEF_VERSION: int = export("version.GRAPH_DEF_VERSION", "compat.v1.GRAPH_DEF_VERSION")(PRODUCER)
GRAPH_DEF_VERSION_MIN_CONSUMER: int = export(
    "version.GRAPH_DEF_VERSION_MIN_CONSUMER", "compat.v1.GRAPH_DEF_VERSION_MIN_CONSUMER"
)(0)
GRAPH_DEF_VERSION_MIN_PRODUCER: int = export(
    "version.GRAPH_DEF_VERSION_MIN_PRODUCER", "compat.v1.GRAPH_DEF_VERSION_MIN_PRODUCER"
)(0)
