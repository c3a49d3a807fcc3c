"""Kernels and declarations. Whichever is loaded first, tensors get their operators."""

from inlay.interpreter import allocator
from inlay.ops import operators

allocator.keep_memory()
operators.install()
