"""Edited rubrics that were shown and are not saved yet, kept in memory while the page is open."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from dagster_project.review.editing.edits import Edit
from environments.runtime.task.rubric import Rubric
from environments.runtime.values.canonical import digest, rubric_hash

MOST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """One edit of one task."""

    app: str
    task_id: str
    base: str
    """Hash of the rubric it was made from."""
    edit: Edit


class Drafts:
    """The last drafts by name, the hash of all that a rubric says."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[str, _Draft] = OrderedDict()

    def keep(self, app: str, task_id: str, before: Rubric, edit: Edit) -> str:
        """Remember an edit of the rubric in force; its name covers the sentences as well."""
        name = digest(edit.rubric.to_json())
        base = rubric_hash(before)
        self._drafts[name] = _Draft(app=app, task_id=task_id, base=base, edit=edit)
        while len(self._drafts) > MOST:
            self._drafts.popitem(last=False)
        return name

    def find(self, name: str, app: str, task_id: str, now: Rubric) -> Edit | None:
        """The edit of this name, if the rubric that it was made from is still in force."""
        draft = self._drafts.get(name)
        if draft is None:
            return None
        same = (draft.app, draft.task_id, draft.base) == (app, task_id, rubric_hash(now))
        return draft.edit if same else None
