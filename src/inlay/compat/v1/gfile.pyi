"""`tf.gfile`: files and folders by the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.files.gfile_first_names import (
    _copy as Copy, _delete_recursively as DeleteRecursively, _exists as Exists, _glob as Glob, _is_directory as
    IsDirectory, _list_directory as ListDirectory, _make_dirs as MakeDirs, _mk_dir as MkDir, _remove as Remove, _rename
    as Rename, _stat as Stat, _walk as Walk
)
from inlay._src.base.files.named_file import FastGFile, GFile, GFile as Open
__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk"
]
