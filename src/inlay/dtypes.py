"""`tf.dtypes`: the element types."""

from inlay.types.dtypes import (
    DType as DType,
)
from inlay.types.dtypes import (
    as_dtype as as_dtype,
)
from inlay.types.dtypes import (
    bfloat16 as bfloat16,
)
from inlay.types.dtypes import (
    bool_ as bool,
)
from inlay.types.dtypes import (
    complex64 as complex64,
)
from inlay.types.dtypes import (
    complex128 as complex128,
)
from inlay.types.dtypes import (
    double as double,
)
from inlay.types.dtypes import (
    float16 as float16,
)
from inlay.types.dtypes import (
    float32 as float32,
)
from inlay.types.dtypes import (
    float64 as float64,
)
from inlay.types.dtypes import (
    half as half,
)
from inlay.types.dtypes import (
    int8 as int8,
)
from inlay.types.dtypes import (
    int16 as int16,
)
from inlay.types.dtypes import (
    int32 as int32,
)
from inlay.types.dtypes import (
    int64 as int64,
)
from inlay.types.dtypes import (
    qint8 as qint8,
)
from inlay.types.dtypes import (
    qint16 as qint16,
)
from inlay.types.dtypes import (
    qint32 as qint32,
)
from inlay.types.dtypes import (
    quint8 as quint8,
)
from inlay.types.dtypes import (
    quint16 as quint16,
)
from inlay.types.dtypes import (
    resource as resource,
)
from inlay.types.dtypes import (
    string as string,
)
from inlay.types.dtypes import (
    uint8 as uint8,
)
from inlay.types.dtypes import (
    uint16 as uint16,
)
from inlay.types.dtypes import (
    uint32 as uint32,
)
from inlay.types.dtypes import (
    uint64 as uint64,
)
from inlay.types.dtypes import (
    variant as variant,
)

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "resource",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]
