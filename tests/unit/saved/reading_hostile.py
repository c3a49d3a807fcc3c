"""Reads hostile models in a fresh process, under an audit hook that notes whatever a reader must not do.

    python -m tests.unit.saved.reading_hostile FOLDER < cases.json > outcomes.json

FOLDER has good models whose names begin with `base`, and may have a model `bomb`, which is trusted.
Every module that the readers need is imported and every reader has run once before the hook is set.
"""

from __future__ import annotations

import colorsys  # noqa: F401  - a model names it, and it may be imported: here it is before the hook
import faulthandler
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy.ma  # noqa: F401  - as above
from click.testing import CliRunner

import inlay as tf
import inlay.compat.v1.summary
from inlay import errors
from inlay._src.base.export import load_all
from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.saved.container import GRAPH, MANIFEST, Container
from inlay._src.tools.command import main

LONGEST = 30
"""Seconds that reading one model may take."""
MOST_MEMORY = 1 << 31
"""Bytes of address space that reading all of them may take."""
FORBIDDEN = (
    "pickle.find_class", "exec", "import", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn",
    "subprocess.Popen", "socket.", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink",
    "os.truncate", "os.chmod", "os.chown", "os.utime", "os.putenv", "shutil.", "ctypes.dlopen", "code.__new__",
    "marshal.load", "tempfile.",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

noted: list[str] = []
watching = False


def note(event: str, args: tuple[Any, ...]) -> None:
    """The audit hook."""
    if not watching:
        return
    if event == "open":
        path, mode, flags = args
        opened = os.fsdecode(path) if isinstance(path, (str, bytes)) else ""
        inside = not os.path.isabs(opened) or opened.startswith((FOLDER, sys.prefix, sys.base_prefix, "/proc/self"))
        if (flags or 0) & WRITING or ".." in opened.split("/") or not inside:
            noted.append(f"open {args!r}")
    elif event.startswith(FORBIDDEN):
        noted.append(f"{event} {args!r}"[:300])


def readers(path: str, trust: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What reads a model: name and call."""
    yield "load", lambda: tf.saved_model.load(path, trust=trust)
    yield "load without trust", lambda: tf.saved_model.load(path)
    yield "contains", lambda: tf.saved_model.contains_saved_model(path)
    yield "of a session", lambda: of_a_session(path, trust)
    yield "import_graph_def", lambda: imported(path, trust)
    yield "checkpoint", lambda: checkpoint(f"{path}/variables/variables")
    for arguments in (["show", path], ["verify", path], ["verify", path, "--key", "ed25519:" + "0" * 64],
                      ["call", path, "--input", "x=[1, 2]"]):  # fmt: skip
        yield " ".join(arguments[:1] + arguments[2:3]), lambda arguments=arguments: command(arguments)


def of_a_session(path: str, trust: list[str]) -> None:
    """As TensorFlow 1 loads."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], path, trust=trust)


def imported(path: str, trust: list[str]) -> None:
    """The graph alone, with a node for each of its functions."""
    if not os.path.isfile(f"{path}/{GRAPH}") or os.path.getsize(f"{path}/{GRAPH}") > 1 << 24:
        return
    data = Path(f"{path}/{GRAPH}").read_bytes()
    try:
        message = SavedModel.FromString(data).meta_graphs[0].graph_def
    except Exception:  # no message: there is nothing to import
        return
    for function in list(message.library.function):
        if not function.signature.input_arg:
            continue
        graph = type(message)()
        graph.CopyFrom(message)
        call = graph.node.add(name="call", op="StatefulPartitionedCall")
        for number, argument in enumerate(function.signature.input_arg):
            given = graph.node.add(name=f"given_{number}", op="Placeholder")
            given.attr["dtype"].type = argument.type
            call.input.append(given.name)
        call.attr["f"].func.name = function.signature.name
        call.attr["Tin"].list.type.extend(a.type for a in function.signature.input_arg)
        call.attr["Tout"].list.type.extend(a.type for a in function.signature.output_arg)
        with tf.Graph().as_default():
            tf.import_graph_def(graph, trust=trust)


def checkpoint(prefix: str) -> None:
    """Every value of the files of variables."""
    files = list(Path(prefix).parent.glob(f"{Path(prefix).name}.*"))
    if not files or any(file.is_symlink() or not file.is_file() for file in files):
        return  # it is the container that guards what a path leads to
    reader = tf.train.load_checkpoint(prefix)
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
    reader.get_variable_to_dtype_map()


def command(arguments: list[str]) -> None:
    """The command line; its errors are told in words."""
    done = CliRunner().invoke(main, arguments)
    if done.exit_code not in (0, 1, 2) or not isinstance(done.exception, (SystemExit, type(None))):
        raise AssertionError(f"{arguments} ended with {done.exit_code} and {done.exception!r}") from done.exception
    if done.exit_code and "Error: " not in done.output:
        raise AssertionError(f"{arguments} said {done.output!r}")
    if done.exit_code:
        raise errors.OpError(None, None, done.output, 2)


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """What came of a call."""
    noted.clear()
    began = time.monotonic()
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    told: dict[str, Any] = {"error": None, "ours": True, "said": ""}
    try:
        call()
    except BaseException as error:
        told = {"error": type(error).__name__, "ours": isinstance(error, (errors.OpError, ValueError)),
                "said": str(error)[:2000]}  # fmt: skip
    faulthandler.cancel_dump_traceback_later()
    return {**told, "seconds": time.monotonic() - began, "events": list(noted)}


if __name__ == "__main__":
    FOLDER = os.path.realpath(sys.argv[1])
    cases = json.load(sys.stdin)
    sys.addaudithook(note)
    load_all()
    for base in sorted(str(path) for path in Path(FOLDER).glob("base*")):
        for _, read in readers(base, [Container(base).digest] if os.path.exists(f"{base}/{MANIFEST}") else []):
            outcome(read)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MOST_MEMORY,) * 2)
    watching = True
    found = {
        case["name"]: {n: outcome(read) for n, read in readers(f"{FOLDER}/{case['name']}", case["trust"])}
        for case in cases
    }
    bomb = f"{FOLDER}/bomb"
    if os.path.exists(bomb):
        trusted = outcome(lambda: tf.saved_model.load(bomb, trust=Container(bomb).digest))
        found["a bomb that is trusted"] = {"load": trusted}
    watching = False
    print(json.dumps(found))
