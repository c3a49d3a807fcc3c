"""`tf.gfile` of 1.x: files and folders by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.compat.v1.gfile import (
    Copy, DeleteRecursively, Exists, FastGFile, GFile, Glob, IsDirectory, ListDirectory, MakeDirs, MkDir, Open, Remove,
    Rename, Stat, Walk
)
__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk"
]
