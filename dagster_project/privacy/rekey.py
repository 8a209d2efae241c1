"""A home under another key, for one export: what is written from it cannot be joined to any other export.

Comes in: a home. Goes out, for the length of a context: a second home with the same raw data, policies and settings, built
under a secret made at random that is thrown away with it. Every surrogate, episode id and task id is another one, and
nobody can reverse them. What is not personal is as before: times, amounts, catalogue and texts can be compared. Not carried over: what people reviewed and what rollouts measured, since both name ids of the
first home; and days whose raw data has expired.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dagster_project.build.run import build
from dagster_project.errors import StageError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.locks import lock
from dagster_project.home.scratch import REKEY, scratch_folder
from dagster_project.home.settings import copy_settings
from dagster_project.lake.store import Lake, copy_tables
from dagster_project.lake.tables import (
    ARRIVED_OUTCOMES,
    CHATS,
    LEARNT,
    LOG_EVENTS,
    QUARANTINE,
    SPANS,
)
from dagster_project.tasks.grader_trust import CHECK
from redact.policy import load_policy

_SEALED: Final = LEARNT.name
"""What was learnt is sealed under the first key: it is learnt again."""
_ARRIVED: Final = (SPANS, LOG_EVENTS, CHATS, ARRIVED_OUTCOMES, QUARANTINE)
"""What everything else of the private side is made of."""
_GRADERS: Final = (f"verified_tasks: {CHECK}", "agreement: rubrics_agree")
_OPAQUE: Final = 'task_keys = "opaque"'
"""A task's id is made of its key: the same key under the same app would join the two exports."""


@contextmanager
def rekeyed(home: Home) -> Iterator[tuple[Home, str]]:
    """The home, built again under a key that nobody keeps, and the key; everything is removed afterwards."""
    with scratch_folder(home.private, REKEY) as scratch:
        other = open_home(scratch / "home", create=True)
        with lock(home, "build"):
            _carry(home, other)
        secret = secrets.token_hex(32)
        built = build(other, secret=secret)
        if failed := [check for check in built.failed_checks if not _on_graders(check)]:
            raise StageError(
                f"nothing was exported: under the other key these checks failed: {', '.join(failed)}; "
                "run the build, which says why"
            )
        yield other, secret


def _on_graders(check: str) -> bool:
    """Whether it says how far graders are trusted: under any key the same, and what is held back is held back there too."""
    return check.startswith(_GRADERS)


def _carry(home: Home, other: Home) -> None:
    copy_settings(home, other)
    for name in (home.outcome_policy.name, home.world_settings.name):
        if (home.path / name).exists():
            shutil.copy(home.path / name, other.path / name)
    load_policy(
        home.redaction_policy
    )  # a broken policy is an error of the user's file, not of its copy
    old = home.redaction_policy
    kept = old.read_text(encoding="utf-8").splitlines() if old.exists() else []
    kept = [line for line in kept if not line.replace(" ", "").startswith("task_keys=")]
    other.redaction_policy.write_text("\n".join([_OPAQUE, *kept]) + "\n", encoding="utf-8")
    if home.place is not None:
        copy_tables(Lake(home.private / "lake"), Lake(other.private / "lake"), _ARRIVED)
        return
    # Files of a Delta table are never changed once written: a link is a copy.
    for folder in (home.private / "lake").iterdir() if (home.private / "lake").exists() else ():
        if folder.name != _SEALED:
            target = other.private / "lake" / folder.name
            shutil.copytree(folder, target, copy_function=os.link, dirs_exist_ok=True)
    lake = Lake(other.private / "lake")
    lake.forget(_SEALED, lake.stamps(_SEALED))
