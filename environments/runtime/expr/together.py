"""Conditions asked together: what is said of one record by several names is asked once.

Goes in: conditions that must all hold or be unknown, then the scope of a call. Comes out: whether all do. Most conditions of a
tool look at the same few records: the record before, the row of an argument, the row of one of its own fields. Which of
them are one and the same record shows at a call: the records are found one after another, and each that was found before
gives its name to all that hangs on it. Conditions written for a case are far fewer (`expression_merged`), and are
made once the case has come often enough to be worth it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from ..values.normal import stable
from .cases import Case, first_case
from .frames import Frame, Part, Space
from .gaps import MISSING, UNKNOWN
from .merged import checks_of
from .parts import BUILDERS
from .scope import Scope, Tree

OFTEN: Final = 3
"""Calls after which conditions are written for the case: that takes as long as asking some ten times."""
MAX_STEPS: Final = 256
"""Steps that are made for the conditions of one tool, in all cases."""
NOTHING: Final = -1
"""The place of a record that is not there, or that nobody knows."""


class Step:
    """One record to find, or, with all of them found, the conditions written for the case."""

    __slots__ = ("case", "checks", "find", "next", "times")

    def __init__(self, case: Case, find: Part | None) -> None:
        self.case = case
        self.find = find
        self.next: dict[int, Step] = {}
        """What follows, by which of the records found so far this one is."""
        self.checks: list[Part] | None = None
        self.times = 0


class Together:
    """Some conditions of one tool."""

    __slots__ = ("_before", "_room", "_slots", "_start", "_trees")

    def __init__(self, trees: Sequence[Tree], before: Tree | None = None) -> None:
        self._trees = trees
        self._before = before
        self._start: Step | None = None
        self._slots = count()
        self._room = MAX_STEPS

    def hold(self, scope: Scope) -> bool:
        """Whether each condition holds or is not known, the record before being known.

        False says nothing but that they must be asked one by one.
        """
        step = self._start or self._begun()
        values: list[Any] = [scope.old]
        first = {id(MISSING): NOTHING, id(UNKNOWN): NOTHING, id(scope.old): 0}
        frame = Frame(scope, given=values)
        while step.find is not None:
            value = step.find(frame)
            at = first.setdefault(id(value), len(values))
            values.append(value)
            following = step.next.get(at) or self._following(step, at)
            if following is None:
                return False
            step = following
        if step.checks is None:
            self._count(step)
            return False
        for check in step.checks:
            value = check(frame)
            if value is MISSING or not value:
                return False
        return True

    def _begun(self) -> Step:
        if any('"next"' in stable(tree) for tree in self._trees):
            # A counter that is asked twice counts twice: such conditions are only asked one by one.
            self._trees = []
        self._start = self._step(first_case(self._trees, self._before))
        return self._start

    def _step(self, case: Case) -> Step:
        return Step(case, self._space(case).part(case.left[0]) if case.left else None)

    def _space(self, case: Case) -> Space:
        return Space(BUILDERS, given=case.known, slots=self._slots)

    def _following(self, step: Step, at: int) -> Step | None:
        """The step after a record was found, which may be one found before; None where there is no room for it."""
        self._room -= 1
        if self._room < 0:
            return None
        made = step.next[at] = self._step(step.case.after(at, there=at != NOTHING))
        return made

    def _count(self, step: Step) -> None:
        step.times += 1
        if step.times >= OFTEN and self._trees:
            step.checks = checks_of(self._trees, step.case, self._space(step.case))
