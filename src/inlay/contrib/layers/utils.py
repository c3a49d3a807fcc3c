"""`tf.contrib.layers.utils`: outputs by name, collections of variables, sizes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("contrib.layers.utils", ("layers.named_outputs",))
