"""`tf.contrib`: the parts that programs around the family use."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib",
    below=("autograph", "data", "eager", "framework", "layers", "lookup", "metrics", "opt", "rnn", "slim"),
)
