"""The checks of a rubric as the page lists them: one line each, and one line for those that are alike.

Comes in: a rubric, the verdict of the attempt that is shown, which sentences a person wrote, what is typed already. Goes
out: `Line`s. Checks are alike where they ask the same kind of thing with the same force. Not here: HTML.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from dagster_project.review.editing.fields import FIELDS
from dagster_project.review.editing.kinds import KINDS, Shown, fields_of
from environments.describe_check import SENTENCES, describe, describe_arguments
from environments.runtime.rubric import PASSES, SHARE, Check, Rubric
from environments.runtime.verdict import CheckResult
from synth.rubric.policy_rules import sentence_of

MOST_NAMED: Final = 6
"""Things that the line of alike checks names."""
MOST_THING: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class OneCheck:
    """One check on the page."""

    number: int
    """From 1, as in the rubric: the names of its fields end with it."""
    check: Check
    result: CheckResult | None
    says: str
    """Made from its arguments."""
    written: str
    """What a person wrote beside it; empty where nobody did."""
    rule: str
    """The sentence of the agent's instructions that it stands for; empty for any other check."""
    fields: tuple[Shown, ...]
    typed: bool
    """Something was typed for it that is not saved yet."""

    @property
    def mark(self) -> str:
        """`yes`, `no`, `open` (not graded), or empty where no attempt is shown."""
        if self.result is None:
            return ""
        if self.result.score is None:
            return "open"
        return "yes" if self.result.score >= PASSES else "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the list: a check, or several that are alike."""

    says: str
    checks: tuple[OneCheck, ...]

    @property
    def mark(self) -> str:
        """Of all its checks: `no` where one fails, else `open` where one is not graded, else `yes`."""
        marks = [one.mark for one in self.checks]
        return next((mark for mark in ("no", "open", "yes") if mark in marks), "")

    def count(self, mark: str) -> int:
        """How many of its checks have a mark."""
        return sum(one.mark == mark for one in self.checks)

    @property
    def typed(self) -> bool:
        """Something was typed for one of them that is not saved yet."""
        return any(one.typed for one in self.checks)


def lines_of(
    rubric: Rubric,
    results: Sequence[CheckResult],
    *,
    written: Collection[str],
    form: Mapping[str, str],
) -> list[Line]:
    """The rubric's checks in their order, each group of alike ones where its first stands."""
    by_id = {result.check_id: result for result in results}
    groups: dict[tuple[object, ...], list[OneCheck]] = {}
    for number, check in enumerate(rubric.checks, 1):
        one = OneCheck(
            number=number,
            check=check,
            result=by_id.get(check.check_id),
            says=describe(check),
            written=check.says if check.check_id in written else "",
            rule="" if check.check_id in written else sentence_of(check),
            fields=tuple(fields_of(check.fn, check.args)),
            typed=f"shown-{number}" in form and _differs(check, form, number),
        )
        key = (check.fn, check.required, check.positive, bool(check.weight), check.role == SHARE)
        groups.setdefault(key, []).append(one)
    return [Line(says=_together(group), checks=tuple(group)) for group in groups.values()]


def _differs(check: Check, form: Mapping[str, str], number: int) -> bool:
    shown = {one.name: one.text for one in fields_of(check.fn, check.args) if one.field is not None}
    typed = {name: form.get(f"arg-{number}-{name}", text) for name, text in shown.items()}
    same = all(typed[n].replace("\r\n", "\n").strip() == t.strip() for n, t in shown.items())
    plain = form.get(f"weight-{number}") == f"{check.weight}"
    required = (f"required-{number}" in form) == check.required
    says = form.get(f"says-{number}", "")
    return not (same and plain and required and says in {"", check.says}) or (
        f"remove-{number}" in form
    )


def _together(group: Sequence[OneCheck]) -> str:
    """One sentence for several checks: what all of them say, with what differs listed."""
    sentences = list(dict.fromkeys(_plain_sentence(one.check) for one in group))
    if len(sentences) == 1:
        return sentences[0] if len(group) > 1 else group[0].says
    words = [sentence.split(" ") for sentence in sentences]
    before = _alike(words)
    after = _alike([row[before:][::-1] for row in words])
    ends = [len(row) - after for row in words]
    parts = [" ".join(row[before:end]) for row, end in zip(words, ends, strict=True)]
    named = [part.rstrip(".,") for part in parts[:MOST_NAMED]]
    named = [part if len(part) <= MOST_THING else f"{part[: MOST_THING - 1]}…" for part in named]
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    tail = " ".join(words[0][ends[0] :]).strip(" .")
    start = " ".join(words[0][:before]) or _about(group[0].check.fn) + ":"
    return f"{start} {'; '.join(named)}{more}{' ' + tail if tail else ''}."


def _alike(rows: Sequence[Sequence[str]]) -> int:
    """How many words they begin with that are the same."""
    columns = zip(*rows, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _plain_sentence(check: Check) -> str:
    """The sentence without the arguments that say how, so that alike checks read alike."""
    if check.fn not in SENTENCES:
        return describe(check)
    args = {n: v for n, v in check.args.items() if n not in FIELDS or not FIELDS[n].rare}
    return describe_arguments(check.fn, args)


def _about(fn: str) -> str:
    return KINDS[fn].about if fn in KINDS else fn.replace("_", " ")
