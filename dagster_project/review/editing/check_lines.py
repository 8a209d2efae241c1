"""The checks of a rubric as the page lists them: by what they are for, one line each, and one for those that are alike.

Comes in: a rubric, the verdict of the attempt that is shown, which sentences a person wrote, what is typed already. Goes out: `Part`s of
`Line`s. Checks are alike where they ask the same kind of thing with the same force.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from dagster_project.review.editing.fields import FIELDS
from dagster_project.review.editing.forms import ShownArgument, fields_of
from environments.describe_check import describe, describe_arguments
from environments.runtime.checks.kinds import KINDS
from environments.runtime.task.rubric import AGREEMENT, PASSES, SHARE, Check, Rubric
from environments.runtime.task.verdict import CheckResult
from synth.rubric.policy_rules import sentence_of

MOST_NAMED: Final = 6
"""Things that the line of alike checks names."""
MOST_THING: Final = 80
"""Characters of each of them."""


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
    fields: tuple[ShownArgument, ...]
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

    @property
    def total(self) -> int:
        """How many checks it stands for."""
        return len(self.checks)

    def count(self, mark: str) -> int:
        """How many of its checks have a mark."""
        return sum(one.mark == mark for one in self.checks)

    @property
    def typed(self) -> bool:
        """Something was typed for one of them that is not saved yet."""
        return any(one.typed for one in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The lines of checks that are for the same thing, below one heading."""

    title: str
    about: str
    """What these checks are for; empty where the heading says it."""
    lines: tuple[Line, ...]
    folded: bool
    """A reader needs them last: they are shown where somebody asks."""

    @property
    def total(self) -> int:
        """How many checks it holds."""
        return sum(line.total for line in self.lines)

    def count(self, mark: str) -> int:
        """How many of its checks have a mark."""
        return sum(line.count(mark) for line in self.lines)


DONE: Final = "What a right attempt does and says"
KEPT: Final = "What it keeps to"
WEIGHED: Final = "What is weighed"
PREDICTED: Final = "What only predicts the outcome"
ABOUT: Final = {
    DONE: "",
    KEPT: "Without these nothing is paid; they earn nothing themselves.",
    WEIGHED: "These count where a weighted share of the reward is paid, and not where it is all or nothing.",
    PREDICTED: "These say whether the user would call it resolved. They pay nothing.",
}
"""The headings in their order, and what checks below them are for."""


def parts_of(lines: Sequence[Line]) -> list[Part]:
    """The lines by what their checks are for; a part without any is left out."""
    found = {title: tuple(line for line in lines if _heading_of(line) == title) for title in ABOUT}
    return [
        Part(
            title=title,
            about=ABOUT[title],
            lines=mine,
            folded=title == PREDICTED and not any(line.typed for line in mine),
        )
        for title, mine in found.items()
        if mine
    ]


def _heading_of(line: Line) -> str:
    """The heading of a line: its checks have one force."""
    check = line.checks[0].check
    if check.role == AGREEMENT:
        return PREDICTED
    if check.role == SHARE or not check.required:
        return WEIGHED
    return DONE if check.positive else KEPT


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
        key = (check.fn, check.required, check.positive, bool(check.weight), _role(check))
        groups.setdefault(key, []).append(one)
    return [Line(says=_joint_sentence(group), checks=tuple(group)) for group in groups.values()]


def _role(check: Check) -> str:
    """What a check is for, as far as lines differ by it: one that pays and predicts is listed with those that pay."""
    return check.role if check.role in {AGREEMENT, SHARE} else ""


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


def _joint_sentence(group: Sequence[OneCheck]) -> str:
    """One sentence for several checks: what all of them say, with what differs listed."""
    sentences = list(dict.fromkeys(_plain_sentence(one.check) for one in group))
    if len(sentences) == 1:
        return sentences[0] if len(group) > 1 else group[0].says
    words = [sentence.split(" ") for sentence in sentences]
    before = _common_prefix(words)
    after = _common_prefix([row[before:][::-1] for row in words])
    ends = [len(row) - after for row in words]
    parts = [" ".join(row[before:end]) for row, end in zip(words, ends, strict=True)]
    named = [_short(part.rstrip(".,")) for part in parts[:MOST_NAMED]]
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    tail = " ".join(words[0][ends[0] :]).strip(" .")
    start = " ".join(words[0][:before]) or _topic_of(group[0].check.fn) + ":"
    whole = f"{start} {'; '.join(named)}{more}{' ' + tail if tail else ''}"
    return whole if whole.endswith("…") else f"{whole}."


def _short(part: str) -> str:
    """What differs, cut behind a word and with its quotation closed."""
    if len(part) <= MOST_THING:
        return part
    cut = part[:MOST_THING].rpartition(" ")[0].rstrip(",;: ") or part[:MOST_THING]
    return f"{cut}…”" if cut.count("“") > cut.count("”") else f"{cut}…"


def _common_prefix(rows: Sequence[Sequence[str]]) -> int:
    """How many words they begin with that are the same."""
    columns = zip(*rows, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _plain_sentence(check: Check) -> str:
    """The sentence without the arguments that say how, so that alike checks read alike."""
    if check.fn not in KINDS:
        return describe(check)
    args = {n: v for n, v in check.args.items() if n not in FIELDS or not FIELDS[n].rare}
    return describe_arguments(check.fn, args)


def _topic_of(fn: str) -> str:
    return KINDS[fn].about if fn in KINDS else fn.replace("_", " ")
