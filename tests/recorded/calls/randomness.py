"""Calls of functions that draw from a seed that they are given, and of Fourier transforms."""

from __future__ import annotations

from tests.recorded.draws import Call, Draws, calls


@calls("random.stateless_normal random.stateless_truncated_normal random.stateless_uniform", loose=10)
def stateless(d: Draws) -> Call:
    words = {"dtype": d.pick("float32", "float64", "float16")} if d.chance(0.5) else {}
    return d.call(list(d.shape(0, 2)), [d.whole(0, 999), d.whole(0, 9)], **words, order=0)


@calls("random.stateless_uniform:int")
def stateless_int(d: Draws) -> Call:
    return d.call(
        list(d.shape(0, 2)),
        [d.whole(0, 999), 7],
        minval=-3,
        maxval=d.whole(5, 100),
        dtype=d.pick("int32", "int64"),
        order=0,
    )


@calls("random.stateless_categorical")
def stateless_categorical(d: Draws) -> Call:
    return d.call(
        d.given("wide", (d.whole(1, 3), d.whole(1, 4)), odd=False), d.whole(1, 4), [d.whole(0, 999), 7], order=0
    )


@calls("signal.fft signal.ifft", loose=10)
def fourier(d: Draws) -> Call:
    return d.call(d.given(d.dtype("complex"), d.shape(1, 3, empty=False)))
