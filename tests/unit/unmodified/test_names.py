from __future__ import annotations

from inlay._src.tools.unmodified import names


def test_private_modules_of_contrib_are_found_where_their_names_are_public():
    assert names.spaces("tensorflow.contrib.layers.python.layers.utils", v1=True) == ["contrib.layers.utils"]
    assert names.spaces("tensorflow.contrib.slim.python.slim.nets.resnet_v1", v1=True) == [
        "contrib.slim.nets.resnet_v1"
    ]
    assert names.spaces("tensorflow.contrib.layers.python.layers", v1=True) == ["contrib.layers"]
    assert "compat.v1.layers" in names.spaces("tensorflow.python.layers.core", v1=True)
