"""Walk a newcomer's paths in empty environments, and print the seconds of each step.

    make first-contact                                        with the Python of the path
    python scripts/first_contact.py --debian 3.13             in an empty Debian, as root with debootstrap
    python scripts/first_contact.py -- -q tests/unit/host     other tests of the source distribution; `tests` is all

From a clone: install, then run the README's function in a graph. From a wheel: the same where there is no source. From
the source distribution: install what its tests need, then run tests from its own folder. The checkout itself is only
read; the time of downloads is that of the package index or of pip's cache.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("-q", "tests/unit/host")


class FailedError(Exception):
    """A step that ended with an error, with what it printed."""


def run(*command: str | Path, folder: Path) -> str:
    """Runs a command and returns its output.

    Raises:
      FailedError: if its exit status is not 0.
    """
    settings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(part) for part in command], cwd=folder, env=settings, capture_output=True, text=True)
    if done.returncode:
        raise FailedError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def timed(what: str, step: Callable[[], object]) -> float:
    """Runs a step, and prints its seconds."""
    began = time.monotonic()
    step()
    seconds = time.monotonic() - began
    print(f"{seconds:8.1f} s  {what}", flush=True)
    return seconds


def program(readme: str) -> tuple[str, str]:
    """The README's program with a function in a graph, and what it prints."""
    section = readme.partition("\n## In a graph\n")[2]
    source, output = re.findall(r"```(?:python|text)\n(.*?)```", section, re.DOTALL)[:2]
    return source, output


def pip(python: Path, *arguments: str | Path, folder: Path) -> None:
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments, folder=folder)


def environment(folder: Path) -> Path:
    """The interpreter of a new virtual environment."""
    run(sys.executable, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin" / "python"


def run_example(python: Path, folder: Path) -> None:
    """Writes the README's program into a folder, runs it, and compares its output."""
    source, output = program((ROOT / "README.md").read_text(encoding="utf-8"))
    (folder / "mine.py").write_text(source, encoding="utf-8")
    printed = run(python, "mine.py", folder=folder)
    if printed != output:
        raise FailedError(f"mine.py printed\n{printed}instead of\n{output}")


def from_a_clone(place: Path) -> None:
    clone, python = place / "clone", place / "clone" / ".venv" / "bin" / "python"
    seconds = [
        timed("git clone", lambda: run("git", "clone", "--quiet", ROOT, clone, folder=place)),
        timed("python -m venv .venv", lambda: environment(clone / ".venv")),
        timed("pip install .", lambda: pip(python, "install", ".", folder=clone)),
        timed("the README's function in a graph", lambda: run_example(python, clone)),
    ]
    print(f"{sum(seconds):8.1f} s  from a clone to a function in a graph\n")


def from_a_wheel(place: Path) -> None:
    dist, python = place / "dist", place / "wheel" / "bin" / "python"
    seconds = [timed("python -m venv", lambda: environment(place / "wheel"))]
    timed("pip wheel", lambda: pip(python, "wheel", "--no-deps", "--wheel-dir", dist, place / "clone", folder=place))
    (wheel,) = dist.glob("*.whl")
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    seconds += [
        timed("pip install dist/*.whl", lambda: pip(python, "install", wheel, folder=elsewhere)),
        timed("the README's function in a graph", lambda: run_example(python, elsewhere)),
    ]
    print(f"{sum(seconds):8.1f} s  from a wheel to a function in a graph\n")


def from_the_source_distribution(place: Path, tests: Sequence[str]) -> None:
    dist, python = place / "dist", place / "builder" / "bin" / "python"

    def build() -> None:
        pip(environment(place / "builder"), "install", "build", folder=place)
        run(python, "-m", "build", "--sdist", "--outdir", dist, place / "clone", folder=place)

    timed("python -m build --sdist", build)
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(place, filter="data")
    folder = place / source.name.removesuffix(".tar.gz")
    seconds = [
        timed("make setup", lambda: run("make", "setup", f"PYTHON={sys.executable}", folder=folder)),
        timed(
            f"pytest {' '.join(tests)}",
            lambda: print(run(".venv/bin/python", "-m", "pytest", *tests, folder=folder).splitlines()[-1]),
        ),
    ]
    print(f"{sum(seconds):8.1f} s  from the source distribution to its tests")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--debian", metavar="VERSION", help="a Python version, taken from a Debian that is empty besides"
    )
    parser.add_argument("tests", nargs="*", default=TESTS, help="arguments of pytest, after --")
    options = parser.parse_args(arguments)
    if options.debian:
        from scripts.test_on_versions import of_debian

        python = of_debian(options.debian)
        command = [*python.enter, python.path, __file__, "--", *options.tests]
        return subprocess.run(command, cwd=ROOT).returncode
    print(f"Python {sys.version.split()[0]}, in an empty folder")
    with tempfile.TemporaryDirectory(prefix="first-contact-") as folder:
        try:
            from_a_clone(Path(folder))
            from_a_wheel(Path(folder))
            from_the_source_distribution(Path(folder), options.tests)
        except FailedError as error:
            print(f"failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
