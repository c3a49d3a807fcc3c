"""`tf.raw_ops`: TensorFlow's ops as they are declared; the functions of `tf` are faster in eager code."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# ruff: noqa: F401
from inlay._src.programs.raw_ops import __all__, __dir__, __getattr__
