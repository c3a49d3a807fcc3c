"""`tf.io.gfile`: files and folders by their names, on this machine and elsewhere."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "io.gfile",
    {
        "base.files.gfile":
        "copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree stat "
        "walk",
        "base.files.named_file": "GFile",
    },
)
