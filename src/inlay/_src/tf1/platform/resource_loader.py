"""Files that come with a program, by their names beside its modules: `tf.resource_loader` of 1.x."""

from __future__ import annotations

import os

from inlay._src.base.export import export
from inlay._src.core.site import caller


@export("compat.v1.resource_loader.get_data_files_path")
def get_data_files_path() -> str:
    """The folder of the module that calls this."""
    return _folder()


@export("compat.v1.resource_loader.get_path_to_datafile")
def get_path_to_datafile(path: str) -> str:
    """The full name of a file beside the module that calls this.

    Args:
      path: its name, from that module's folder.
    """
    return os.path.join(_folder(), path)


@export("compat.v1.resource_loader.load_resource")
def load_resource(path: str) -> bytes:
    """The contents of a file of the program.

    Args:
      path: its name, from the folder of the module that calls this.

    Raises:
      OSError: if it cannot be read.
    """
    with open(os.path.join(_folder(), path), "rb") as file:
        return file.read()


@export("compat.v1.resource_loader.readahead_file_path")
def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The name of a file, as it is: nothing is read ahead here.

    Args:
      path: the name.
      readahead: has no effect.
    """
    return path


def _folder() -> str:
    """The folder of the innermost module outside the library."""
    return os.path.dirname(os.path.abspath(caller().filename))
