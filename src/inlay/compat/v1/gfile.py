"""`tf.gfile`: files and folders by the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.gfile",
    {
        "base.files.gfile_first_names":
        "Copy DeleteRecursively Exists Glob IsDirectory ListDirectory MakeDirs MkDir Remove Rename Stat Walk",
        "base.files.named_file": "FastGFile GFile Open",
    },
)
