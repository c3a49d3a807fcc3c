"""`tf.image`: resizing, cropping, colours, flips and boxes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "image",
    ("ops.image", "ops.image_boxes", "ops.image_colors", "ops.image_cropping", "ops.image_files",
    "ops.image_quality", "ops.image_resizing", "ops.random"),
)
