"""`tf.raw_ops`: TensorFlow's ops as they are declared; the functions of `tf` are faster in eager code."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from typing import Any

def __getattr__(name: str) -> Any: ...
