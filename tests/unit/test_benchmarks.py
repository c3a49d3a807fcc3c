"""The benchmarks measure what they say: rows and cases fit, peers that fail are reported, goals are judged rightly."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import inlay
from benchmarks import concurrency, environments, growth, ledger, report, row_tables, run, soak
from benchmarks.cases import datasets, everyday, tensorflow_api, tensorflow_figures
from benchmarks.environments import PEERS, Peer
from benchmarks.peers import Gone, Process, Team
from benchmarks.rows import ALL_ROWS, GROUPS, ROWS, Bound, Row

ROW = Row("a_row", "a row", "a_case", ("torch",), seconds=2e-6, ratio=10)
LONG = {
    *(f"{name}_bare" for name in ("large_aligned", "large_default", "large_without_copy")),
    "sine_chain_1e6",
    "build_and_run_10000",
    "run_10000",
    "large_default",
    "large_aligned",
    "large_without_copy",
    "import_module",
}


def cases_of(name: str) -> dict[str, Any]:
    return importlib.import_module(f"benchmarks.cases.{PEERS[name].cases}").CASES  # type: ignore[no-any-return]


# ---------------------------------------------------------------- rows and cases


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: row.name)
def test_everyone_in_a_row_has_its_case_and_the_control(row: Row) -> None:
    for name in row.entries:
        assert {row.case, "control"} <= set(cases_of(name)), name
    references = (row.bound.case, *row.bound.plus) if row.bound else ()
    assert set(references) <= set(cases_of(row.subject)) - {row.case}


def test_names_of_rows_are_distinct() -> None:
    assert len({row.name for row in ALL_ROWS}) == len(ALL_ROWS)


OWN_CASES = {**tensorflow_api.CASES, **everyday.CASES, **datasets.CASES}


@pytest.mark.parametrize("case", sorted(set(OWN_CASES) - LONG))
def test_our_side_of_a_case_runs(case: str) -> None:
    assert OWN_CASES[case](inlay)(2) > 0


def test_growth_figures() -> None:
    figures = tensorflow_figures.growth(inlay, size=20, steady_seconds=0.0)
    assert set(figures) == {"build", "first", "steady", "mb"}
    assert min(figures["build"], figures["first"], figures["steady"]) > 0


def test_threads_share_a_session_without_a_wrong_value_or_a_lost_call() -> None:
    figures = tensorflow_figures.concurrency(inlay, threads=8, wide=4, seconds=0.2)
    assert figures["runs"] > 8
    assert concurrency._runs_per_second(figures, wide=4) > 0


@pytest.mark.parametrize("bad", [{"wrong": 1}, {"calls": 39}, {"calls": 41}])
def test_a_wrong_value_or_a_lost_call_is_an_error(bad: dict[str, int]) -> None:
    figures = {"runs": 10, "seconds": 1.0, "calls": 40, "wrong": 0, **bad}
    with pytest.raises(AssertionError, match="10 runs of 4 calls"):
        concurrency._runs_per_second(figures, wide=4)


# ---------------------------------------------------------------- peers


def test_a_worker_answers_reports_errors_and_is_missed_when_it_dies() -> None:
    process = Process(PEERS["inlay"])
    try:
        assert process.versions["inlay"] == inlay.__version__
        assert process.ask(case="control", calls=2)["seconds"] > 0
        assert process.ask(case="no such case", calls=1) == {"absent": "no such case"}
        assert "TypeError" in process.ask(case="control", calls="two")["error"]
        assert process.ask(modules=["inlay", "tensorflow"]) == {"loaded": ["inlay"]}
        assert process.ask(case="eager_add", calls=1)["seconds"] > 0
        process._process.kill()
        process._process.wait()
        with pytest.raises(Gone, match="inlay ended with -9"):
            process.ask(case="control", calls=1)
    finally:
        process.close()


def test_a_peer_that_cannot_be_imported_is_absent_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEERS, "broken", Peer("broken", "no_such_module"))
    with Team(["broken"]) as team:
        assert team.process("broken") is None
        assert "No module named 'benchmarks.cases.no_such_module'" in team.absent["broken"]


def test_a_peer_that_is_not_installed_is_absent_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environments, "ENVIRONMENTS", environments.ENVIRONMENTS / tmp_path.name)
    with Team(["tensorflow"], install=False) as team:
        assert "--no-install was given" in team.absent["tensorflow"]


def test_a_failed_installation_is_reported_with_the_words_of_pip(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def pip(command: list[str], **_: Any) -> Any:
        failed = "install" in command
        return SimpleNamespace(returncode=int(failed), stderr="WARNING: x\nERROR: No matching distribution for dask\n")

    monkeypatch.setattr(environments, "ENVIRONMENTS", environments.ENVIRONMENTS / tmp_path.name)
    monkeypatch.setattr(subprocess, "run", pip)
    reason = environments.prepare(PEERS["dask"])
    assert reason == "could not be installed: ERROR: No matching distribution for dask"


def test_peers_run_without_our_packages_and_we_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "src")
    assert "PYTHONPATH" not in environments.variables(PEERS["tensorflow"])
    assert environments.variables(PEERS["inlay"])["PYTHONPATH"] == "src"


# ---------------------------------------------------------------- measuring and judging


class FakeTeam:
    """Peers with a set time per call; `errors` fail instead. `cases` are further cases, the same for every peer."""

    def __init__(
        self, seconds: dict[str, float], errors: dict[str, str], cases: dict[str, float] | None = None
    ) -> None:
        self.seconds, self.errors, self.absent = seconds, errors, {"jax": "could not be installed: ERROR"}
        self.cases = cases or {}
        self.asked: list[str] = []
        self.released: set[tuple[str, str]] = set()

    def process(self, name: str) -> Any:
        if name in self.absent:
            return None

        def ask(**request: Any) -> dict[str, Any]:
            if "release" in request:
                self.released.add((name, request["release"]))
            if request.get("case") in self.cases:
                return {"seconds": self.cases[request["case"]] * request["calls"]}
            if request.get("case") != "a_case":
                return {"seconds": 1e-4} if "case" in request else {"loaded": []}
            self.asked.append(name)
            if name in self.errors:
                return {"error": f"Traceback\n{self.errors[name]}"}
            return {"seconds": self.seconds[name] * request["calls"]}

        return SimpleNamespace(ask=ask)


EFFORT = run.Effort(rounds=4, least_rounds=2, round_seconds=0.01, row_seconds=5.0)


def judged(seconds: dict[str, float], row: Row = ROW, **errors: str) -> dict[str, Any]:
    team: Any = FakeTeam(seconds, errors)
    return run.judged(run.measure(team, row, EFFORT, ["inlay", "tensorflow", "torch", "jax"]))


def test_a_row_is_met_when_time_and_ratio_are() -> None:
    entry = judged({"inlay": 1e-6, "tensorflow": 5e-5, "torch": 5e-7})
    assert entry["met"] is True
    assert entry["ratios"]["tensorflow"]["median"] == pytest.approx(50)
    assert entry["ratios"]["torch"]["median"] == pytest.approx(0.5)
    assert entry["seconds"]["inlay"]["n"] == 4
    assert entry["calls"]["inlay"] == pytest.approx(10_000, rel=0.6)
    assert row_tables.wanting(entry) == "torch takes 500 ns, 2x faster"


@pytest.mark.parametrize("inlay_seconds, tensorflow_seconds", [(3e-6, 1e-3), (1e-6, 9e-6)])
def test_a_row_is_missed_when_either_is(inlay_seconds: float, tensorflow_seconds: float) -> None:
    entry = judged({"inlay": inlay_seconds, "tensorflow": tensorflow_seconds, "torch": 1.0})
    assert entry["met"] is False
    assert "MISSED" in run.line(entry) and "goal ≤ 2 us, ≥ 10x missed" in row_tables.wanting(entry)


def test_without_tensorflow_a_ratio_is_not_judged_but_a_time_is() -> None:
    failing = {"tensorflow": "ValueError: not here"}
    entry = judged({"inlay": 1e-6, "torch": 1e-6}, **failing)
    assert entry["met"] is None and entry["absent"] == {"tensorflow": "failed: ValueError: not here"}
    assert "failed: ValueError: not here" in run.line(entry)
    assert judged({"inlay": 1.0, "torch": 1e-6}, **failing)["met"] is False


def test_a_case_of_ours_that_fails_misses_its_goal() -> None:
    entry = judged({"tensorflow": 1e-6, "torch": 1e-6}, inlay="AttributeError: gone")
    assert entry["met"] is False and row_tables.wanting(entry) == "did not run"


def test_a_row_without_goals_is_not_judged() -> None:
    entry = judged({"inlay": 1e-6, "tensorflow": 5e-5}, Row("a_row", "a row", "a_case"))
    assert entry["met"] is None and run.line(entry).endswith("goal none")


def test_a_module_that_may_not_be_loaded_misses_the_goal() -> None:
    row = Row("a_row", "a row", "a_case", seconds=1.0, unloaded=("jax",))
    measured = run.Measured(row, samples={"inlay": [1e-6]}, loaded=["jax"])
    entry = run.judged(measured)
    assert entry["met"] is False and "loaded ['jax']" in run.line(entry)


BOUND = Row("a_row", "a row", "a_case", bound=Bound(2.5, "plain", ("copy",)))


def bounded(seconds: float, cases: dict[str, float], before: float | None = None) -> tuple[dict[str, Any], FakeTeam]:
    """A row that is held to 2.5 times one case and a second one."""
    team: Any = FakeTeam({"inlay": seconds, "tensorflow": 1e-4, **({"before": before} if before else {})}, {}, cases)
    wanted = ["inlay", "tensorflow", *(["before"] if before else [])]
    return run.judged(run.measure(team, BOUND, EFFORT, wanted)), team


@pytest.mark.parametrize("seconds, met", [(2.9e-6, True), (3.1e-6, False)])
def test_a_row_is_bounded_by_other_cases_of_the_same_rounds(seconds: float, met: bool) -> None:
    entry, team = bounded(seconds, {"plain": 1e-6, "copy": 5e-7})
    assert entry["met"] is met
    assert entry["bound"]["median"] == pytest.approx(3e-6) and entry["bound"]["n"] == EFFORT.rounds
    assert ("<= 2.5 x plain + copy = 3 us" in run.line(entry)) and ("MISSED" in run.line(entry)) is not met
    assert team.released == {(n, c) for n, c in [("inlay", "a_case"), ("tensorflow", "a_case"), ("inlay", "plain"),
                                                 ("inlay", "copy")]}  # fmt: skip
    assert ("goal ≤ 2.5 x plain + copy = 3 us missed" in row_tables.wanting(entry)) is not met


def test_a_bound_is_taken_round_by_round() -> None:
    measured = run.Measured(
        BOUND,
        samples={"inlay": [1e-6, 9e-6, 3e-6]},  # the second round was slow for all
        references={"plain": [5e-7, 4e-6, 1e-6], "copy": [1e-7, 1e-7, 6e-7]},
    )
    entry = run.judged(measured)
    assert entry["met"] is True
    assert entry["bound"] == {"median": pytest.approx(3.1e-6), "min": pytest.approx(1.35e-6), "n": 3,
                              "q1": pytest.approx(2.225e-6), "q3": pytest.approx(6.6e-6)}  # fmt: skip


def test_a_bound_whose_cases_fail_is_not_judged() -> None:
    team: Any = FakeTeam({"inlay": 1e-6, "tensorflow": 1e-4}, {})
    team.process = lambda name, found=team.process: SimpleNamespace(
        ask=lambda **request: {"error": "gone"} if request.get("case") == "plain" else found(name).ask(**request)
    )
    entry = run.judged(run.measure(team, BOUND, EFFORT, ["inlay", "tensorflow"]))
    assert entry["met"] is None and entry["bound"] is None
    assert run.line(entry).endswith("goal <= 2.5 x plain + copy: not judged")


# ---------------------------------------------------------------- the predecessor


@pytest.mark.parametrize(
    "ratio, word",
    [
        ({"q1": 0.90, "median": 0.93, "q3": 0.94}, "slower"),
        ({"q1": 0.90, "median": 0.94, "q3": 0.95}, "in doubt"),
        ({"q1": 0.80, "median": 0.96, "q3": 0.99}, ""),
        ({"q1": 1.20, "median": 1.50, "q3": 1.90}, ""),
    ],
)
def test_slower_than_before_is_what_the_quartiles_cannot_explain(ratio: dict[str, float], word: str) -> None:
    assert run.beside_before(ratio) == word


@pytest.mark.parametrize("before, slower", [(2.9e-6, False), (2e-6, True)])
def test_the_predecessor_is_a_peer_of_its_own_kind(before: float, slower: bool) -> None:
    entry, _ = bounded(2.9e-6, {"plain": 1e-6, "copy": 5e-7}, before)
    assert entry["before"] == "before" and entry["met"] is True
    assert entry["ratios"]["before"]["median"] == pytest.approx(before / 2.9e-6)
    assert run.line(entry).endswith("beside before: SLOWER") is slower
    assert row_tables._before(entry) == ("**0.69x (0.69 to 0.69)**" if slower else "1.00x (1.00 to 1.00)")
    assert "before" not in row_tables._others(entry)
    assert row_tables.wanting(entry) == ("its predecessor took 2 us" if slower else "")
    assert run._since([entry], "abc")[0] == f"beside abc: {0 if slower else 1} of 1 rows within 5% or better"
    entry["versions"] = {"before": {"commit": "0123456789abcdef"}}
    page = "\n".join(row_tables.predecessor({"a_row": entry}))
    assert "commit 0123456789:" in page and ("Slower: a_row." in page) is slower


class TeamOfProcesses(FakeTeam):
    """A team in which the predecessor's first processes are slow or fast by chance."""

    def __init__(self, before: list[float]) -> None:
        super().__init__({"inlay": 1e-6, "before": before[0], "tensorflow": 5e-5}, {})
        self.later = before[1:]
        self.dropped: list[str] = []

    def drop(self, name: str) -> None:
        self.dropped.append(name)
        if name == "before":
            self.seconds["before"] = self.later.pop(0)


@pytest.mark.parametrize(
    "before, dropped, verdict",
    [
        ([1e-6], 0, ""),  # as fast: measured once
        ([9e-7, 1.2e-6], 1, ""),  # the first process was lucky
        ([9e-7, 9.2e-7, 1e-6], 2, "in doubt"),
        ([9e-7, 9e-7, 9e-7], 2, "slower"),
    ],
)
def test_slower_is_confirmed_by_fresh_processes(before: list[float], dropped: int, verdict: str) -> None:
    team: Any = TeamOfProcesses(before)
    measured = run.measure_surely(team, Row("a_row", "a row", "a_case"), EFFORT, ["inlay", "tensorflow", "before"])
    entry = run.judged(measured)
    assert sorted(team.dropped) == ["before"] * dropped + ["inlay"] * dropped
    assert run.beside_before(entry["ratios"]["before"]) == verdict
    assert entry["seconds"]["before"]["n"] == EFFORT.rounds * (1 + dropped)
    assert entry["seconds"]["tensorflow"]["n"] == entry["ratios"]["tensorflow"]["n"] == EFFORT.rounds


def test_without_a_predecessor_there_is_none() -> None:
    entry, _ = bounded(2.9e-6, {"plain": 1e-6, "copy": 5e-7})
    assert (
        entry["before"] is None and row_tables._before(entry) == "" and row_tables.predecessor({"a_row": entry}) == []
    )


def test_the_predecessor_of_a_row_runs_with_its_settings() -> None:
    before = {row.name: row.before for row in ALL_ROWS}
    assert before["eager_add"] == "before" and before["large_malloc"] == "before+malloc"
    assert before["forms_convert_array"] == ""  # NumPy alone has no predecessor of ours


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A repository of one commit, whose library is empty."""
    (tmp_path / "src" / "inlay").mkdir(parents=True)
    (tmp_path / "src" / "inlay" / "__init__.py").write_text("old = True\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("\n\n")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "One")):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / ".envs")
    return tmp_path


def test_a_commit_is_laid_beside_the_environments_once(here: Path) -> None:
    folder = environments.checkout("HEAD")
    assert folder.parent == here / ".envs" / "commits" and len(folder.name) == 40
    assert (folder / "src" / "inlay" / "__init__.py").read_text() == "old = True\n"
    (folder / "marker").touch()
    assert environments.checkout(folder.name[:8]) == folder and (folder / "marker").exists()
    assert list(folder.parent.iterdir()) == [folder]


def test_an_unknown_commit_is_refused_by_name(here: Path) -> None:
    with pytest.raises(ValueError, match="git knows no commit 'nonsense' here"):
        environments.with_before("nonsense")
    assert environments.with_before(None) is PEERS


def test_the_predecessor_is_imported_from_its_commit(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peers = environments.with_before("HEAD")
    source = environments.checkout("HEAD") / "src"
    assert peers["before"].variables["PYTHONPATH"] == str(source) == str(peers["before+malloc"].source)
    assert peers["before+malloc"].variables.items() >= environments.ALLOCATOR.items()
    monkeypatch.setattr(environments, "ROOT", environments.HERE.parent)  # where the cases are
    process = Process(peers["before"])
    try:
        assert process.versions["commit"] == source.parent.name
    finally:
        process.close()


def test_a_predecessor_from_elsewhere_is_absent_with_the_reason(tmp_path: Path) -> None:
    with Team(["before"], peers={"before": Peer("before", "inlay_", source=tmp_path)}) as team:
        assert team.process("before") is None
        assert "before was imported from" in team.absent["before"] and str(tmp_path) in team.absent["before"]


def test_growth_has_the_predecessor_beside_us_round_by_round() -> None:
    new = [{"build": 1.0, "first": 2.0, "steady": 4.0}, {"build": 2.0, "first": 2.0, "steady": 8.0}]
    old = [{"build": 2.0, "first": 2.0, "steady": 2.0}, {"build": 4.0, "first": 2.0, "steady": 4.0}]
    found = growth._before({"inlay": new, "before": old, "tensorflow": new})["before"]  # type: ignore[dict-item]
    assert {key: spread["median"] for key, spread in found.items()} == {"build": 2.0, "first": 1.0, "steady": 0.5}
    assert growth._before({"inlay": new}) == {}  # type: ignore[dict-item]


def test_concurrency_has_the_predecessor_beside_us_round_by_round() -> None:
    def process(name: str) -> Any:
        def ask(figures: str, arguments: dict[str, Any]) -> dict[str, Any]:
            runs = 100 if name == "before" else 150
            return {"figures": {"runs": runs, "seconds": 1.0, "calls": runs * arguments["wide"], "wrong": 0}}

        return SimpleNamespace(ask=ask)

    team: Any = SimpleNamespace(process=process, absent={}, versions=dict)
    entry = concurrency.measure(team, "two", 2, 3, 0.1, ("inlay", "before"))
    assert {key: spread["median"] for key, spread in entry["before"].items()} == {"one": 1.5, "many": 1.5}
    assert "one 1.50x beside before; many 1.50x beside before" in concurrency.line(entry)
    assert concurrency.measure(team, "two", 2, 3, 0.1, ("inlay",))["before"] == {}


def test_an_absent_peer_stays_in_the_line() -> None:
    entry = judged({"inlay": 1e-6, "tensorflow": 5e-5}, Row("a_row", "a row", "a_case", ("jax",), ratio=10))
    assert "jax ABSENT: could not be installed: ERROR" in run.line(entry)
    assert entry["met"] is True


def test_peers_are_measured_by_turns() -> None:
    team: Any = FakeTeam({"inlay": 0.01, "tensorflow": 0.01, "torch": 0.01}, {})
    run.measure(team, ROW, EFFORT, ["inlay", "tensorflow", "torch"])
    assert team.asked[-12:-3] == [
        *("inlay", "tensorflow", "torch"),
        *("tensorflow", "torch", "inlay"),
        *("torch", "inlay", "tensorflow"),
    ]


def test_unknown_peers_are_refused_by_name() -> None:
    with pytest.raises(SystemExit, match=r"unknown peers \['theano'\]; known: inlay, "):
        run._peer_names("tf,theano")
    assert run._peer_names("tf") == ["inlay", "inlay+malloc", "tensorflow", "tensorflow+malloc"]


@pytest.mark.parametrize("seconds, text", [(2.5e-7, "250 ns"), (1.5e-6, "1.5 us"), (0.0123, "12.3 ms"), (4.0, "4 s")])
def test_duration(seconds: float, text: str) -> None:
    assert run.duration(seconds) == text


# ---------------------------------------------------------------- ledger and page


def test_the_ledger_says_when_where_and_on_what(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    header = ledger.header("row")
    ledger.append([{**header, "row": "a"}], path)
    ledger.append([{**header, "row": "b"}, {**header, "kind": "soak"}], path)
    assert [entry["row"] for entry in ledger.read("row", path)] == ["a", "b"]
    assert len(ledger.read(path=path)) == 3
    assert {"run", "commit", "dirty", "machine", "python"} <= set(header)
    assert header["machine"]["cores"] >= 1 and header["machine"]["cpu"]


def test_spread() -> None:
    assert ledger.spread([4.0, 1.0, 2.0, 3.0, 5.0]) == {"median": 3.0, "min": 1.0, "q1": 2.0, "q3": 4.0, "n": 5}
    assert ledger.spread([2.0]) == {"median": 2.0, "min": 2.0, "q1": 2.0, "q3": 2.0, "n": 1}


def test_the_newest_full_measurement_is_shown() -> None:
    entries = [
        {"row": "a", "quick": True, "n": 1},
        {"row": "a", "quick": False, "n": 2},
        {"row": "a", "quick": False, "n": 3},
        {"row": "a", "quick": True, "n": 4},
        {"row": "b", "quick": True, "n": 5},
    ]
    assert {key: entry["n"] for key, entry in report.latest(entries, "row").items()} == {"a": 3, "b": 5}


def test_a_shortcoming_without_a_reason_is_named() -> None:
    row = ROWS[0]
    entry = {**judged({"inlay": 1.0, "tensorflow": 1.0, "torch": 1.0}), "title": row.title}
    lines, lacking = row_tables.explained({row.name: entry}, {}, [row])
    assert lacking == [row.name] and "Not explained yet." in lines[0]
    lines, lacking = row_tables.explained({row.name: entry}, {row.name: "Because."}, [row])
    assert not lacking and lines[0].endswith("missed. Because.")


def test_the_table_has_every_row_and_what_is_not_built() -> None:
    entry = {**judged({"inlay": 1e-6, "tensorflow": 5e-5, "torch": 5e-7}), "title": ROWS[0].title}
    lines = row_tables.table({ROWS[0].name: entry})
    assert len(lines) == 2 + len(ROWS)
    assert "| 1 us |" in lines[2] and "| met |" in lines[2] and "torch 500 ns (0.5x)" in lines[2]
    assert "not measured yet" in lines[3]


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_has_a_table_of_its_own(name: str) -> None:
    rows = GROUPS[name]
    entry = {**judged({"inlay": 1e-6, "tensorflow": 5e-5, "torch": 1e-6}), "title": rows[0].title}
    lines = row_tables.group_table(rows, {rows[0].name: entry})
    assert lines[2].startswith(f"| {rows[0].title} | 1 us |  | 50 us | 50x (50x to 50x) |") and "| met |" in lines[2]
    assert lines[-1] == "1 of 1 rows meet their goal." and "not measured yet" in lines[3]


def test_only_the_text_between_markers_is_replaced() -> None:
    page = "above\n<!-- rows -->\nold\n<!-- /rows -->\nbelow\n"
    assert report.filled(page, {"rows": ["new"]}) == "above\n<!-- rows -->\n\nnew\n\n<!-- /rows -->\nbelow\n"
    with pytest.raises(ValueError, match="<!-- growth -->"):
        report.filled(page, {"growth": []})


def test_the_tables_have_a_section_for_each_group_and_kind() -> None:
    page = report.results({}, {})
    titles = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert len(titles) == len(set(titles)) == 4 + 10 + len(GROUPS)
    assert set(report.TITLES) == set(GROUPS)


def test_the_summary_counts_goals_and_takes_the_median_ratio() -> None:
    entry = judged({"inlay": 1e-6, "tensorflow": 5e-5, "torch": 1e-6})
    assert report.summary({ROWS[0].name: entry})[2] == "| Calls, datasets, start-up | 1 | 1 of 1 | 50x |  |"


# ---------------------------------------------------------------- what the soak calls a fault


def soaked(**changes: Any) -> dict[str, Any]:
    result = {"done": 10, "wrong": 0, "start_mb": 50.0, "warm_mb": 60.0, "grown_mb": 1.0, **changes}
    return soak._judged("plans", 10, [result], [], 1.0)


def test_a_soak_without_faults_is_well() -> None:
    assert soaked()["met"] is True and "all well" in soak.line(soaked())


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"wrong": 2}, "2 wrong values"),
        ({"done": 9}, "9 of 10 done in the time given"),
        ({"grown_mb": 20.0}, "memory grew by 20.0 MB after warm-up"),
        ({"faults": ["program 7 hangs"]}, "program 7 hangs"),
    ],
)
def test_a_soak_names_its_faults(changes: dict[str, Any], fault: str) -> None:
    entry = soaked(**changes)
    assert entry["met"] is False and fault in entry["faults"] and fault in soak.line(entry)


def test_memory_is_judged_after_warm_up() -> None:
    memory = soak.Memory(100)  # blocks above 32 MB are new memory: what was freed is not used for them
    kept = [b"x" * 60_000_000]
    memory.look(10)
    memory.look(30)
    assert memory.figures()["grown_mb"] == 0.0
    kept.append(b"y" * 60_000_000)
    memory.look(40)
    assert memory.figures()["grown_mb"] > soak.FLAT_MB
    assert kept
