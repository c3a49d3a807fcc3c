"""Handlers of XLA's calls for arrays of fixed shapes, as straight-line source: see `xla_ffi.FrameSource`.

    call_handler(order)                        a call of the function itself; its results are copied as they are
    entry_handler(entry, takes, gives)         everything else: `entry` gets the arrays

Both are written once per shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.source import Source
from inlay._src.compilers import jax_errors, xla_ffi
from inlay._src.compilers.derivatives import Primal
from inlay._src.compilers.xla_ffi import BufferLayout, Entry, FrameSource, Handler
from inlay._src.core import context
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import observing
from inlay._src.host.call import HostCall, ReadAtOnceCall
from inlay._src.host.codegen import ReadAtOnceWriter
from inlay._src.host.record import Mode

_FILE = f"{__file__} (call)"  # within the package, so that user tracebacks leave it out


def call_handler(order: Primal) -> Handler:
    """The handler of a function that runs in place.

    m0 = m_0[...]
    try:
     set_state(s_0)
     r = f_0((m0.copy()))
     if r.__class__ is A and r.dtype is d_0 and r.shape == (8,): pass
     else: r = e_0.single(r)
     if r.__class__ is A and r.flags.c_contiguous: b_0(...).raw = r
     else: A((8,), d_1, b_0(...))[...] = r
    except BaseException as error: return failed(words, error, ...)
    finally: set_state(before)
    """
    host, takes, gives = order.host, order.takes, order.gives
    declared = tuple(a.shape for a in gives)
    call = ReadAtOnceCall(host, host.name, order.type, declared)
    source = Source({**ownership.NAMES, "E": EagerTensor, "get_state": context.get, "set_state": context.set_state})
    frame = FrameSource(source)
    writer = _ProgramWriter(host, declared, observing.name_function(call, source), source.name("e", call), source)
    arrays = host.mode is Mode.NUMPY
    inputs = [f"m{i}" for i in range(len(takes))]
    failure = source.name("failed", _failure(call))
    with source.block(FrameSource.HEAD):
        frame.begin()
        source.write(*([f"{' = '.join(inputs)} = None"] if inputs else []), "before = get_state()")
        with source.block("try:"):
            for i, (name, array) in enumerate(zip(inputs, takes, strict=True)):
                source.write(f"{name} = {frame.argument(i, xla_ffi.layout(array.shape, array.dtype.np))}")
            source.write(f"set_state({source.name('s', order.state)})")
            arguments = [writer.of_rank(name, len(array.shape)) for name, array in zip(inputs, takes, strict=True)]
            if not arrays:
                kinds = [source.name("t", array.dtype) for array in takes]
                arguments = [f"E({value}, {kind})" for value, kind in zip(arguments, kinds, strict=True)]
            writer.run(arguments, [f"{name}.shape" for name in inputs])
            writer.accept()
            for j, (name, array) in enumerate(zip(writer.into, gives, strict=True)):
                value = name if arrays else f"{name}._value"
                frame.result(j, xla_ffi.layout(array.shape, array.dtype.np), value)
        with source.block("except BaseException as error:"):
            source.write(f"return {failure}(words, error, [{', '.join(inputs)}])")
        source.write("finally: set_state(before)")
    return source.function("handle", _FILE)


def entry_handler(entry: Entry, takes: Sequence[BufferLayout], gives: Sequence[BufferLayout]) -> Handler:
    """The handler that calls a function with arrays of these layouts."""
    source = Source({**ownership.NAMES, "E": EagerTensor, "started": xla_ffi.started, "failed": xla_ffi.failed})
    frame = FrameSource(source)
    arguments = [frame.argument(i, layout) for i, layout in enumerate(takes)]
    results = [frame.result_array(j, layout) for j, layout in enumerate(gives)]
    with source.block(FrameSource.HEAD):
        frame.begin()
        with source.block("try:"):
            call = f"{source.name('f', entry)}([{', '.join(arguments)}], [{', '.join(results)}])"
            source.write(f"running = {call}", "if running is not None: started(words, running)")
        source.write("except BaseException as error: return failed(words, error)")
    return source.function("handle", _FILE)


class _ProgramWriter(ReadAtOnceWriter):
    """Generates a call whose arguments lie in memory of the program."""

    def of_rank(self, name: str, rank: int) -> str:
        """An argument of a known rank: a copy, or a view where the function was made with `copy=False`."""
        if not rank:
            return f"{name}[()]"
        if self.host.copy:
            return f"{name}.copy()"
        return f"{name}.view()" if self.host.mode is Mode.NUMPY else name


def _failure(call: HostCall) -> Any:
    """The answer to a call that raised, from the words of its frame, the exception and its arguments."""

    def failed(words: Any, error: BaseException, inputs: list[Any]) -> int | None:
        try:
            if isinstance(error, errors.PASS_THROUGH):
                raise error
            raised = call.explain(error, inputs)
            raise raised from raised.__cause__
        except BaseException as explained:
            return xla_ffi.failed(words, jax_errors.marked(explained))

    return failed
