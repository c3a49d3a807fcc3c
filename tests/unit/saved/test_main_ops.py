"""The operations that a loaded graph runs first."""

from __future__ import annotations

import pytest

import inlay as tf

v1 = tf.compat.v1


def test_main_op_initializes_the_variables_then_runs_another_operation() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=2.0, use_resource=True)
        local = v1.get_local_variable("l", initializer=3.0, use_resource=True)
        change = variable.assign_add(local)
        session.run(v1.saved_model.main_op.main_op())
        assert session.run([variable, local]) == [2.0, 3.0]
        both = v1.saved_model.main_op_with_restore(change)
        assert both.name.startswith("group_deps")
        session.run(both)
        with pytest.raises(TypeError, match="a str"):
            v1.saved_model.main_op_with_restore("v")


def test_main_op_is_nothing_eagerly() -> None:
    assert v1.saved_model.main_op.main_op() is None
    assert v1.saved_model.main_op.main_op_with_restore(None) is None
