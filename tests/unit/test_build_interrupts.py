"""An interrupt stops a build whenever it comes: Dagster notes one that comes between two steps and forgets it when the run ends."""

import logging
import os
import signal
import threading

import dagster as dg
import pytest

from dagster_project.build.interrupts import no_interrupt_lost


class CtrlC(logging.Handler):
    """A handler that presses Ctrl-C when the run says that it succeeded."""

    def emit(self, record: logging.LogRecord) -> None:
        """Hear one line of the run's log."""
        if "RUN_SUCCESS" in record.getMessage():
            os.kill(os.getpid(), signal.SIGINT)


@dg.logger
def interrupting(_: dg.InitLoggerContext) -> logging.Logger:
    """The log in which it is heard."""
    log = logging.getLogger("tests.interrupting")
    log.setLevel(logging.DEBUG)
    log.addHandler(CtrlC())
    return log


@dg.op
def work() -> int:
    """One step."""
    return 1


@dg.job(logger_defs={"interrupting": interrupting})
def job() -> None:
    """The run."""
    work()


def test_an_interrupt_after_the_last_step_stops() -> None:
    """Nothing asks Dagster again after the last step."""
    with pytest.raises(KeyboardInterrupt), no_interrupt_lost():
        job.execute_in_process(run_config={"loggers": {"interrupting": {}}})


def test_nothing_is_raised_where_nothing_came() -> None:
    """The wake-up socket is taken back."""
    before = signal.set_wakeup_fd(-1)
    with no_interrupt_lost():
        done = [1]
    assert done == [1]
    assert signal.set_wakeup_fd(before) == -1


def test_work_outside_the_main_thread_runs_as_it_is() -> None:
    """Python hears signals in the main thread only."""
    done: list[int] = []

    def run() -> None:
        with no_interrupt_lost():
            done.append(1)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == [1]
