"""Bodies: functions as they travel, to other processes (`body`) and in saved graphs (`portable`).

A body is the function pickled by value (cloudpickle: closures, lambdas, what is defined in `__main__`) or, if it can be
imported, by its name. Its digest identifies it.
"""

from inlay._src.host.bodies.body import Body, body_of, cached_body, function_of
from inlay._src.host.bodies.pickling import dumps

__all__ = ["Body", "body_of", "dumps", "function_of", "cached_body"]
