"""`tf.io.gfile`: files and folders by their names, on this machine and elsewhere."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.files.gfile import (
    copy, exists, get_registered_schemes, glob, isdir, join, listdir, makedirs, mkdir, remove, rename, rmtree, stat,
    walk
)
from inlay._src.base.files.named_file import GFile
__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir",
    "remove", "rename", "rmtree", "stat", "walk"
]
