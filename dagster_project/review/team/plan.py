"""The plan of a team: who reviews, and which share of the tasks two of them look at.

Comes in: names and a share. Goes out: who looks at which task. The choice hangs on the task's id and the names alone, so that everybody's
page says the same, and a new reviewer takes tasks from the others without mixing the rest.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dagster_project.errors import InputError
from dagster_project.lake.clean_files import bring, publish
from dagster_project.storage.whole_files import write_whole

MOST_NAMES: Final = 200
MOST_LETTERS: Final = 60
OVERLAP: Final = 0.2
"""The share that two reviewers look at, if nobody says otherwise: enough to see whether they agree."""

_PLAN: Final = "reviews/team.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who reviews a home; without names, everybody looks at everything."""

    names: tuple[str, ...] = ()
    overlap: float = OVERLAP
    """Share of the tasks that two reviewers look at, from 0 to 1."""

    def reviewers_of(self, task_id: str) -> tuple[str, ...]:
        """Who looks at a task: one reviewer, or two where it is in the overlap; nobody in particular without names."""
        ranked = sorted(
            self.names, key=lambda name: (_draw_number(task_id, name), name), reverse=True
        )
        return tuple(ranked[: 2 if self.is_shared(task_id) else 1])

    def is_shared(self, task_id: str) -> bool:
        """Whether two reviewers look at it, the second without seeing what the first said."""
        return len(self.names) > 1 and _draw_number(task_id, "") < self.overlap


class _File(BaseModel):
    """The plan as it lies in the home."""

    model_config = ConfigDict(extra="forbid", strict=True)

    names: Annotated[list[Annotated[str, Field(min_length=1, max_length=MOST_LETTERS)]], Field()]
    overlap: Annotated[float, Field(ge=0, le=1)]


def team_of(names: str, overlap: float) -> Team:
    """The team of names with commas between them; empty dissolves it."""
    found = [tidy_name(name) for name in names.split(",")]
    listed = [name for name in found if name]
    if len(set(listed)) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InputError(f"two reviewers are called {twice}: give them names that differ")
    if len(listed) > MOST_NAMES:
        raise InputError(f"a team has at most {MOST_NAMES} reviewers, not {len(listed)}")
    return Team(names=tuple(listed), overlap=overlap)


def tidy_name(name: str) -> str:
    """A reviewer's name as it is kept."""
    return " ".join(name.split())[:MOST_LETTERS]


def load_team(clean: Path) -> Team:
    """The plan of a home; nobody in particular where there is none."""
    path = bring(clean, _PLAN)
    try:
        read = _File.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Team()
    except (OSError, ValidationError) as fault:
        raise InputError(
            f"{path} is no plan of a team; write it anew with: tracegym review --reviewers ada,bob"
        ) from fault
    return Team(names=tuple(read.names), overlap=read.overlap)


def save_team(clean: Path, team: Team) -> None:
    """Keep the plan."""
    path = clean / _PLAN
    path.parent.mkdir(parents=True, exist_ok=True)
    text = _File(names=list(team.names), overlap=team.overlap).model_dump_json(indent=1)
    write_whole(path, f"{text}\n")
    publish(clean, _PLAN)


def _draw_number(task_id: str, name: str) -> float:
    """A number from 0 to 1 that is the same for everybody, every day."""
    drawn = hashlib.sha256(f"{task_id}\0{name}".encode()).digest()
    return int.from_bytes(drawn[:8]) / 2**64
