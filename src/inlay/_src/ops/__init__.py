"""Kernels and declarations. Loading any of its modules gives tensors their operators."""

from inlay.interpreter import allocator
from inlay.ops import operators

allocator.keep_memory()
operators.install()
