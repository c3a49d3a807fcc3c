"""Where a name is public: said where it is defined, and nowhere else.

    @export("math.erf", "compat.v1.erf")
    def erf(x): ...

    float32 = export("float32", "dtypes.float32")(DType(...))

A path is what a user writes after `tf.`. `scripts/update_generated.py` reads these calls, without running them, and
writes the namespaces (`inlay/math.py` and so on), their stubs, the reference and the list of public names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def export(*paths: str) -> Callable[[T], T]:
    """Says under which paths a function, a class or a value is public.

    Args:
      paths: string literals, such as "abs", "math.abs", "compat.v1.nn.relu"; the first is where it is at home. A name
        that is public at top level is so in `compat.v1` and `compat.v2` too, unless another one claims that path.

    Returns:
      A decorator that leaves what it decorates as it is.
    """
    return _unchanged


def _unchanged(value: T) -> T:
    return value
