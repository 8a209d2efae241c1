"""The app that a command was asked for: its name as the home stores it, and what is said where the home has none of that name."""

from pathlib import Path

from dagster_project.errors import InputError
from dagster_project.home.layout import Home
from dagster_project.home.settings import apps_of
from ingest.records.app_name import safe_app_name


def stored_name(app: str | None) -> str | None:
    """The name as tables and paths carry it: `kündi` is stored as `k%C3%BCndi`."""
    return safe_app_name(app) if app else app


def asked_apps(opened: Home, app: str | None, home: Path) -> tuple[str, ...]:
    """The app that was asked for, or all; `home` as it was given.

    Raises `InputError` where the home knows no such app.
    """
    known = apps_of(opened)
    if not app:
        return known
    if app not in known:
        raise InputError(f"{home} knows no app {app!r}; it knows: {', '.join(known) or 'none yet'}")
    return (app,)
