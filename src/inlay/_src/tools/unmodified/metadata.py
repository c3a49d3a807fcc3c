"""The package metadata of TensorFlow that `importlib.metadata` finds while inlay stands for it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from os import PathLike
from pathlib import Path


class TensorFlowDistribution(importlib.metadata.Distribution):
    """The installed package `tensorflow`: a name and a version, without files.

    Libraries ask for it to decide whether they support TensorFlow: `importlib.metadata.version("tensorflow")`.

    Args:
      version: "2.21.0".

    Attributes:
      text: the contents of its file METADATA.
    """

    def __init__(self, version: str) -> None:
        self.text: str = f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {version}\nSummary: inlay in its place\n"

    def read_text(self, filename: str) -> str | None:
        """See `Distribution.read_text`."""
        return self.text if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """See `Distribution.locate_file`."""
        spec = importlib.util.find_spec("inlay")
        assert spec is not None and spec.origin is not None
        return Path(spec.origin).parent.parent / path
