"""Cells run over sequences: in a loop (`dynamic_rnn`, `raw_rnn`) or written out step by step (`static_rnn`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.ops import array, joining, math, printing, rearranging, reductions, stacking
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.tf1.recurrent.cell import check_cell, step_result, zeros


def _steps_first(value: Any) -> Any:
    """A tensor with its first two axes exchanged."""
    value = convert_to_tensor(value)
    rank = value.shape.rank
    if rank is None:
        raise ValueError(f"an input of known rank is needed, got {value!r}")
    if rank < 2:
        return value
    return rearranging.transpose(value, [1, 0, *range(2, rank)])


def _batch_of(inputs: Sequence[Any], axis: int) -> Any:
    """The number of sequences: an int if it is static, else a scalar tensor."""
    for value in inputs:
        size = None if value.shape.rank is None or value.shape.rank <= axis else value.shape.as_list()[axis]
        if size is not None:
            return size
    return array.shape(inputs[0])[axis]


def _first_state(cell: Any, initial_state: Any, batch: Any, dtype: Any) -> Any:
    if initial_state is not None:
        return nest.map_structure(_as_tensor, initial_state)
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


def _dtype_of(dtype: Any, state: Any) -> Any:
    """The type of outputs: as told, else that of the state."""
    if dtype is not None:
        return dtypes.as_dtype(dtype)
    kinds = {value.dtype for value in nest.flatten(state)}
    if len(kinds) != 1:
        raise ValueError(f"State has tensors of different inferred dtypes: {sorted(k.name for k in kinds)}")
    return kinds.pop()


def _unless_finished(finished: Any, old: Any, new: Any) -> Any:
    """`old` for the sequences that are over, `new` for the others; scalars and arrays are always new."""
    if isinstance(old, TensorArray) or old.shape.rank == 0:
        return new
    rows = array.reshape(finished, [-1] + [1] * (new.shape.rank - 1))
    chosen = array.where(rows, old, new)
    chosen.set_shape(old.shape)
    return chosen


def _step(cell: Any, inputs: Any, state: Any, time: Any, lengths: Any, zero_output: Any) -> tuple[Any, Any]:
    """One step of sequences: those that are over give zeros and keep their state."""
    output, new = step_result(cell(inputs, state))
    if lengths is None:
        return output, new
    nest.assert_same_structure(zero_output, output)
    nest.assert_same_structure(state, new)
    finished = math.greater_equal(time, lengths)
    outputs = [
        _unless_finished(finished, a, b) for a, b in zip(nest.flatten(zero_output), nest.flatten(output), strict=True)
    ]
    states = [_unless_finished(finished, a, b) for a, b in zip(nest.flatten(state), nest.flatten(new), strict=True)]
    return nest.pack_sequence_as(zero_output, outputs), nest.pack_sequence_as(state, states)


def _checked_lengths(sequence_length: Any, batch: Any) -> Any:
    """Lengths as an int32 vector with one for each sequence.

    Raises:
      ValueError: for another rank.
    """
    lengths = math.cast(sequence_length, dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"Argument sequence_length must be a vector of length batch_size. Received sequence_length={lengths} of "
            f"shape: {lengths.shape}"
        )
    lengths = array.identity(lengths, name="sequence_length")
    sizes = array.shape(lengths)
    fits = printing.assert_(
        reductions.reduce_all(math.equal(sizes, stacking.stack([batch]))),
        [f"Expected shape for Tensor {lengths!r} is ", stacking.stack([batch]), " but saw shape: ", sizes],
    )
    if context.executing_eagerly():
        return lengths
    with default_graph().control_dependencies([fits]):
        return array.identity(lengths, name="CheckSeqLen")


@export("compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over sequences, in a loop.

    Args:
      cell: an `RNNCell`.
      inputs: [batch, steps, ...], or a nest of such.
      sequence_length: the length of each sequence: beyond that outputs are 0 and the state stays.
      initial_state: the first state; None takes zeros.
      dtype: the type of the first state and the outputs; needed without a first state.
      parallel_iterations, swap_memory: accepted and ignored.
      time_major: whether the first two axes of inputs and outputs are exchanged.
      scope: the variable scope; None takes "rnn".

    Returns:
      (outputs [batch, steps, ...], nested like `cell.output_size`; the last state).

    Raises:
      TypeError: if `cell` is no cell.
      ValueError: if a type, rank or size is not known, or steps or batches of inputs differ.
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        flat = [convert_to_tensor(value) for value in nest.flatten(inputs)]
        if not time_major:
            flat = [_steps_first(value) for value in flat]
        _check_inputs(flat)
        batch = _batch_of(flat, 1)
        lengths = None if sequence_length is None else _checked_lengths(sequence_length, batch)
        state = _first_state(cell, initial_state, batch, dtype)
        kind = _dtype_of(dtype, state)
        steps = array.shape(flat[0])[0]
        zero_output = nest.map_structure(lambda size: zeros(batch, size, kind), cell.output_size)
        with name_scope("dynamic_rnn"):
            seen = [TensorArray(v.dtype, steps, element_shape=v.shape[1:]).unstack(v) for v in flat]
            outputs = [TensorArray(kind, steps, element_shape=v.shape) for v in nest.flatten(zero_output)]

        def body(time: Any, arrays: Any, state: Any) -> Any:
            now = []
            for column, whole in zip(seen, flat, strict=True):
                value = column.read(time)
                value.set_shape(whole.shape[1:])
                now.append(value)
            step = nest.pack_sequence_as(inputs, now)
            output, new = _step(cell, step, state, time, lengths, zero_output)
            return time + 1, [a.write(time, v) for a, v in zip(arrays, nest.flatten(output), strict=True)], new

        bound = steps
        if lengths is not None:  # one step at least, for the shapes of what comes out
            bound = math.minimum(steps, math.maximum(1, reductions.reduce_max(lengths)))
        start = (array.constant(0, dtypes.int32, name="time"), outputs, state)
        _, arrays, last = while_loop(lambda time, *_: time < bound, body, start, maximum_iterations=steps, name="while")
        return _joined(arrays, flat[0], zero_output, time_major), last


def _joined(arrays: Any, inputs: Any, zero_output: Any, time_major: bool) -> Any:
    """The outputs of all steps as one tensor each."""
    wholes = []
    for column, like in zip(arrays, nest.flatten(zero_output), strict=True):
        whole = column.stack()
        whole.set_shape([inputs.shape.as_list()[0], *like.shape.as_list()])
        wholes.append(whole if time_major else _steps_first(whole))
    return nest.pack_sequence_as(zero_output, wholes)


def _check_inputs(flat: Sequence[Any]) -> None:
    """Raises ValueError if sizes are not known that must be, or inputs differ in steps or batch."""
    for value in flat:
        if value.shape.rank is None or value.shape.rank < 3:
            raise ValueError(f"Shape {value.shape} must have rank at least 3")
        if not value.shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw value None for input="
                f"{value}."
            )
        for axis, what in ((0, "Time steps"), (1, "Batch_size")):
            if value.shape.as_list()[axis] != flat[0].shape.as_list()[axis]:
                raise ValueError(
                    f"{what} is not the same for all the elements in the input. Received {value.shape} beside "
                    f"{flat[0].shape}."
                )


@export("compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs one cell forwards over sequences and another one backwards.

    Args:
      cell_fw, cell_bw: the two cells.
      inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major: as for `dynamic_rnn`.
      initial_state_fw, initial_state_bw: the first states; None takes zeros.
      scope: the variable scope; None takes "bidirectional_rnn".

    Returns:
      ((outputs forwards, outputs backwards), (last state forwards, last state backwards)).
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    steps, batch = (0, 1) if time_major else (1, 0)

    def turned(value: Any) -> Any:
        if sequence_length is None:
            return rearranging.reverse(convert_to_tensor(value), [steps])
        return rearranging.reverse_sequence(value, sequence_length, steps, batch)

    more = {"sequence_length": sequence_length, "dtype": dtype, "time_major": time_major}
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            forwards, last_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw, scope=fw, **more)
        with variable_scope("bw") as bw:
            back = nest.map_structure(turned, inputs)
            backwards, last_bw = dynamic_rnn(cell_bw, back, initial_state=initial_state_bw, scope=bw, **more)
    return (forwards, nest.map_structure(turned, backwards)), (last_fw, last_bw)


# ---------------------------------------------------------------- written out


@export("compat.v1.nn.static_rnn", "contrib.rnn.static_rnn")
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:  # fmt: skip
    """Runs a cell over a list of inputs, one for each step.

    Args:
      cell: an `RNNCell`.
      inputs: a list of tensors [batch, ...], or of nests of such.
      initial_state: the first state; None takes zeros.
      dtype: the type of the first state and the outputs; needed without a first state.
      sequence_length: the length of each sequence: beyond that outputs are 0 and the state stays.
      scope: the variable scope; None takes "rnn".

    Returns:
      (a list of outputs, the last state).

    Raises:
      TypeError: if `cell` is no cell, or `inputs` no list.
      ValueError: if there are no inputs, or a size is not known.
    """
    check_cell("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    inputs = [nest.map_structure(convert_to_tensor, step) for step in inputs]
    with variable_scope(scope or "rnn") as opened:
        flat = nest.flatten(inputs)
        for value in flat:
            if value.shape.rank is None or not value.shape[1:].is_fully_defined():
                raise ValueError(
                    f"Input size of input {value} must be accessible via shape inference, but saw value None."
                )
        batch = _batch_of(flat, 0)
        state = _first_state(cell, initial_state, batch, dtype)
        lengths, zero_output = None, None
        if sequence_length is not None:
            lengths, kind = _checked_lengths(sequence_length, batch), _dtype_of(dtype, state)
            zero_output = nest.map_structure(lambda size: zeros(batch, size, kind), cell.output_size)
        outputs = []
        for time, step in enumerate(inputs):
            if time:
                opened.reuse_variables()
            output, state = _step(cell, step, state, time, lengths, zero_output)
            outputs.append(output)
        return outputs, state


@export("compat.v1.nn.static_bidirectional_rnn", "contrib.rnn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs one cell forwards over a list of inputs and another one backwards.

    Args:
      cell_fw, cell_bw: the two cells.
      inputs, dtype, sequence_length: as for `static_rnn`.
      initial_state_fw, initial_state_bw: the first states; None takes zeros.
      scope: the variable scope; None takes "bidirectional_rnn".

    Returns:
      (a list of outputs, forwards and backwards side by side; the last state forwards; that backwards).
    """
    check_cell("cell_bw", cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            forwards, last_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw)
        with variable_scope("bw") as bw:
            back = _turned(inputs, sequence_length)
            backwards, last_bw = static_rnn(cell_bw, back, initial_state_bw, dtype, sequence_length, bw)
    pairs = zip(forwards, _turned(backwards, sequence_length), strict=True)
    outputs = [nest.map_structure(lambda a, b: joining.concat([a, b], 1), one, other) for one, other in pairs]
    return outputs, last_fw, last_bw


def _turned(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """Steps in reverse; each sequence only as far as it goes."""
    if lengths is None:
        return list(reversed(steps))

    def turned(*values: Any) -> list[Any]:
        return stacking.unstack(rearranging.reverse_sequence(stacking.stack(list(values)), lengths, 0, 1))  # type: ignore[no-any-return]

    columns = [turned(*leaves) for leaves in zip(*map(nest.flatten, steps), strict=True)]
    return [nest.pack_sequence_as(steps[0], list(leaves)) for leaves in zip(*columns, strict=True)]


# ---------------------------------------------------------------- steps that a function steers


def _five(values: Any) -> Sequence[Any]:
    """The five results of `loop_fn`; TypeError for another number."""
    if not isinstance(values, (list, tuple)) or len(values) != 5:
        raise TypeError(f"`loop_fn` must return five values, the last of them its next state. Received: {values!r}")
    return values


@export("compat.v1.nn.raw_rnn")
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop that a function steers.

    Args:
      cell: an `RNNCell`.
      loop_fn: a function of (step, output, state, loop state), None for all but the step before the first one, that
        returns (which sequences are over, next input, next state, what to emit, next loop state). Its first call
        returns the first state, and in place of what to emit the shapes of that, or None for the cell's output.
      parallel_iterations, swap_memory: accepted and ignored.
      scope: the variable scope; None takes "rnn".

    Returns:
      (a nest of `TensorArray` of what was emitted, the last state, the last loop state).

    Raises:
      TypeError: if `cell` is no cell, or `loop_fn` no function.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn"):
        time = array.constant(0, dtypes.int32)
        over, inputs, state, emitted, loop_state = _five(loop_fn(time, None, None, None))
        stateless = loop_state is None
        batch = _batch_of(nest.flatten(inputs), 0)
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(_as_tensor, state)
        if emitted is None:
            kind = nest.flatten(state)[0].dtype
            zero = nest.map_structure(lambda size: zeros(batch, size, kind), cell.output_size)
        else:
            zero = nest.map_structure(lambda one: zeros(batch, shapes.as_shape(one.shape), one.dtype), emitted)
        arrays = nest.map_structure(
            lambda one: TensorArray(one.dtype, 0, dynamic_size=True, element_shape=one.shape), zero
        )

        def body(time: Any, over: Any, inputs: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, new = step_result(cell(inputs, state))
            nest.assert_same_structure(state, new)
            after = loop_fn(time + 1, output, new, loop_state)
            done, next_inputs, next_state, emit, next_loop_state = _five(after)

            def column(old: Any, now: Any) -> Any:
                return nest.map_structure(lambda a, b: _unless_finished(over, a, b), old, now)

            emit, next_state = column(zero, emit), column(state, next_state)
            arrays = nest.map_structure(lambda a, value: a.write(time, value), arrays, emit)
            carried = loop_state if next_loop_state is None else next_loop_state
            return time + 1, math.logical_or(over, done), next_inputs, arrays, next_state, carried

        start = (time, over, inputs, arrays, state, array.constant(0) if stateless else loop_state)
        *_, arrays, last, carried = while_loop(
            lambda time, over, *_: math.logical_not(reductions.reduce_all(over)), body, start
        )
        return arrays, last, None if stateless else carried
