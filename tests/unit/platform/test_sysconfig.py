"""`tf.sysconfig`: nothing is compiled against the library."""

from __future__ import annotations

import os

import inlay as tf


def test_the_build_has_no_gpu_of_its_own_and_no_flags() -> None:
    assert tf.sysconfig.get_build_info()["is_rocm_build"] is False
    assert tf.sysconfig.get_lib() == os.path.dirname(str(tf.__file__))
    assert tf.sysconfig.get_include().startswith(tf.sysconfig.get_lib())
    assert tf.sysconfig.get_compile_flags() == tf.sysconfig.get_link_flags() == []
