from __future__ import annotations

import numpy as np

import inlay as tf

v1 = tf.compat.v1
cells = v1.nn.rnn_cell


def run(cell, steps=4):
    with v1.Session() as session:
        outputs, state = v1.nn.dynamic_rnn(cell, tf.ones([50, steps, 3]), dtype=tf.float32)
        session.run(v1.global_variables_initializer())
        return session.run([outputs, state])


def test_dropout_of_outputs_and_not_of_what_a_cell_remembers():
    with tf.Graph().as_default():
        cell = cells.LSTMCell(6, initializer=tf.ones_initializer())
        outputs, state = run(cells.DropoutWrapper(cell, output_keep_prob=0.5, state_keep_prob=0.5, seed=1))
    for dropped in (outputs, state.h):
        assert 0.3 < np.mean(dropped == 0) < 0.7
    assert not (state.c == 0).any()
    assert not np.array_equal(outputs[:, 0] == 0, outputs[:, 1] == 0)


def test_variational_dropout_is_the_same_in_every_step():
    with tf.Graph().as_default():
        cell = cells.DropoutWrapper(
            cells.GRUCell(20), output_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32, seed=1
        )
        outputs, _ = run(cell)
    zero = outputs == 0
    assert 0.2 < zero.mean() < 0.8
    assert (zero == zero[:1, :1]).all()


def test_cells_run_eagerly():
    cell = cells.GRUCell(2)
    outputs, state = v1.nn.dynamic_rnn(cell, tf.ones([3, 4, 2]), dtype=tf.float32)
    again, _ = v1.nn.static_rnn(cell, tf.unstack(tf.ones([3, 4, 2]), axis=1), dtype=tf.float32)
    np.testing.assert_allclose(outputs.numpy(), tf.stack(again, 1).numpy(), rtol=1e-6)
    np.testing.assert_array_equal(state.numpy(), outputs.numpy()[:, -1])


def test_a_device_wrapper_places_its_cell():
    with tf.Graph().as_default() as graph:
        cell = cells.DeviceWrapper(cells.BasicRNNCell(2, name="cell"), "/device:CPU:0")
        cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
        assert {op.device for op in graph.get_operations() if op.type == "MatMul"} == {"/device:CPU:0"}
