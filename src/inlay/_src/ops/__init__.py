"""Kernels and declarations. Loading any of its modules gives tensors their operators."""

from inlay._src.base.interpreter import allocator
from inlay._src.ops import operators

allocator.keep_memory()
operators.install()
