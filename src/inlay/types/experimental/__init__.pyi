"""`tf.types.experimental`: kinds of functions, and what objects say to traced functions."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function as GenericFunction, Function as PolymorphicFunction
from inlay._src.programs.functions.function_type import AtomicFunction, FunctionType
from inlay._src.programs.functions.tracing_types import Callable, SupportsTracingProtocol, TensorLike, TraceType
from inlay.types.experimental import distributed
__all__ = [
    "AtomicFunction", "Callable", "ConcreteFunction", "FunctionType", "GenericFunction", "PolymorphicFunction",
    "SupportsTracingProtocol", "TensorLike", "TraceType", "distributed"
]
