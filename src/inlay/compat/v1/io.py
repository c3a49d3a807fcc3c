"""`tf.compat.v1.io`: reading and decoding, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.io",
    ("composite.example_parsing", "files.records", "ops.csv", "ops.legacy", "queues.queue", "queues.readers"),
    continues="io",
)
