"""Recurrent networks of 1.x in small graphs: more cases for tests/recorded/layers.py."""

from __future__ import annotations

from typing import Any

from tests.recorded.layers import case, fed


def leaves(tf: Any, value: Any) -> list[Any]:
    return list(tf.nest.flatten(value))


@case
def cells_once(tf: Any, slim: Any) -> Any:
    x, cells = fed(tf, 2, 3), tf.nn.rnn_cell
    made = []
    for cell in (
        cells.BasicRNNCell(4),
        cells.GRUCell(4),
        cells.BasicLSTMCell(4),
        cells.BasicLSTMCell(4, state_is_tuple=False, name="one"),
        cells.LSTMCell(4),
        cells.LSTMCell(4, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3, name="full"),
        cells.GRUCell(4, activation=tf.nn.relu, kernel_initializer=tf.ones_initializer(), name="started"),
    ):
        output, state = cell(x, cell.zero_state(2, tf.float32))
        made += leaves(tf, cell(x, state)) + [output]
    return made


@case
def cells_in_a_loop(tf: Any, slim: Any) -> Any:
    x, cells = fed(tf, 3, 5, 2), tf.nn.rnn_cell
    made = leaves(tf, tf.nn.dynamic_rnn(cells.LSTMCell(3), x, dtype=tf.float32))
    made += leaves(tf, tf.nn.dynamic_rnn(cells.GRUCell(3), x, [5, 2, 1], dtype=tf.float32, scope="short"))
    with tf.variable_scope("outer"):
        state = cells.BasicRNNCell(2).zero_state(3, tf.float32) + 0.5
        made += leaves(tf, tf.nn.dynamic_rnn(cells.BasicRNNCell(2), x, initial_state=state))
    turned = fed(tf, 5, 3, 2, unknown=(0, 1))
    made += leaves(tf, tf.nn.dynamic_rnn(cells.BasicLSTMCell(3), turned, dtype=tf.float32, time_major=True, scope="t"))
    return made


@case
def cells_on_cells(tf: Any, slim: Any) -> Any:
    x, cells = fed(tf, 3, 4, 2), tf.nn.rnn_cell
    deep = cells.MultiRNNCell([cells.LSTMCell(3), cells.ResidualWrapper(cells.GRUCell(3))])
    made = leaves(tf, tf.nn.dynamic_rnn(deep, x, dtype=tf.float32))
    assert len(deep.trainable_variables) == 6
    flat = cells.MultiRNNCell([cells.GRUCell(2), cells.GRUCell(3)], state_is_tuple=False)
    return made + leaves(tf, tf.nn.dynamic_rnn(flat, x, dtype=tf.float32, scope="flat"))


@case
def cells_both_ways(tf: Any, slim: Any) -> Any:
    x, cells = fed(tf, 3, 4, 2), tf.nn.rnn_cell
    made = leaves(tf, tf.nn.bidirectional_dynamic_rnn(cells.LSTMCell(3), cells.GRUCell(2), x, dtype=tf.float32))
    return made + leaves(
        tf,
        tf.nn.bidirectional_dynamic_rnn(
            cells.GRUCell(3), cells.GRUCell(3), x, sequence_length=[4, 2, 3], dtype=tf.float32, scope="short"
        ),
    )


@case
def cells_written_out(tf: Any, slim: Any) -> Any:
    cells = tf.nn.rnn_cell
    steps = tf.unstack(fed(tf, 3, 4, 2), axis=1)
    made = leaves(tf, tf.nn.static_rnn(cells.LSTMCell(3), steps, dtype=tf.float32))
    made += leaves(
        tf, tf.nn.static_rnn(cells.GRUCell(3), steps, dtype=tf.float32, sequence_length=[4, 1, 2], scope="s")
    )
    return made + leaves(
        tf, tf.nn.static_bidirectional_rnn(cells.GRUCell(2), cells.GRUCell(2), steps, dtype=tf.float32)
    )


@case
def cells_steered(tf: Any, slim: Any) -> Any:
    x, cell = fed(tf, 4, 3, 2, unknown=(1,)), tf.nn.rnn_cell.LSTMCell(3)
    inputs = tf.TensorArray(tf.float32, 4).unstack(x)
    lengths = tf.constant([4, 2, 3])

    def steer(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        state = cell.zero_state(3, tf.float32) if output is None else state
        over = time >= lengths
        ended = tf.reduce_all(over)
        step = tf.cond(ended, lambda: tf.zeros([3, 2]), lambda: inputs.read(time))
        step.set_shape([3, 2])
        return over, step, state, output, None

    emitted, state, _ = tf.nn.raw_rnn(cell, steer)
    return [emitted.stack(), *leaves(tf, state)]


@case
def cells_dropped_nothing(tf: Any, slim: Any) -> Any:
    cells = tf.nn.rnn_cell
    cell = cells.DropoutWrapper(cells.LSTMCell(3), input_keep_prob=1.0, output_keep_prob=tf.constant(1.0))
    return leaves(tf, tf.nn.dynamic_rnn(cell, fed(tf, 3, 4, 2), dtype=tf.float32))


@case
def own_cell(tf: Any, slim: Any) -> Any:
    class Adding(tf.nn.rnn_cell.RNNCell):
        @property
        def state_size(self) -> int:
            return 2

        @property
        def output_size(self) -> int:
            return 2

        def call(self, inputs: Any, state: Any) -> Any:
            weights = tf.get_variable("weights", [2, 2])
            new = tf.matmul(inputs, weights) + state
            return new, new

    class Older(Adding):
        def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
            with tf.variable_scope(scope or type(self).__name__):
                return self.call(inputs, state)

    x, cell = fed(tf, 3, 4, 2), Adding()
    made = leaves(tf, tf.nn.dynamic_rnn(cell, x, dtype=tf.float32))
    assert [v.name for v in cell.trainable_variables] == ["rnn/adding/weights:0"]
    return made + leaves(tf, tf.nn.dynamic_rnn(Older(), x, dtype=tf.float32, scope="older"))


@case
def cells_without_a_type(tf: Any, slim: Any) -> Any:
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), fed(tf, 3, 4, 2))


@case
def cells_that_are_none(tf: Any, slim: Any) -> Any:
    return tf.nn.dynamic_rnn(3, fed(tf, 3, 4, 2), dtype=tf.float32)


@case
def cells_of_unknown_size(tf: Any, slim: Any) -> Any:
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), fed(tf, 3, 4, 2, unknown=(2,)), dtype=tf.float32)


@case
def cells_of_integers(tf: Any, slim: Any) -> Any:
    return tf.nn.rnn_cell.GRUCell(2)(tf.constant([[1, 2]]), tf.constant([[1, 2]]))


@case
def cells_with_lengths_of_two_axes(tf: Any, slim: Any) -> Any:
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), fed(tf, 3, 4, 2), [[1, 2, 3]], dtype=tf.float32)


@case
def cells_none_to_stack(tf: Any, slim: Any) -> Any:
    return tf.nn.rnn_cell.MultiRNNCell([])


@case
def cells_with_an_impossible_probability(tf: Any, slim: Any) -> Any:
    return tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), input_keep_prob=1.5)
