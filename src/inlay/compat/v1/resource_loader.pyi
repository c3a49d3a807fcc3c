"""`tf.resource_loader`: files that come with a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.platform.resource_loader import (
    get_data_files_path, get_path_to_datafile, load_resource, readahead_file_path
)
__all__ = [
    "get_data_files_path", "get_path_to_datafile", "load_resource", "readahead_file_path"
]
