"""Python functions in messages: a call names its token, as in TensorFlow, and a function of the library with its body.

    node       op "EagerPyFunc", token, Tin, Tout; _body: the name of
    function   "body_DIGEST", that takes and gives nothing; constants (attributes, as earlier versions wrote them):
                 manifest    the description of the function, JSON (`bodies.manifest`)
                 data        its pickle; empty for a function that is saved by import name
                 arrays      the digests of the captured arrays
                 memory      their bytes, where these are not kept elsewhere
                 variables   the names of the variables that it is bound to
                 reason      instead of all of these: why it cannot be serialized

Other readers see a function of constants. Reading one runs nothing; `host.portable.opened` opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.operation import Operation
from inlay._src.host import portable
from inlay._src.host.bodies.manifest import BodyManifest
from inlay._src.host.bodies.portable import PortableBody, Stored
from inlay._src.host.bodies.trust import Everything, Trust
from inlay._src.ops.serialized import array_in, tensor_message

BODY = "_body"
GRADIENT = "_gradient_body"
"""Names the body of the gradient that was registered under the name in `_gradient_op_type`."""
PREFIX = "body_"
"""The prefix of the names of functions that are bodies."""
_MOST_INLINE = 1 << 30
"""Bytes of a body that a message holds: more than two thirds of what protobuf can are left to the graph."""


class Written(NamedTuple):
    """A body to write.

    Attributes:
      body: the body; None if it cannot be serialized.
      variables: the names of its variables.
      inline: whether the bytes of its arrays are part of the message.
      reason: why it cannot be serialized.
    """

    body: PortableBody | None
    variables: Sequence[str] = ()
    inline: bool = True
    reason: str = ""


def refused_at(node: Operation, why: BaseException | str) -> errors.OpError:
    """The error for a node that cannot be saved.

    Args:
      node: the node.
      why: the reason why it cannot be saved; or an error with it.
    """
    said = errors.said_by(why) if isinstance(why, BaseException) else why
    text = f"op '{node.name}' ({node.type}), defined at {node.site}: {said}\n  [[{{{{node {node.name}}}}}]]"
    return errors.refused(errors.InvalidArgumentError, TypeError, text)


Packing = Callable[[Operation, Any], Written]
"""The serialization of the Python functions of a message: from a node and its `HostFunction` or object."""


def inline(node: Operation, host: Any) -> Written:
    """The body of a function in a message that stands alone."""
    try:
        body = portable.packed(host)
    except TypeError as error:
        return Written(None, reason=str(error))
    if body.variables:
        names = ", ".join(v.name for v in body.variables)
        return Written(None, reason=f"it uses variables ({names}), which a graph does not hold: save a model")
    if body.nbytes > _MOST_INLINE:
        return Written(None, reason=f"it has {body.nbytes:,} bytes, more than a graph may hold: save a model")
    return Written(body)


def message_of(messages: Any, written: Written) -> Any:
    """The function of the library that has a body; its name is still to be given."""
    message = messages.FunctionDef()
    if written.body is None:
        _put(message, "reason", [written.reason.encode()])
        return message
    body = written.body
    _put(message, "manifest", [body.manifest.to_json().encode()])
    _put(message, "data", [body.data])
    _put(message, "arrays", [array.digest.encode() for array in body.arrays])
    if written.inline:
        _put(message, "memory", [array.memory.tobytes() for array in body.arrays])
    _put(message, "variables", [name.encode() for name in written.variables])
    return message


def _put(message: Any, name: str, texts: Sequence[bytes]) -> None:
    """Adds a constant with strings to a function."""
    values = np.empty(len(texts), object)
    values[:] = texts
    node = message.node_def.add(name=name, op="Const")
    node.attr["dtype"].type = dtypes.string.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tensor_message(values, dtypes.string))


def base_name(written: Written) -> str:
    """The base of the name of a body's function."""
    return PREFIX + ("unsaved" if written.body is None else written.body.digest)


class AbsentFunction:
    """Stands for a Python function of the process that wrote a graph.

    Args:
      token: its name in the graph.
    """

    def __init__(self, token: str) -> None:
        self.token = token

    def __call__(self, *args: Any) -> Any:
        raise ValueError(
            f"callback {self.token} is not found: the graph names a Python function of the process that wrote it, and "
            "does not bring it along. Supply one with tf.saved_model.load(..., host_functions={token: function}), or "
            "build the call with py_function, and map its result in with the input_map of import_graph_def"
        )


# ---------------------------------------------------------------- reading


def _contents(function: Any) -> dict[str, list[bytes]]:
    """The strings of a function that has a body, by the names of its constants."""
    contents: dict[str, list[bytes]] = {}
    for node in function.node_def:
        if node.op == "Const" and node.attr["dtype"].type == dtypes.string.as_datatype_enum:
            tensor = node.attr["value"].tensor
            if tensor.dtype != dtypes.string.as_datatype_enum:
                raise ValueError(f"{node.name!r} of {function.signature.name!r} does not hold strings, as it says")
            contents[node.name] = array_in(tensor)[0].ravel().tolist()
    for name, value in function.attr.items():  # as earlier versions wrote them
        contents.setdefault(name, list(value.list.s) if value.WhichOneof("value") == "list" else [value.s])
    return contents


class StoredBody(NamedTuple):
    """A body that a message holds.

    Attributes:
      body: the body.
      variables: the names of its variables.
    """

    body: PortableBody
    variables: tuple[str, ...]


def bodies_of(functions: Iterable[Any], stored: Callable[[str], Stored] | None = None) -> dict[str, StoredBody]:
    """The bodies in a library by the names of their functions.

    Args:
      functions: the `FunctionDef`s.
      stored: gives an array by its digest, where the message does not hold its bytes.

    Raises:
      ValueError: if one is not what its name says.
      DataLossError: if a manifest is damaged.
    """
    bodies: dict[str, StoredBody] = {}
    for function in functions:
        name = function.signature.name
        if not name.startswith(PREFIX):
            continue
        contents = _contents(function)
        if "manifest" not in contents:
            continue
        digests = [text.decode("ascii", "replace") for text in contents.get("arrays", ())]
        memory = contents.get("memory", ())
        if memory:
            arrays = [Stored.of(part) for part in memory]
            if [a.digest for a in arrays] != digests:
                raise ValueError(f"the arrays of {name!r} are not those that it names")
        elif stored is None and digests:
            raise ValueError(f"the arrays of {name!r} are not in the message: they are in the folder of its model")
        else:
            arrays = [] if stored is None else [stored(digest) for digest in digests]
        (manifest,), (data,) = contents["manifest"], contents.get("data") or [b""]
        body = PortableBody(BodyManifest.from_json(manifest), data, tuple(arrays))
        if name.removeprefix(PREFIX).partition("_")[0] != body.digest:
            raise ValueError(f"the body of {name!r} has the digest {body.digest}: it was changed")
        if name in bodies:
            raise ValueError(f"the library has two functions {name!r}")
        variables = tuple(text.decode("utf-8", "replace") for text in contents.get("variables", ()))
        bodies[name] = StoredBody(body, variables)
    return bodies


class Hosts:
    """The host functions of a message that stands alone, opened when a node of it is read.

    Args:
      functions: its library.
      trust: the functions that may run; see `Trust.of`.
      stored: see `bodies_of`.

    Raises:
      PermissionDeniedError: if one may not.
    """

    def __init__(self, functions: Any, trust: Any, stored: Callable[[str], Stored] | None = None) -> None:
        self._held = bodies_of(functions, stored)
        self._trust = Trust.of(trust)
        bodies = (f for f in functions if f.signature.name.startswith(PREFIX))
        self._reasons = {f.signature.name for f in bodies if "reason" in _contents(f)}
        self._opened: dict[str, Any] = {}
        self._trust.check([held.body for held in self._held.values()], "The graph")

    def __call__(self, name: str) -> Any:
        """The contents of a body, by its name; None if the writer could not send it.

        Raises:
          ValueError: if there is none.
        """
        if name in self._reasons:
            return None
        if name not in self._held:
            raise ValueError(f"the library has no body {name!r}")
        contents = self._opened.get(name)
        if contents is None:
            try:
                held = self._held[name]
                variables = self._trust.variables if isinstance(self._trust, Everything) else ()
                bound = [variables[int(at)] for at in held.variables] if variables else []
                contents = self._opened[name] = portable.opened(held.body, self._trust, bound)
            except errors.DataLossError as error:
                raise ValueError(str(error)) from error
        return contents
