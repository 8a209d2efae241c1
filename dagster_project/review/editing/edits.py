"""Edits of a rubric: what a person filled in, and the rubric it makes.

Comes in: a rubric and form fields by name. Goes out: the edited rubric, or sentences that say which field to change. A check's sentence is
made from its arguments; one that a person writes stands beside it and is known as theirs.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from dagster_project.review.editing.fields import BadCheckError
from dagster_project.review.editing.forms import read_check
from dagster_project.review.feedback import review_note
from environments.describe_check import describe, describe_arguments
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import AGREEMENT, BOTH, REWARD, SHARE, Check, Rubric

ROLES: Final = (BOTH, REWARD, AGREEMENT, SHARE)
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
    written: tuple[str, ...] = ()
    """Ids of the checks whose sentence a person wrote."""


def written_in(rubric: Rubric) -> frozenset[str]:
    """Ids of the checks whose sentence a person wrote."""
    listed = review_note(rubric).get("written", ())
    return frozenset(map(str, listed)) & {check.check_id for check in rubric.checks}


def edited(rubric: Rubric, form: Mapping[str, str], *, author: str) -> Edit:
    """The rubric after a form: fields `weight-N`, `required-N`, `arg-N-NAME`, `says-N`, `remove-N` and `new-*`."""
    before = written_in(rubric)
    checks: list[Check] = []
    written: set[str] = set()
    changes: list[str] = []
    faults: list[str] = []
    for number, check in enumerate(rubric.checks, start=1):
        if f"remove-{number}" in form:
            changes.append(f"Check {number} is removed: {describe(check)}")
            continue
        try:
            after, said, by_hand = _edit_one(check, form, number, by_hand=check.check_id in before)
        except BadCheckError as fault:
            faults.append(f"Check {number}: {fault}.")
            continue
        checks.append(after)
        written |= {after.check_id} if by_hand else set()
        changes += [f"Check {number}: {what}" for what in said]
    try:
        new = _new(rubric, form, author)
    except BadCheckError as fault:
        faults.append(f"New check: {fault}.")
        new = None
    if new is not None:
        checks.append(new)
        changes.append(f"A check is added: {describe(new)}")
        if new.says not in {"", describe_arguments(new.fn, new.args)}:
            written.add(new.check_id)
            changes.append(f"Written beside it: “{new.says[:120]}”")
    faults += _too_many_checks(checks) if not faults else []
    if faults:
        return Edit(rubric=rubric, changes=(), faults=tuple(faults), written=tuple(sorted(before)))
    after_all = replace(rubric, checks=tuple(checks)) if changes else rubric
    return Edit(rubric=after_all, changes=tuple(changes), written=tuple(sorted(written)))


def _edit_one(
    check: Check, form: Mapping[str, str], number: int, *, by_hand: bool
) -> tuple[Check, list[str], bool]:
    """The check after its fields, what differs, and whether a person wrote its sentence."""
    if f"shown-{number}" not in form:
        return check, [], by_hand
    weight = _weight(form.get(f"weight-{number}", ""))
    required = f"required-{number}" in form
    args = read_check(check.fn, _typed(form, f"arg-{number}-"), before=check.args)
    typed = _says(form.get(f"says-{number}", check.says if by_hand else ""))
    changed = args != dict(check.args)
    made = describe_arguments(check.fn, args)
    says = typed or ("" if changed or by_hand else check.says)
    said: list[str] = []
    if weight != check.weight:
        said.append(f"its weight is {weight:g} instead of {check.weight:g}")
    if required != check.required:
        said.append("it is required" if required else "it is no longer required")
    if changed:
        said.append(f"it now asks: {made[:300]}")
    if typed and typed != check.says:
        said.append(f"somebody wrote beside it: “{typed[:120]}”")
    if by_hand and not typed:
        said.append("the sentence that somebody wrote beside it goes")
    after = replace(check, weight=weight, required=required, args=args, says=says)
    return (after if said else check), said, bool(typed) and typed != made


def _new(rubric: Rubric, form: Mapping[str, str], author: str) -> Check | None:
    fn = form.get("new-fn", "")
    if not fn:
        return None
    args = read_check(fn, _typed(form, "new-arg-"), usual=_usual(rubric.checks))
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
        says=_says(form.get("new-says", "")),
        origin=(f"reviewer {author}",),
    )


def _usual(checks: Collection[Check]) -> dict[str, Json]:
    """What derived checks of one task share: the values that are not compared, and the tools that change something."""
    shared = ("ignore", "writes", "maybe")
    found: dict[str, Json] = {}
    for check in checks:
        found |= {n: check.args[n] for n in shared if n in check.args and n not in found}
    return found


def _typed(form: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {
        name.removeprefix(prefix): text for name, text in form.items() if name.startswith(prefix)
    }


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


def _too_many_checks(checks: list[Check]) -> list[str]:
    if len(checks) > MAX_CHECKS:
        return [f"A rubric has at most {MAX_CHECKS} checks."]
    return []
