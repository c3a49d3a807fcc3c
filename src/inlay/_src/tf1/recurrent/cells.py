"""Cells: plain, gated and LSTM ones."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.core.tensor import Tensor
from inlay._src.ops import joining, matmul, nn, powers, trigonometry
from inlay._src.ops.clipping import clip_by_value
from inlay._src.ops.variables.initializers import Constant
from inlay._src.ops.variables.partitioners import fixed_size_partitioner
from inlay._src.tf1.layers.choosing import activation_of, initializer_of
from inlay._src.tf1.layers.dense import ZEROS
from inlay._src.tf1.recurrent.cell import LayerRNNCell, LSTMStateTuple, floating_tensor, states_of

ONES = Constant(1.0)


def _product(inputs: Any, state: Any, kernel: Any, bias: Any) -> Any:
    """`[inputs, state] @ kernel + bias`."""
    return nn.bias_add(matmul.matmul(joining.concat([inputs, state], 1), kernel), bias)


@export("compat.v1.nn.rnn_cell.BasicRNNCell")
class BasicRNNCell(LayerRNNCell):
    """`output = state = activation([input, state] @ kernel + bias)`.

    Args:
      num_units: the size of the state.
      activation: a function, or the name of one; None takes `tanh`.
      reuse: whether the weights of an earlier cell in the same scope are shared.
      name, dtype: as for `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, name, dtype, **kwargs)
        self._num_units = num_units
        self._activation: Any = activation_of(activation) or trigonometry.tanh

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        size = self._num_units
        self._kernel = self.add_weight("kernel", [self.depth(input_shape) + size, size])
        self._bias = self.add_weight("bias", [size], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:  # type: ignore[override]
        """One step: [batch, size], [batch, units]."""
        inputs, state = floating_tensor(inputs), floating_tensor(state)
        output = self._activation(_product(inputs, state, self._kernel, self._bias))
        return output, output


@export("compat.v1.nn.rnn_cell.GRUCell")
class GRUCell(LayerRNNCell):
    """A gated recurrent unit (Cho et al., https://arxiv.org/abs/1406.1078).

    Args:
      num_units: the size of the state.
      activation: a function, or the name of one; None takes `tanh`.
      reuse: whether the weights of an earlier cell in the same scope are shared.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's, and for biases 1 of
        the gates and 0.
      name, dtype: as for `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, name, dtype, **kwargs)
        self._num_units = num_units
        self._activation: Any = activation_of(activation) or trigonometry.tanh
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the gates and of the candidate."""
        size, rows = self._num_units, self.depth(input_shape) + self._num_units
        biases, has_initializer = self._bias_initializer, self._bias_initializer is not None
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * size], initializer=self._kernel_initializer)
        self._gate_bias = self.add_weight("gates/bias", [2 * size], initializer=biases if has_initializer else ONES)
        self._candidate_kernel = self.add_weight("candidate/kernel", [rows, size], initializer=self._kernel_initializer)
        self._candidate_bias = self.add_weight(
            "candidate/bias", [size], initializer=biases if has_initializer else ZEROS
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:  # type: ignore[override]
        """One step: [batch, size], [batch, units]."""
        inputs, state = floating_tensor(inputs), floating_tensor(state)
        gates = powers.sigmoid(_product(inputs, state, self._gate_kernel, self._gate_bias))
        r, u = joining.split(gates, 2, 1)
        candidate = self._activation(_product(inputs, r * state, self._candidate_kernel, self._candidate_bias))
        new = u * state + (1 - u) * candidate
        return new, new


class _LSTM(LayerRNNCell):
    """A cell whose state has two parts: what it remembers, and its output."""

    _state_is_tuple: bool

    def _parts(self, state: Any, sizes: Any) -> list[Any]:
        """The two parts of a state.

        Args:
          state: a tuple of both, or one tensor.
          sizes: the sizes of the parts of a tensor, or their number.
        """
        parts = states_of(state, 2) if self._state_is_tuple else joining.split(floating_tensor(state), sizes, 1)
        return [floating_tensor(part) for part in parts]


@export("compat.v1.nn.rnn_cell.BasicLSTMCell")
class BasicLSTMCell(_LSTM):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997).

    Args:
      num_units: the size of the state's two parts.
      forget_bias: added to what the forget gate sees.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or both parts in one tensor.
      activation: a function, or the name of one; None takes `tanh`.
      reuse: whether the weights of an earlier cell in the same scope are shared.
      name, dtype: as for `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, name, dtype, **kwargs)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, bool(state_is_tuple)
        self._activation: Any = activation_of(activation) or trigonometry.tanh

    @property
    def state_size(self) -> int | Any:
        """The sizes of the two parts."""
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the weights: input gate, new input, forget gate and output gate side by side."""
        size = self._num_units
        self._kernel = self.add_weight("kernel", [self.depth(input_shape) + size, 4 * size])
        self._bias = self.add_weight("bias", [4 * size], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:  # type: ignore[override]
        """One step: [batch, size], the state."""
        inputs = floating_tensor(inputs)
        c, h = self._parts(state, 2)
        i, j, f, o = joining.split(_product(inputs, h, self._kernel, self._bias), 4, 1)
        new_c = c * powers.sigmoid(f + self._forget_bias) + powers.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * powers.sigmoid(o)
        new = LSTMStateTuple(new_c, new_h) if self._state_is_tuple else joining.concat([new_c, new_h], 1)
        return new_h, new


@export("compat.v1.nn.rnn_cell.LSTMCell")
class LSTMCell(_LSTM):
    """Long short-term memory with peepholes, clipping and a projection (Sak et al., 2014).

    Args:
      num_units: the size of what it remembers.
      use_peepholes: whether the gates see what it remembers.
      cell_clip: the bound of what it remembers.
      initializer: the initializer of the weights; None takes the scope's.
      num_proj: the size of a projection of the output; None for none.
      proj_clip: the bound of the projection.
      num_unit_shards, num_proj_shards: into how many parts the kernels are cut; None for one.
      forget_bias: added to what the forget gate sees.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or both parts in one tensor.
      activation: a function, or the name of one; None takes `tanh`.
      reuse: whether the weights of an earlier cell in the same scope are shared.
      name, dtype: as for `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, name, dtype, **kwargs)
        self._num_units, self._num_proj = num_units, num_proj
        self._use_peepholes, self._cell_clip, self._proj_clip = use_peepholes, cell_clip, proj_clip
        self._initializer = initializer_of(initializer)
        self._shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, bool(state_is_tuple)
        self._activation: Any = activation_of(activation) or trigonometry.tanh

    @property
    def state_size(self) -> int | Any:
        """The sizes of the two parts."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or the size of the projection."""
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the weights: input gate, new input, forget gate and output gate side by side."""
        size, start = self._num_units, self._initializer
        cut = [None if count is None else fixed_size_partitioner(count) for count in self._shards]
        self._kernel = self.add_weight(
            "kernel", [self.depth(input_shape) + self.output_size, 4 * size], initializer=start, partitioner=cut[0]
        )
        self._bias = self.add_weight("bias", [4 * size], initializer=ZEROS)
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_weight(f"w_{gate}_diag", [size], initializer=start) for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight(
                "projection/kernel", [size, self._num_proj], initializer=start, partitioner=cut[1]
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:  # type: ignore[override]
        """One step: [batch, size], the state."""
        inputs = floating_tensor(inputs)
        c_before, m_before = self._parts(state, [self._num_units, self.output_size])
        i, j, f, o = joining.split(_product(inputs, m_before, self._kernel, self._bias), 4, 1)
        f = f + self._forget_bias
        if self._use_peepholes:
            f, i = f + self._w_f_diag * c_before, i + self._w_i_diag * c_before
        c = powers.sigmoid(f) * c_before + powers.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            o = o + self._w_o_diag * c
        m = powers.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else joining.concat([c, m], 1)
