"""Templates while executing eagerly, where no graph keeps variables by name."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def _variable(name: str = "v", trainable: bool = True) -> Any:
    return v1.get_variable(name, [], initializer=v1.zeros_initializer(), trainable=trainable)


@pytest.mark.parametrize("now", [False, True])
def test_a_custom_getter_sees_every_access(now: bool) -> None:
    accesses = []

    def getter(make: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        accesses.append(name)
        return make(name, *args, **kwargs)

    template = v1.make_template("s", _variable, create_scope_now_=now, custom_getter_=getter)
    assert template() is template() and len(accesses) == 2


def test_a_later_call_makes_no_variable_that_trains() -> None:
    template = v1.make_template("s", _variable)
    template("a")
    with pytest.raises(ValueError, match="after the first time"):
        template("b")
    assert not template("c", trainable=False).trainable


def test_local_variables_are_listed_beside_the_global_ones() -> None:
    with tf.Graph().as_default():
        template = v1.make_template("s", lambda: [_variable(), v1.get_local_variable("l", [])])
        assert template.local_variables == []
        own, local = template()
        assert template.global_variables == [own] and template.local_variables == [local]
        assert template.variables == [own, local]
