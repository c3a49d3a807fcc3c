"""`tf.types.experimental`: kinds of functions, and what objects say to traced functions."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "types.experimental",
    {
        "programs.functions.function_type": "AtomicFunction FunctionType",
        "programs.functions.tracing_types":
        "Callable ConcreteFunction GenericFunction PolymorphicFunction SupportsTracingProtocol TensorLike "
        "TraceType",
    },
    below=("distributed",),
)
