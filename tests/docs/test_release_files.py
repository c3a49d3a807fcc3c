"""The distributions, the change log, and the files that a forge and git hooks read."""

from __future__ import annotations

import email
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT

yaml = pytest.importorskip("ruamel.yaml", reason="of the group test")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FORGE = ROOT / ".github"
SCHEMAS = {
    "CITATION.cff": ["vendor.citation-file-format"],
    ".github/dependabot.yml": ["vendor.dependabot"],
    ".github/ISSUE_TEMPLATE/config.yml": ["vendor.github-issue-config"],
    **{f".github/ISSUE_TEMPLATE/{name}.yml": ["vendor.github-issue-forms"] for name in ("bug", "difference", "idea")},
    **{
        f".github/workflows/{name}.yml": ["vendor.github-workflows", "custom.github-workflows-require-timeout"]
        for name in ("ci", "release")
    },
}


def loaded(name: str) -> Any:
    return yaml.YAML(typ="safe").load((ROOT / name).read_text(encoding="utf-8"))


# ---------------------------------------------------------------- files that others read


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_has_the_form_that_its_reader_wants(name: str) -> None:
    pytest.importorskip("check_jsonschema", reason="of the group dev: asks for a newer click than the library's lowest")
    for schema in SCHEMAS[name]:
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_for_the_forge_is_checked() -> None:
    files = {str(path.relative_to(ROOT)) for path in FORGE.rglob("*") if path.is_file()}
    assert files - set(SCHEMAS) == {".github/PULL_REQUEST_TEMPLATE.md"}


def test_the_citation_names_the_version_and_the_license() -> None:
    citation, project = loaded("CITATION.cff"), PROJECT["project"]
    # The first license is that of our own files, the others those of libraries that the wheel holds.
    assert (citation["version"], citation["license"]) == (project["version"], project["license"].split(" AND ")[0])


def test_workflows_run_every_python_and_targets_that_exist() -> None:
    ci, release = loaded(".github/workflows/ci.yml"), loaded(".github/workflows/release.yml")
    marks = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", c) for c in PROJECT["project"]["classifiers"])
    versions = [mark[1] for mark in marks if mark]
    assert ci["jobs"]["test"]["strategy"]["matrix"]["python"] == versions
    assert release["jobs"]["test"]["strategy"]["matrix"]["python"] == versions
    steps = [step for flow in (ci, release) for job in flow["jobs"].values() for step in job["steps"]]
    targets = {name for step in steps for name in re.findall(r"\bmake ([\w-]+)", step.get("run", ""))}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets and [name for name in targets if not re.search(rf"^{name}:", makefile, re.M)] == []
    for job in (job for flow in (ci, release) for job in flow["jobs"].values()):
        assert set(re.findall(r"needs\.(\w+)", str(job))) <= set(job.get("needs", []))


def test_a_job_may_write_only_where_it_publishes() -> None:
    ci, release = loaded(".github/workflows/ci.yml"), loaded(".github/workflows/release.yml")
    assert ci["permissions"] == release["permissions"] == {"contents": "read"}
    asked = {name: job["permissions"] for name, job in (ci["jobs"] | release["jobs"]).items() if "permissions" in job}
    assert asked == {"publish": {"id-token": "write"}}


def test_hooks_run_programs_that_the_group_dev_installs() -> None:
    (hooks,) = loaded(".pre-commit-config.yaml")["repos"]
    assert hooks["repo"] == "local"
    wanted = {"python"} | {
        re.split("[>=]", line)[0] for line in PROJECT["dependency-groups"]["test"] if isinstance(line, str)
    }
    for hook in hooks["hooks"]:
        assert {"id", "name", "entry", "language"} <= set(hook)
        program = hook["entry"].split()[0]
        assert program.removeprefix(".venv/bin/") in wanted, program
        assert re.compile(hook.get("files", ""))


# ---------------------------------------------------------------- change log


def test_the_change_log_is_built_from_fragments(tmp_path: Path) -> None:
    pytest.importorskip("towncrier", reason="of the group dev")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "changes", tmp_path / "changes")
    (tmp_path / "changes" / "+new.fixed.md").write_text("Something is mended.\n", encoding="utf-8")
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    for path in (tmp_path / "changes").glob("*.md"):
        assert path.name == "README.md" or path.name.split(".")[-2] in kinds, path.name
    command = [sys.executable, "-m", "towncrier", "build", "--version", "9.9.0", "--date", "2030-01-31", "--keep"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = ROOT / "CHANGELOG.md", (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## 9.9.0, 2030-01-31\n" in after
    fixed = after.split("### Fixed\n\n")[1].split("\n\n")[0].splitlines()
    assert "- Something is mended." in fixed
    text = before.read_text(encoding="utf-8")
    assert after.endswith(text[text.index("\n## ") :])  # what stands there stays


# ---------------------------------------------------------------- distributions


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of this checkout."""
    pytest.importorskip("hatchling", reason="of the group dev")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="of the group dev")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=55, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def metadata(folder: Path) -> Message:
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_the_metadata_are_what_every_index_takes(distributions: Path) -> None:
    said = metadata(distributions)
    assert said["Metadata-Version"] == "2.4"
    assert "Operating System :: POSIX :: Linux" in said.get_all("Classifier", [])
    assert "dev" not in said.get_all("Provides-Extra", [])


def test_an_index_page_has_no_link_that_leads_nowhere(distributions: Path) -> None:
    page = metadata(distributions).get_payload()
    assert isinstance(page, str) and page.startswith("# inlay\n")
    assert re.findall(r"\]\((?!https?:)[^)]*\)", page) == []
    assert "coming from TensorFlow" in page.replace("\n", " ")  # the text of a link stays


def test_the_wheel_holds_the_package_alone(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {"inlay", "inlay-0.1.0.dist-info"}
        assert "inlay/py.typed" in archive.namelist()


def test_the_source_distribution_holds_every_file_of_a_checkout(distributions: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if listed.returncode:
        pytest.skip("no checkout of git")
    (source,) = distributions.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    files = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    assert files - held == set()
    assert held - files == {"PKG-INFO"}
