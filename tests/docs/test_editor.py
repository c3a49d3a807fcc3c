"""What an editor shows, asked of a language server: text on hovering, completions, misspelt names."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inlay._src.base.misuse import written
from scripts.result_types import SPECIAL, Asked, asked
from scripts.update_public_names import current

SOURCE = """\
import inlay as tf

tf.py_function
tf.numpy_function
tf.math.erf
tf.constant
tf.data.Dataset.range
tf.data.Dataset.map
tf.data.Dataset.zip
tf.data.Dataset.enumerate
tf.data.Dataset.from_tensor_slices


class Model(tf.Module):
    @tf.function
    def predict(self, x: tf.Tensor) -> tf.Tensor:
        return x


x = tf.constant(1)
numbers = tf.data.Dataset.range(3)
pairs = tf.data.Dataset.zip((numbers, numbers.batch(2).map(lambda rows: rows + 1)))
session = tf.compat.v1.Session()
variable = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = variable * variable

Model().predict(tf.constant(1.0)).
tf.constant(1.0).
x.
tf.data.Dataset.range(3).
for number in numbers: number.
for first, second in pairs: second.
session.run(x).
session.run([x, y])[0].
session.run({"x": x})["x"].
tape.gradient(y, variable).
tape.gradient(y, [variable])[0].
tape.gradient(y, {"v": variable})["v"].
tf.cond(x > 0, lambda: x, lambda: y).
tf.py_function(abs, [x], tf.int32, executor=tf.Threads(2)).
tf.py_function(abs, [x], [tf.int32])[0].
"""
TENSOR = {"numpy", "shape", "dtype"}
ARRAY = {"tolist", "shape", "dtype"}


class LanguageServer:
    """A process that answers requests about one file.

    Args:
      path: the file.
    """

    def __init__(self, path: Path) -> None:
        command = shutil.which("basedpyright-langserver", path=str(Path(sys.executable).parent))
        assert command is not None
        self.process = subprocess.Popen([command, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._uri, self._number = path.as_uri(), 0
        folder = {"uri": path.parent.as_uri(), "name": "folder"}
        capabilities = {
            "workspace": {"configuration": True},
            "textDocument": {"hover": {"contentFormat": ["plaintext"]}},
        }
        self.ask("initialize", processId=None, rootUri=None, capabilities=capabilities, workspaceFolders=[folder])
        self._send({"method": "initialized", "params": {}})
        document = {"uri": self._uri, "languageId": "python", "version": 1, "text": path.read_text(encoding="utf-8")}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def at(self, method: str, line: int, column: int) -> Any:
        """The answer to a request about a place, counted from 0."""
        place = {"line": line, "character": column}
        return self.ask(f"textDocument/{method}", textDocument={"uri": self._uri}, position=place)

    def ask(self, method: str, **parameters: Any) -> Any:
        """The result of a request; the server's own requests are answered meanwhile."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._received()
            if "method" not in message:
                if message.get("id") == self._number:
                    return message["result"]
            elif "id" in message:
                settings = [{"pythonPath": sys.executable} for _ in message["params"].get("items", ())]
                self._send({"id": message["id"], "result": settings or None})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def _received(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the language server ended"
        return json.loads(self.process.stdout.read(size))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    pytest.importorskip("basedpyright", reason="of the group dev: pyright, with node in the wheel")
    path = tmp_path_factory.mktemp("editor") / "program.py"
    path.write_text(SOURCE, encoding="utf-8")
    running = LanguageServer(path)
    yield running
    running.process.kill()
    running.process.communicate()


def line_of(text: str) -> int:
    return SOURCE.splitlines().index(text)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tf.py_function", "Calls a Python function as an op; the function receives eager tensors"),
        ("tf.numpy_function", "Calls a Python function as an op; the function receives NumPy arrays"),
        ("tf.math.erf", "The Gauss error function"),
        ("tf.constant", "Returns:"),
        ("tf.data.Dataset.range", "Raises:"),
        ("tf.data.Dataset.map", "it may run a function with effects twice"),
        ("tf.data.Dataset.zip", "Raises:"),
        ("tf.data.Dataset.enumerate", "Args:"),
        ("tf.data.Dataset.from_tensor_slices", "Raises:"),
    ],
)
def test_hovering_shows_the_documentation_once(server: LanguageServer, name: str, text: str) -> None:
    shown = json.dumps(server.at("hover", line_of(name), len(name) - 1))
    assert shown.count(text) == 1


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("Model().predict(tf.constant(1.0)).", TENSOR),
        ("tf.constant(1.0).", TENSOR),
        ("x.", TENSOR),
        ("tf.data.Dataset.range(3).", {"map", "batch", "prefetch"}),
        ("for number in numbers: number.", TENSOR),
        ("for first, second in pairs: second.", TENSOR),
        ("session.run(x).", ARRAY),
        ("session.run([x, y])[0].", ARRAY),
        ('session.run({"x": x})["x"].', ARRAY),
        ("tape.gradient(y, variable).", TENSOR),
        ("tape.gradient(y, [variable])[0].", TENSOR),
        ('tape.gradient(y, {"v": variable})["v"].', TENSOR),
        ("tf.cond(x > 0, lambda: x, lambda: y).", TENSOR),
        ("tf.py_function(abs, [x], tf.int32, executor=tf.Threads(2)).", TENSOR),
        ("tf.py_function(abs, [x], [tf.int32])[0].", TENSOR),
    ],
)
def test_an_expression_is_completed(server: LanguageServer, expression: str, names: set[str]) -> None:
    completions = server.at("completion", line_of(expression), len(expression))
    items = completions["items"] if isinstance(completions, dict) else completions
    assert names <= {item["label"] for item in items}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_hovering_over_any_public_function_or_method_shows_its_documentation(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright", reason="of the dev extra: pyright, with node in the wheel")
    functions = [a.path for a in asked() if not a.member or (a.is_called and a.member not in SPECIAL)]
    path = tmp_path / "program.py"
    path.write_text("".join(f"{line}\n" for line in ("import inlay", *functions)), encoding="utf-8")
    server = LanguageServer(path)
    try:
        shown = {name: server.at("hover", line, len(name) - 1) for line, name in enumerate(functions, 1)}
    finally:
        server.process.kill()
        server.process.communicate()
    values = current()
    values |= {a.path: _method(values, a) for a in asked() if a.member}
    assert [name for name in functions if not _says(shown[name], values[name])] == []


def _method(values: dict[str, Any], method: Asked) -> Any:
    """A method of a public class, with the docstring that it inherits if it has none."""
    cls = values[method.path.removesuffix(f".{method.member}")]
    members = [vars(base)[method.member] for base in cls.__mro__ if method.member in vars(base)]
    return next((m for m in members if _unbound(m).__doc__), members[0])


def _says(hover: Any, function: Any) -> bool:
    """Whether a text on hovering has the first words of the docstring of a function."""
    words = re.findall(r"\w+", written(_unbound(function)).__doc__ or "")[:4]
    text = re.findall(r"\w+", hover["contents"]["value"]) if hover else []
    return bool(words) and any(text[i : i + len(words)] == words for i in range(len(text)))


def _unbound(member: Any) -> Any:
    """The function of a class method or static method."""
    return getattr(member, "__func__", member)
