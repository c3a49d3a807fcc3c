"""Messages as text, and back.

Formats: https://protobuf.dev/reference/protobuf/textformat-spec/, https://protobuf.dev/programming-guides/json/
"""

from __future__ import annotations

from typing import Any

from google.protobuf import json_format, text_format


def as_text(message: Any) -> str:
    """A message as text: a line for each field."""
    return text_format.MessageToString(message, as_utf8=True)


def from_text(text: str | bytes, kind: Any) -> Any:
    """The message of a class that a text writes out.

    Raises:
      ValueError: if it is no such text.
    """
    try:
        return text_format.Parse(text, kind())
    except text_format.ParseError as error:
        raise ValueError(f"no {kind.__name__} in text form: {error}") from None


def from_json(kind: Any, text: str) -> Any:
    """The message of a class that a JSON object is.

    Raises:
      ValueError: if it is none.
    """
    try:
        return json_format.Parse(text, kind())
    except json_format.ParseError as error:
        raise ValueError(f"no {kind.__name__} as JSON: {error}") from None
