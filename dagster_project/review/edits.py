"""Edits of a rubric: what a person filled in, and the rubric it makes.

Comes in: a rubric and form fields by name. Goes out: the edited rubric, or sentences that say which field to change.
Not here: what the edit does to verdicts (`regrading`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from dagster_project.review.check_kinds import BadCheckError, read_arguments, sentence
from environments.runtime.rubric import AGREEMENT, BOTH, REWARD, Check, Rubric

ROLES: Final = (BOTH, REWARD, AGREEMENT)
MAX_SAYS: Final = 600
MAX_CHECKS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What became of a form."""

    rubric: Rubric
    changes: tuple[str, ...]
    """What differs, as sentences; empty when nothing does."""
    faults: tuple[str, ...] = ()
    """What to change before it can be used; the rubric is then the one before."""


def edited(rubric: Rubric, form: Mapping[str, str], *, author: str) -> Edit:
    """The rubric after a form: fields `weight-N`, `required-N`, `args-N`, `says-N`, `remove-N` and `new-*`."""
    checks: list[Check] = []
    changes: list[str] = []
    faults: list[str] = []
    for number, check in enumerate(rubric.checks, start=1):
        if f"remove-{number}" in form:
            changes.append(f"Check {number} is removed: {check.says or check.fn}")
            continue
        try:
            after, said = _one(check, form, number)
        except BadCheckError as fault:
            faults.append(f"Check {number}: {fault}.")
            continue
        checks.append(after)
        changes += [f"Check {number}: {what}" for what in said]
    try:
        new = _new(rubric, form, author)
    except BadCheckError as fault:
        faults.append(f"New check: {fault}.")
        new = None
    if new is not None:
        checks.append(new)
        changes.append(f"A check is added: {new.says}")
    faults += _whole(checks) if not faults else []
    if faults:
        return Edit(rubric=rubric, changes=(), faults=tuple(faults))
    after_all = replace(rubric, checks=tuple(checks)) if changes else rubric
    return Edit(rubric=after_all, changes=tuple(changes))


def _one(check: Check, form: Mapping[str, str], number: int) -> tuple[Check, list[str]]:
    if f"shown-{number}" not in form:
        return check, []
    weight = _weight(form.get(f"weight-{number}", ""))
    required = f"required-{number}" in form
    args = read_arguments(check.fn, form.get(f"args-{number}", "{}"), before=check.args)
    says = _says(form.get(f"says-{number}", check.says))
    said: list[str] = []
    if weight != check.weight:
        said.append(f"its weight is {weight:g} instead of {check.weight:g}")
    if required != check.required:
        said.append("it is required" if required else "it is no longer required")
    if args != dict(check.args):
        said.append("its arguments change")
        if says == check.says:
            says = sentence(check.fn, args)
    if says != check.says:
        said.append(f"it reads “{says[:120]}”")
    after = replace(check, weight=weight, required=required, args=args, says=says)
    return (after, said) if said else (check, [])


def _new(rubric: Rubric, form: Mapping[str, str], author: str) -> Check | None:
    fn = form.get("new-fn", "")
    if not fn:
        return None
    args = read_arguments(fn, form.get("new-args", "") or "{}")
    role = form.get("new-role", BOTH)
    if role not in ROLES:
        raise BadCheckError(f"the role must be one of {', '.join(ROLES)}")
    taken = {check.check_id for check in rubric.checks}
    number = next(n for n in range(1, MAX_CHECKS + 2) if f"review_{n}" not in taken)
    return Check(
        check_id=f"review_{number}",
        fn=fn,
        args=args,
        role=role,
        required="new-required" in form,
        positive=form.get("new-positive", "yes") == "yes",
        weight=_weight(form.get("new-weight", "1") or "1"),
        says=_says(form.get("new-says", "")) or sentence(fn, args),
        origin=(f"reviewer {author}",),
    )


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError as fault:
        raise BadCheckError("the weight must be a number") from fault
    if not isfinite(weight) or not 0 <= weight <= 1000:
        raise BadCheckError("the weight must be from 0 to 1000")
    return weight


def _says(text: str) -> str:
    return " ".join(text.split())[:MAX_SAYS]


def _whole(checks: list[Check]) -> list[str]:
    if len(checks) > MAX_CHECKS:
        return [f"A rubric has at most {MAX_CHECKS} checks."]
    return []
