"""`tf.resource_loader`: files that come with a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.resource_loader",
    {
        "tf1.platform.resource_loader":
        "get_data_files_path get_path_to_datafile load_resource readahead_file_path",
    },
    absent={
        "get_root_dir_with_all_resources": "get_data_files_path is the folder of the module that calls it",
    },
)
