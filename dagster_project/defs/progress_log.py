"""The logger through which `tracegym build` hears Dagster's own events; `dagster dev` keeps its console."""

import logging

import dagster as dg

from dagster_project.build.progress import tell

LOGGER = "progress"
_SAYS = {
    dg.DagsterEventType.STEP_START: "started",
    dg.DagsterEventType.STEP_SUCCESS: "done",
    dg.DagsterEventType.STEP_FAILURE: "failed",
    dg.DagsterEventType.STEP_SKIPPED: "skipped",
}


class _Handler(logging.Handler):
    """Turns step events into progress; everything else stays in the event log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Report the start or end of a step."""
        meta = getattr(record, "dagster_meta", None)
        event = meta.get("dagster_event") if isinstance(meta, dict) else None
        if isinstance(event, dg.DagsterEvent) and event.event_type in _SAYS and event.step_key:
            done = int(event.event_type is dg.DagsterEventType.STEP_SUCCESS)
            tell(event.step_key, done, 1, _SAYS[event.event_type])


@dg.logger(None, description="Forwards step events to whoever listens in this process.")
def progress(context: dg.InitLoggerContext) -> logging.Logger:
    """A logger with that one handler."""
    del context
    # Not from the registry of loggers: a run's handlers must not pile up there.
    logger = logging.Logger("tracegym.progress", logging.DEBUG)  # noqa: LOG001
    logger.addHandler(_Handler())
    return logger


@dg.definitions
def loggers() -> dg.Definitions:
    """The logger, by the name that runs ask for."""
    return dg.Definitions(loggers={LOGGER: progress})
