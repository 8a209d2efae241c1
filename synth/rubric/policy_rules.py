"""Checks on the rules of the prompt: what the app's own instructions say that the agent must or must never do.

In: a task's instructions and tools, and its resolved attempts. Out: one check per sentence that states a rule. It names a
function where the sentence says nothing but which tool comes before which, or that a tool is never called, and every
resolved attempt keeps to it; else a judge is asked with the sentence quoted, where the build has a judge. All of them weigh
in the share only.

Not here: rules in other languages than English, rules that no word marks as one ("Ask for the date."), rules that tool
definitions or users state, and calls made one at a time (exports differ in how calls are put into messages, so no check
may look at it). A rule that a tool's ordinary name states ("never book") is left to a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.checks.table import score_of
from environments.runtime.checks.view import View, text_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import SHARE, Check
from environments.runtime.task.task import Task
from environments.runtime.task.tool_definition import function_of, name_of

FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
ITEM: Final = re.compile(
    r"\s*(?:[-*\u2022\u00b7\u2013]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+(?P<text>\S.*)"
)
HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|<[^>]*>\s*$|[=_-]{3,}\s*$)")
SENTENCE: Final = re.compile(r"(?:[^.!?]|[.!?](?!\s+[^\sa-z]|\s*$|[\"')\]]))+[.!?]*[\"')\]]*")
"""Up to a mark that no small letter follows: `e.g. shirt to shoe` goes on."""
RULE: Final = re.compile(
    r"\b(?:must|should|shall|never|always|only|cannot|can ?not|(?:ca|do|does|is|are|may|must|should)n.?t|"
    r"(?:do|does|may|is|are|be) not|not (?:be )?(?:allowed|permitted)|ha(?:ve|s) to|needs? to|required?|requires|"
    r"ensure|make sure|be sure|forbidden|prohibited|under no circumstances|at all times)\b",
    re.IGNORECASE,
)
"""How English instructions say that something is a rule."""
FORBIDS: Final = r"(?:(?:you )?(?:(?:should|must|shall|may|can) )?never|(?:you )?(?:do not|don.?t|must not|mustn.?t|should not|shouldn.?t|shall not|may not|cannot|can.?t))"
NEVER: Final = re.compile(
    rf"\W*(?:you\s+)?{FORBIDS}\s+(?:ever\s+)?(?:call|use|invoke|run|execute)\s+(?:any of\s+)?(?P<tools>[^,;:]+(?:,[^;:]+)?)",
    re.IGNORECASE,
)
BETWEEN: Final = re.compile(r"\W+|\b(?:the|a|an|any|or|and|nor|tools?|functions?)\b", re.IGNORECASE)
"""What may stand beside the names in a list of tools."""
MARK: Final = "[`\"'\u2018\u2019\u201c\u201d]"
"""What instructions put around a tool's name."""
BEFORE: Final = re.compile(r"\bbefore\b", re.IGNORECASE)
FORBIDDEN: Final = re.compile(rf"\b{FORBIDS}\b", re.IGNORECASE)
NOT_LEFT_OUT: Final = re.compile(
    rf"\b{FORBIDS}\s+(?:ever\s+)?(?:forget|skip|omit|fail|neglect|miss|avoid|bypass)\b",
    re.IGNORECASE,
)
"""Who may not leave it out has to do it."""
NOT_NEEDED: Final = re.compile(rf"\b{FORBIDS}\s+(?:have|need|hesitate|worry)\b", re.IGNORECASE)
"""What need not be done is no rule."""
CONDITION: Final = re.compile(
    r"\b(?:if|unless|except|until|when|whenever|while|after|otherwise|may|might|could|optional\w*|again|twice|once)\b",
    re.IGNORECASE,
)
"""A rule that holds in some cases only is no matter of a function."""
JUDGE: Final = "judge"
PREFIX: Final = "rule_"
"""How the ids of these checks begin."""
LEAST_WORDS: Final = 3
MOST_WORDS: Final = 90
"""More is a table or a record, not a sentence."""
MOST_CONTEXT: Final = 1_500
"""Characters of a passage that a judge is shown around a rule."""
PROMPT: Final = (
    "The assistant's instructions hold this rule: “{rule}”{context} Give the highest score if the assistant kept to it "
    "wherever it applied in this conversation, the lowest if the assistant broke it, and null if it never applied."
)
CONTEXT: Final = " It stands in this passage: “{passage}”"


def rule_checks(task: Task, resolved: Sequence[Attempt], *, judged: bool) -> list[Check]:
    """One check per rule of the task's instructions; those that only a judge can answer where `judged`."""
    tools = [name_of(function_of(tool)) for tool in task.tools]
    views = [View(attempt) for attempt in resolved]
    found: list[Check] = []
    for number, rule in enumerate(rules_of(instructions_of(task)), 1):
        check = _compiled(rule.text, number, tools)
        if check is None or not _is_kept(check, views):
            check = _judge_check(rule, number) if judged else None
        if check is not None:
            found.append(check)
    return found


def asked_of_a_judge(check: Check) -> bool:
    """Whether a check is here because the build has a judge."""
    return check.fn == JUDGE and check.role == SHARE and check.check_id.startswith(PREFIX)


def sentence_of(check: Check) -> str:
    """The sentence of the instructions that a function here stands for; empty for any other check."""
    mine = check.role == SHARE and check.check_id.startswith(PREFIX) and check.fn != JUDGE
    return check.says if mine else ""


def instructions_of(task: Task) -> str:
    """What the agent was told before anybody spoke."""
    return instructions_in(task.opening)


def instructions_in(opening: Iterable[Mapping[str, Json]]) -> str:
    """The same of the messages that open a conversation."""
    return "\n\n".join(text_of(m) for m in opening if m.get("role") in {"system", "developer"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence that states a rule."""

    text: str
    passage: str
    """The heading, paragraph or item that it stands in: what `this` in it means."""


def rules_of(text: str) -> tuple[Rule, ...]:
    """The sentences that state a rule, each once, in order; the items of a list under one are rules with it."""
    found: dict[str, Rule] = {}
    for passage in _passages(FENCED.sub("\n\n", text)):
        around = " ".join(f"{passage.heading}\n{passage.under}\n{passage.text}".split())
        for sentence in SENTENCE.findall(passage.text):
            said = " ".join(sentence.split())
            whole = f"{passage.under} {said}" if passage.under else said
            if _states_a_rule(whole):
                found.setdefault(whole, Rule(whole, around))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Passage:
    """A paragraph or an item of a list."""

    text: str
    heading: str = ""
    under: str = ""
    """The words that lead the list in, where those state a rule."""


def _passages(text: str) -> Iterator[_Passage]:
    """Paragraphs, their lines joined, and items of lists, under the heading and the words before them."""
    heading = lead = ""
    for lines, in_list in _blocks(text):
        block = " ".join(lines)
        if HEADING.match(block):
            heading, lead = block.strip(" #*<>=_-"), ""
        elif in_list:
            yield _Passage(block, heading, lead)
        else:
            lead = _lead(block)
            yield _Passage(block.removesuffix(lead) if lead else block, heading)


def _blocks(text: str) -> Iterator[tuple[list[str], bool]]:
    """Lines that belong together, and whether they are an item of a list."""
    lines: list[str] = []
    in_list = False
    for line in (*text.split("\n"), ""):
        item = ITEM.match(line)
        goes_on = bool(line.strip()) and item is None and not HEADING.match(line)
        if goes_on and lines and (not in_list or line[:1].isspace()):
            lines.append(line)
            continue
        if lines:
            yield lines, in_list
        lines, in_list = [], item is not None
        if HEADING.match(line) and item is None:
            yield [line], False
        elif line.strip():
            lines = [item["text"] if item is not None else line]
    if lines:
        yield lines, in_list


def _lead(passage: str) -> str:
    """The sentence that leads a list in, where it states a rule: `You must never:`."""
    last = (SENTENCE.findall(passage.rstrip()) or [""])[-1].strip()
    return last if last.endswith(":") and RULE.search(last) else ""


def _states_a_rule(sentence: str) -> bool:
    words = len(sentence.split())
    plain = not sentence.endswith(("?", ":")) and "{" not in sentence
    return plain and LEAST_WORDS <= words <= MOST_WORDS and bool(RULE.search(sentence))


def _compiled(rule: str, number: int, tools: Iterable[str]) -> Check | None:
    """The rule as a function over calls, where it says nothing else."""
    names = tools_named(rule, tools)
    if not names or CONDITION.search(rule):
        return None
    return _never_check(rule, number, names) or _order(rule, number, names)


def _never_check(rule: str, number: int, names: dict[str, int]) -> Check | None:
    said = NEVER.fullmatch(rule.rstrip(".!"))
    if said is None:
        return None
    rest = said["tools"]
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    if BETWEEN.sub("", rest):
        return None
    return _check(rule, number, "never_called", {"tools": list[Json](sorted(names))})


def _order(rule: str, number: int, names: dict[str, int]) -> Check | None:
    """`Before X, always call Y`, `Call Y before X`, `Never call X before Y`: a tool on either side of the word."""
    words = list(BEFORE.finditer(rule))
    if len(words) != 1:
        return None
    at = words[0].start()
    comma = rule.find(",", at)
    leads = not rule[:at].strip(" \"'*-")
    if leads and comma < 0:
        return None
    late = {n for n, place in names.items() if place > at and (not leads or place < comma)}
    early = set(names) - late
    said = rule[:at] if not leads else rule[comma:]
    if NOT_NEEDED.search(said):
        return None
    if FORBIDDEN.search(said) and not NOT_LEFT_OUT.search(said):
        late, early = early, late
    if not late or not early:
        return None
    args: dict[str, Json] = {"first": list[Json](sorted(early)), "then": list[Json](sorted(late))}
    return _check(rule, number, "before", args)


def tools_named(rule: str, tools: Iterable[str]) -> dict[str, int]:
    """The tools that a sentence names, and where; a name that is an ordinary word counts only where it is marked as a name."""
    found: dict[str, int] = {}
    for name in tools:
        if not name:
            continue
        plain = name.isalpha() and name[1:] == name[1:].lower()
        exact = rf"(?<![\w.-]){re.escape(name)}(?![\w-])"
        marked = rf"(?<={MARK}){re.escape(name)}(?={MARK}|\()|{exact}(?=\()"
        match = re.search(marked if plain else exact, rule)
        if match is not None:
            found[name] = match.start()
    return found


def _is_kept(check: Check, views: Sequence[View]) -> bool:
    """Whether every resolved attempt keeps to it, and one at least shows it."""
    scores = [score_of(check, view)[0] for view in views]
    return 0.0 not in scores and 1.0 in scores


def _judge_check(rule: Rule, number: int) -> Check:
    more = len(rule.passage) > len(rule.text) and len(rule.passage) <= MOST_CONTEXT
    context = CONTEXT.format(passage=rule.passage) if more else ""
    args: dict[str, Json] = {
        "prompt": PROMPT.format(rule=rule.text, context=context),
        "scale": [0, 1],
        "evidence": "conversation",
    }
    return _check(rule.text, number, JUDGE, args)


def _check(rule: str, number: int, fn: str, args: dict[str, Json]) -> Check:
    return Check(
        check_id=f"{PREFIX}{number}",
        fn=fn,
        args=args,
        role=SHARE,
        positive=False,
        says=f"The instructions say: “{rule}”",
    )
