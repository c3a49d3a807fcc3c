"""Examples written as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import same


@op("DecodeJSONExample", "json_examples:string -> string", infer=same, lower=REFUSES_VALUES)
@export("io.decode_json_example", "decode_json_example")
def decode_json_example(xp: Any, json_examples: Any) -> Any:
    """Examples as the bytes of `tf.train.Example` messages.

    Args:
      json_examples: strings of any shape, each a message in the JSON form of protobuf.

    Raises:
      InvalidArgumentError: if a string is no such message.
    """
    from inlay._src.base.protos.example import Example
    from inlay._src.base.protos.text import from_json

    def decoded(text: bytes) -> bytes:
        try:
            message = from_json(Example, text.decode("utf-8", "replace"))
        except ValueError as error:
            raise ValueError(f"Error while parsing JSON: {error}") from None
        return message.SerializeToString(deterministic=True)  # type: ignore[no-any-return]

    texts = np.asarray(json_examples, object)
    out = np.empty(texts.size, object)
    out[:] = [decoded(text) for text in texts.ravel().tolist()]
    return out.reshape(texts.shape)
