"""The command line: errors in a few words, exit status, and traces only for who asks."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from inlay._src.tools import explained
from inlay._src.tools.command import main
from inlay._src.tools.commands import limits


def run(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    done = CliRunner(env=env).invoke(main, arguments)
    return done.exit_code, done.output


def test_help_says_what_there_is() -> None:
    status, says = run("--help")
    assert status == 0 and "server" in says and "--debug" in says
    status, says = run("server", "-h")
    assert status == 0 and "--address" in says and "can run code on this machine" in " ".join(says.split())
    assert run("--version") == (0, "main, version 0.1.0\n")


def test_the_version_loads_no_command() -> None:
    code = (
        "import sys; from inlay._src.tools.command import main; main(['--version'], standalone_mode=False); "
        "print(*[name for name in ('numpy', 'inlay.api', 'inlay._src.base.errors') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split("\n")[1:] == ["", ""], done


def test_the_doctor_tells_of_the_machine_and_tries_the_executors() -> None:
    status, says = run("doctor", "--no-ray")
    assert status == 0 and "shared memory" in says and "open files" in says
    status, says = run("doctor", "--no-ray", "--json")
    report = json.loads(says)
    assert status == 0 and set(report["extras"]) == {
        "data", "jax", "keras", "progress", "ray", "scipy", "sign", "torch",
    }  # fmt: skip
    assert report["inlay"]["version"] == "0.1.0"
    places = {name: outcome for name, outcome in report["executors"].items() if name != "ray"}
    assert places == dict.fromkeys(["inline", "threads", "async", "processes"], "works")
    assert report["executors"]["ray"].startswith("not ")
    assert {"open files", "memory of the group", "processes of the group"} <= set(report["limits"])


def test_the_doctor_works_where_the_package_is_a_folder_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", absent)
    monkeypatch.setattr(importlib.metadata, "version", absent)
    status, says = run("doctor", "--no-ray")
    lines = {" ".join(line.split()) for line in says.splitlines()}
    assert status == 0 and {"version 0.1.0", "numpy not installed"} <= lines


def test_the_doctor_says_what_to_install_for_an_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "jax":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    status, says = run("doctor", "--json")
    report = json.loads(says)
    assert status == 0 and report["to install"]["jax"] == "pip install 'inlay[jax]'"
    assert report["executors"]["ray"] == "not installed: pip install 'inlay[ray]'"


def test_the_doctor_fails_where_no_worker_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr("inlay._src.tools.commands.doctor.py_function", fail)
    status, says = run("doctor", "--no-ray", "--json")
    assert status == 1 and json.loads(says)["executors"]["processes"] == "OSError: no process"


def test_the_limits_of_a_control_group_are_the_lowest_on_the_way_to_the_root(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "groups" / "outer" / "inner"
    own.mkdir(parents=True)
    (own / "memory.max").write_text("max\n")
    (own.parent / "memory.max").write_text(f"{512 << 20}\n")
    (own / "pids.max").write_text("100\n")
    (tmp_path / "cgroup").write_text("0::/outer/inner\n")
    monkeypatch.setattr(limits, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(limits, "_OWN_GROUP", tmp_path / "cgroup")
    rows = limits.limits()
    assert (rows["memory of the group"], rows["processes of the group"]) == ("512 MB", "100")
    (tmp_path / "cgroup").unlink()
    assert limits.limits()["memory of the group"] == "unlimited"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["server"], "no cluster is specified: pass --cluster, or set TF_CONFIG"),
        (["server", "--cluster", "{"], "Invalid value for --cluster: this is not JSON"),
        (["server", "--task", "-1"], "Invalid value for '--task'"),
        (["serve"], "No such command 'serve'"),
    ],
)
def test_a_wrong_command_line_is_status_2(arguments: list[str], says: str) -> None:
    status, said = run(*arguments, env={"TF_CONFIG": "{}"})
    assert (status, says in said) == (2, True), said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--cluster", '{"a": 1}'], "Error: TypeError: The tasks for job 'a' must be a list"),
        (["--cluster", '{"a": ["h:1", "h:2"]}'], "Error: ValueError: Must specify an explicit `task_index`."),
        (["--cluster", '{"a": ["h:1"]}', "--job", "b"], "Error: ValueError: No such job in cluster: 'b'"),
    ],
)
def test_an_error_is_status_1_and_a_line(arguments: list[str], says: str) -> None:
    assert run("server", *arguments, env={"TF_CONFIG": "{}"})[0] == 1
    status, said = run("server", *arguments, env={"TF_CONFIG": "{}"})
    assert says in said and "Traceback" not in said
    done = CliRunner().invoke(main, ["--debug", "server", *arguments])
    assert isinstance(done.exception, (TypeError, ValueError))


def test_a_ray_cluster_that_is_not_there_is_told_at_once() -> None:
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        nowhere = f"127.0.0.1:{probe.getsockname()[1]}"
    spec = json.dumps({"worker": ["127.0.0.1:0"]})
    command = [sys.executable, "-m", "inlay", "server", "--cluster", spec, "--address", nowhere]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: UnavailableError: no Ray cluster could be joined at {nowhere}: ")
    assert done.stderr.count("\n") == 1


def test_an_error_is_explained_by_the_name_in_its_message() -> None:
    status, says = run("explain", "unfed-placeholder")
    assert status == 0 and "sess.run(y, {x: [1.0]})" in says
    status, says = run("explain")
    assert status == 0 and "unfed-placeholder" in says.splitlines()
    status, says = run("explain", "unfed-placehold")
    assert (status, "near it: unfed-placeholder" in says) == (2, True), says


def test_an_explanation_refers_to_no_page_that_an_installed_package_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = explained.entries()
    pages = [Path(page) for text in texts.values() for page in re.findall(r"\(([^()]*/docs/[^()]*\.md)\)", text)]
    assert pages and all(page.exists() for page in pages)
    monkeypatch.setattr(explained, "_CHECKOUT", Path("/nonexistent"))
    texts = explained.entries()
    assert not [name for name, text in texts.items() if "docs/" in text or ".md" in text]
    assert '"gradients" in the documentation' in "".join(texts.values())


@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_every_command_has_examples_in_its_help(name: str) -> None:
    status, help_text = run(name, "--help")
    assert status == 0
    examples = help_text.partition("Examples:")[2].strip().splitlines()
    assert examples and all(f"inlay {name}" in line for line in examples)
    assert ".md" not in help_text


def test_a_shell_completes_commands() -> None:
    script = "import sys; sys.argv = ['inlay']; from inlay._src.tools.command import main; main(prog_name='inlay')"
    words = {"COMP_WORDS": "inlay co", "COMP_CWORD": "1", "_INLAY_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | words, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "plain,convert\nplain,coverage\n"
