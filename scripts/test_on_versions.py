"""Run the test suite on each Python that the classifiers name, and on the lowest versions of what we depend on.

    make versions                                          every environment that can be made here
    python scripts/test_on_versions.py --only lowest -- -x -q tests/unit/host
    python scripts/test_on_versions.py --python /opt/python3.13/bin/python

An interpreter is found as `python3.12`, say, on the path, or named by `--python`. Debian has some that are absent:
where this runs as root and debootstrap is installed, they are taken from a folder with a small Debian, into which only
these tests look. The environments are kept in `.versions`, and made anew after pyproject.toml changed. The lowest
versions are the lower bounds in pyproject.toml, of the dependencies and of the extras; they are tested on the lowest
Python that was found.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
PLACE = ROOT / ".versions"
LOWEST = "lowest"
RELEASES = {"3.13": "trixie", "3.14": "sid"}
"""The release of Debian that has a version of Python."""
_ENTER = """#!/bin/sh
# Runs a command in the Debian beside this file, with the checkout in its place. The mounts end with the command.
exec unshare --mount -- sh -euc '
base=$1 checkout=$2; shift 2
for part in dev proc sys; do mount --rbind "/$part" "$base/$part"; done
mkdir -p "$base$checkout"
mount --bind "$checkout" "$base$checkout"
exec chroot "$base" env --chdir="$PWD" "$@"
' sh {base} {checkout} "$@"
"""
_SETTINGS = ("/etc/resolv.conf", "/etc/pip.conf", "~/.config/pip/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
"""This machine's way to the package index, as files that are copied."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python of this machine.

    Attributes:
      path: the program, where it runs.
      enter: the command that runs others there; () for the machine itself.
    """

    path: str
    enter: tuple[str, ...] = ()


class UnavailableError(Exception):
    """No such interpreter can be had here, with the reason."""


def versions(project: Mapping[str, Any]) -> list[str]:
    """The Python versions that the classifiers name, as "3.11"."""
    matches = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", c) for c in project["classifiers"])
    return [match[1] for match in matches if match]


def lowest(project: Mapping[str, Any]) -> list[str]:
    """The lower bounds of dependencies and extras, as pins.

    Raises:
      ValueError: for a requirement without a lower bound.
    """
    pins = set()
    for requirement in (
        *project["dependencies"],
        *(r for wanted in project["optional-dependencies"].values() for r in wanted),
    ):
        if re.match(rf"{project['name']}\[", requirement):  # an extra made of others
            continue
        bound = re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,<[\w.]+)?(?: *;.*)?", requirement)
        if not bound:
            raise ValueError(f"{requirement!r} is not of the form name>=version")
        pins.add(f"{bound[1]}=={bound[2]}")
    return sorted(pins)


def interpreters(wanted: Iterable[str], named: Sequence[str]) -> dict[str, Interpreter]:
    """Version -> interpreter: those on the path that run, and those that were named.

    Raises:
      subprocess.CalledProcessError: if one that was named fails.
    """
    paths = {version: path for version in wanted if (path := shutil.which(f"python{version}")) and _runs(path)}
    paths.update((_run_version(path).stdout.strip(), path) for path in named)
    return {version: Interpreter(paths[version]) for version in sorted(paths, key=_minor)}


def _runs(path: str) -> bool:
    """Whether an interpreter starts: pyenv has launchers on the path for versions that are not selected too."""
    return _run_version(path, check=False).returncode == 0


def _run_version(path: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([path, "-c", code], check=check, capture_output=True, text=True)


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def of_debian(version: str) -> Interpreter:
    """The interpreter of a version that Debian has, in a folder of its own.

    Raises:
      UnavailableError: if Debian has none, or none can be had here.
    """
    release = RELEASES.get(version)
    if release is None:
        raise UnavailableError("no interpreter")
    if os.geteuid():
        raise UnavailableError(f"no interpreter; Debian {release} has one, which root can install with debootstrap")
    if shutil.which("debootstrap") is None:
        raise UnavailableError(f"no interpreter; Debian {release} has one: apt install debootstrap")
    place = PLACE / f"debian-{version}"
    base, enter = place / "root", place / "enter"
    if not enter.exists():
        shutil.rmtree(place, ignore_errors=True)
        base.mkdir(parents=True)
        packages = f"ca-certificates,git,make,python{version},python{version}-venv"
        command = ["debootstrap", "--variant=minbase", f"--include={packages}", release, str(base)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            *_, last = ["no output", *(done.stdout + done.stderr).split("\n")[:-1]]
            raise UnavailableError(f"no interpreter; debootstrap gave {done.returncode}: {last}")
        for name in _SETTINGS:
            settings = Path(name).expanduser()
            if settings.is_file():
                copy = base / settings.relative_to("/")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(settings, copy)
        enter.write_text(_ENTER.format(base=shlex.quote(str(base)), checkout=shlex.quote(str(ROOT))), encoding="utf-8")
        enter.chmod(0o755)
    return Interpreter(f"/usr/bin/python{version}", (str(enter),))


def environment(name: str, interpreter: Interpreter, pins: Sequence[str] = ()) -> Path:
    """The interpreter of an environment with the project, what its tests need, and `pins`."""
    folder = PLACE / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists() and ready.stat().st_mtime > PROJECT.stat().st_mtime:
        return python
    subprocess.run([*interpreter.enter, interpreter.path, "-m", "venv", "--clear", str(folder)], check=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    install = [*interpreter.enter, str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "pip>=25.1"], check=True)  # the first that knows dependency groups
    groups = ["test" if pins else "dev", "neighbors"]
    wanted = ["--editable", str(ROOT), *(part for group in groups for part in ("--group", f"{PROJECT}:{group}"))]
    subprocess.run([*install, "--constraint", str(constraints), *wanted], check=True)
    ready.touch()
    return python


def tested(name: str, interpreter: Interpreter, pins: Sequence[str], arguments: Sequence[str]) -> str:
    """Runs the suite in an environment, and says how that ended."""
    python = environment(name, interpreter, pins)
    settings = {
        **os.environ,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(python.parents[1]),
    }
    began = time.monotonic()
    done = subprocess.run([*interpreter.enter, str(python), "-m", "pytest", *arguments], cwd=ROOT, env=settings)
    seconds = f"after {time.monotonic() - began:.0f} s"
    return f"passed {seconds}" if done.returncode == 0 else f"failed: pytest gave {done.returncode} {seconds}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="an interpreter; repeatable")
    parser.add_argument("--only", action="append", metavar="NAME", help=f"an environment: 3.12, or {LOWEST}")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, after --")
    options = parser.parse_args(arguments)
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    stated = versions(project)
    available = interpreters(stated, options.python)
    outcomes = {}
    for version in stated:
        if version not in available and version in (options.only or stated):
            try:
                available[version] = of_debian(version)
            except UnavailableError as reason:
                outcomes[version] = f"not tested: {reason}"
    if not available:
        parser.error(f"none of {', '.join(f'python{v}' for v in stated)} is on the path; name one with --python")
    environments = {version: (available[version], list[str]()) for version in sorted(available, key=_minor)}
    environments[LOWEST] = (next(iter(environments.values()))[0], lowest(project))
    for name, (interpreter, pins) in environments.items():
        if options.only and name not in options.only:
            continue
        print(f"== {name}: {' '.join(pins) or interpreter.path}", flush=True)
        outcomes[name] = tested(name, interpreter, pins, options.pytest)
    print(*(f"{name}: {outcome}" for name, outcome in outcomes.items()), sep="\n")
    return int(any(outcome.startswith("failed") for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
