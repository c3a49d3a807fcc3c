"""`tf.math`: mathematics under its namespaced names."""

from inlay.ops.math import (
    abs as abs,
)
from inlay.ops.math import (
    add as add,
)
from inlay.ops.math import (
    cos as cos,
)
from inlay.ops.math import (
    divide as divide,
)
from inlay.ops.math import (
    equal as equal,
)
from inlay.ops.math import (
    exp as exp,
)
from inlay.ops.math import (
    floordiv as floordiv,
)
from inlay.ops.math import (
    floormod as floormod,
)
from inlay.ops.math import (
    greater as greater,
)
from inlay.ops.math import (
    greater_equal as greater_equal,
)
from inlay.ops.math import (
    less as less,
)
from inlay.ops.math import (
    less_equal as less_equal,
)
from inlay.ops.math import (
    log as log,
)
from inlay.ops.math import (
    logical_and as logical_and,
)
from inlay.ops.math import (
    logical_not as logical_not,
)
from inlay.ops.math import (
    logical_or as logical_or,
)
from inlay.ops.math import (
    maximum as maximum,
)
from inlay.ops.math import (
    minimum as minimum,
)
from inlay.ops.math import (
    multiply as multiply,
)
from inlay.ops.math import (
    negative as negative,
)
from inlay.ops.math import (
    not_equal as not_equal,
)
from inlay.ops.math import (
    pow as pow,
)
from inlay.ops.math import (
    sign as sign,
)
from inlay.ops.math import (
    sin as sin,
)
from inlay.ops.math import (
    sqrt as sqrt,
)
from inlay.ops.math import (
    square as square,
)
from inlay.ops.math import (
    subtract as subtract,
)
from inlay.ops.math import (
    tanh as tanh,
)
from inlay.ops.reductions import reduce_mean as reduce_mean
from inlay.ops.reductions import reduce_sum as reduce_sum
