"""`tf.sysconfig`: the build of the library, against which nothing is compiled."""

from __future__ import annotations

import os
import sys
from typing import Any

from inlay._src.base.export import export
from inlay._src.core import device


@export("sysconfig.get_build_info")
def get_build_info() -> dict[str, Any]:
    """The build of the library: `is_cuda_build` says whether ops can run on a GPU of NVIDIA here."""
    return {
        "is_cuda_build": bool(device.accelerators()),
        "is_rocm_build": False,
        "is_tensorrt_build": False,
    }


@export("sysconfig.get_lib")
def get_lib() -> str:
    """The folder of the library."""
    package = sys.modules[__name__.partition(".")[0]]
    return os.path.dirname(str(package.__file__))


@export("sysconfig.get_include")
def get_include() -> str:
    """The folder for C++ headers below that of the library; there are none."""
    return os.path.join(get_lib(), "include")


@export("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """The flags of a compiler that builds kernels in C++: none, as ops are Python functions (`tf.py_function`)."""
    return []


@export("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """The flags of a linker that builds kernels in C++: none."""
    return []
