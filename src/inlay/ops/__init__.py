"""Kernels and declarations. Whichever is loaded first, tensors get their operators."""

from inlay.ops import operators

operators.install()
