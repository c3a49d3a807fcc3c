"""The number of threads for one op: estimated, measured, settled, reviewed."""

from __future__ import annotations

import random
import threading

import pytest

from inlay._src.base.interpreter import costs
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.tuning import TUNING

WORK = 10 * TUNING.thread_wakeup_ns


class Machine:
    """A clock that runs by what work takes on a number of threads.

    Attributes:
      seconds: number of threads -> time of a run.
      now: the time.
    """

    def __init__(self) -> None:
        self.seconds, self.now = {1: 100, 4: 50}, 0

    def run(self, choice: ThreadChoice, work: float = WORK) -> int:
        """Does some work; the number of threads that it was done on."""
        with choice.over(work, 0) as threads:
            self.now += self.seconds[threads]
        return threads


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(costs.time, "perf_counter_ns", lambda: machine.now)
    monkeypatch.setattr(parked, "_asked", 4)
    return machine


def trial(machine: Machine, choice: ThreadChoice) -> list[int]:
    return [machine.run(choice) for _ in range(4 * TUNING.thread_trials)]


@pytest.mark.parametrize("several, settled", [(50, 4), (94, 4), (96, 1), (300, 1)])
def test_the_faster_way_is_settled(machine: Machine, several: int, settled: int) -> None:
    choice, machine.seconds[4] = ThreadChoice(), several
    streak = [4] * TUNING.thread_trials + [1] * TUNING.thread_trials
    assert trial(machine, choice) == 2 * streak
    assert {machine.run(choice) for _ in range(50)} == {settled}


def test_the_estimate_comes_first(machine: Machine) -> None:
    calls = WORK / TUNING.interpreter_switch_ns
    assert ThreadChoice().over(WORK, 0).threads == 4
    assert ThreadChoice().over(WORK, calls).threads == 1


def test_small_work_is_not_measured(machine: Machine) -> None:
    choice = ThreadChoice()
    assert {machine.run(choice, TUNING.thread_wakeup_ns / 2) for _ in range(50)} == {1}


def test_one_thread_is_no_choice(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked, "_asked", 1)
    assert ThreadChoice().over(WORK, 0) is costs.ONE_THREAD


def test_each_magnitude_is_measured_by_itself(machine: Machine) -> None:
    choice = ThreadChoice()
    trial(machine, choice)
    assert not choice.over(WORK, 0).measured
    assert not choice.over(1.01 * WORK, 0).measured
    assert choice.over(4 * WORK, 0).measured


def test_the_first_run_of_a_streak_does_not_count(machine: Machine) -> None:
    choice = ThreadChoice()
    for place in range(4 * TUNING.thread_trials):
        machine.seconds[4] = 50 if place % TUNING.thread_trials else 10**9
        machine.run(choice)
    assert choice.over(WORK, 0).threads == 4


def test_one_slow_run_decides_nothing(machine: Machine) -> None:
    choice = ThreadChoice()
    for place in range(4 * TUNING.thread_trials):
        machine.seconds[4] = 10**9 if place == 1 else 50
        machine.run(choice)
    assert choice.over(WORK, 0).threads == 4


def test_a_failed_run_has_no_time(machine: Machine) -> None:
    choice = ThreadChoice()
    for _ in range(99):
        with pytest.raises(ZeroDivisionError), choice.over(WORK, 0):
            raise ZeroDivisionError
    assert choice.over(WORK, 0).measured  # it could not be settled
    assert {machine.run(choice) for _ in range(8 * TUNING.thread_trials)} == {1, 4}  # both ways are tried again
    assert not choice.over(WORK, 0).measured


def test_a_choice_is_reviewed(machine: Machine) -> None:
    choice = ThreadChoice()
    trial(machine, choice)
    machine.seconds[4] = 300  # other programs keep the cores busy from now on
    runs = [machine.run(choice) for _ in range(TUNING.thread_review_runs + 5 * TUNING.thread_trials)]
    assert set(runs[: TUNING.thread_review_runs - 1]) == {4} and runs[-1] == 1
    machine.seconds[4] = 50
    later = [machine.run(choice) for _ in range(8 * TUNING.thread_review_runs + 5 * TUNING.thread_trials)]
    assert set(later[: 7 * TUNING.thread_review_runs]) == {1} and later[-1] == 4


@pytest.mark.parametrize("seed", range(20))
def test_runs_that_overlap_settle_too(machine: Machine, seed: int) -> None:
    rand, choice = random.Random(seed), ThreadChoice()
    running: list[costs.OpThreads] = []
    for _ in range(400):
        if running and rand.random() < 0.5:
            context = running.pop(rand.randrange(len(running)))
            machine.now += machine.seconds[context.threads]
            context.__exit__(None, None, None)
        else:
            running.append(choice.over(WORK, 0))
            assert running[-1].__enter__() in (1, 4)
        if not choice.over(WORK, 0).measured:
            return
    raise AssertionError("it was never settled")


def test_threads_share_a_choice() -> None:
    choice, errors = ThreadChoice(), []
    barrier = threading.Barrier(4)

    def work() -> None:
        try:
            barrier.wait(30)
            for _ in range(2000):
                with choice.over(WORK, 0) as threads:
                    assert threads >= 1
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not errors
