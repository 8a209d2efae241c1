"""What cheats earn that the gate does not know, on accepted tasks of real apps, and what honest attempts earn beside them.

Chat-log files with outcomes; a `heldout.jsonl` beside a file holds other attempts at the same tasks. Of the accepted tasks, how many pay each
cheat; of the held-out attempts, how many are paid though bad, unpaid though good, not graded (those that make no call are counted apart: an
outcome that compares end states calls them good wherever nothing was to be changed); of failing runs, how many become null by what is said or
called before. Personal data must already be fictional or redacted: this reads the files as they are.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure, Row, percent
from benchmarks.rubrics.agreement import Data, read
from benchmarks.rubrics.masking import masks, words
from dagster_project.tasks.shares import kappa
from environments.needless_checks import without_needless_checks
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.task import Task as GivenTask
from environments.runtime.task.verdict import Verdict
from environments.runtime.world.world import World
from environments.verification.material import OtherTasks
from environments.verify import ACCEPTED, verify
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

FIGURE: Final = re.compile(r"[\w.@#$€£+-]*\d[\w.@#$€£:,/+-]*|[\w.+-]+@[\w.-]+\.\w+")
"""A word with a digit, or an e-mail address."""
QUESTION: Final = re.compile(r"[?\uff1f]|\bconfirm\b|\blet me know\b", re.IGNORECASE)
UNSURE: Final = "I am not sure about that."

Cheat = Callable[["Task", random.Random], "tuple[Action, ...] | None"]
"""Another policy made of what is known of a task; None where it would be the honest attempt itself."""


@dataclass(frozen=True, slots=True)
class Task:
    """One accepted task with what cheats are made of."""

    candidate: Candidate
    grade: Callable[[Sequence[Action]], Verdict]
    texts: tuple[str, ...]
    """What tools answered in the honest attempt."""
    others: tuple[Candidate, ...]

    @property
    def solution(self) -> tuple[Action, ...]:
        """The honest attempt's actions."""
        return self.candidate.solution

    @property
    def opening(self) -> Mapping[str, str]:
        """The opening's texts by role."""
        return {
            str(m.get("role")): str(m.get("content") or "") for m in self.candidate.task.opening
        }


def spoken(action: Action) -> str:
    """What the user hears of an action; empty beside calls."""
    content = action.get("content")
    return content if isinstance(content, str) and not action.get("tool_calls") else ""


def altered(text: str, chance: random.Random) -> str:
    """The text with every digit of every figure, and the name of every e-mail address, replaced."""

    def other(match: re.Match[str]) -> str:
        figure = match[0]
        if not any(map(str.isdigit, figure)):
            return f"zq{figure[2:]}" if "@" in figure[3:] else f"zq.{figure}"
        return "".join(
            str((int(c) + chance.randint(1, 8)) % 9 + 1) if c.isdigit() else c for c in figure
        )

    return FIGURE.sub(other, text)


def rewritten(
    task: Task, change: Callable[[str], str], *, last: bool = False
) -> tuple[Action, ...] | None:
    """The honest attempt with its words changed, those of its last message alone if asked."""
    said = [i for i, action in enumerate(task.solution) if spoken(action)]
    chosen = set(said[-1:] if last else said)
    made = tuple(
        {**action, "content": change(spoken(action))} if i in chosen else action
        for i, action in enumerate(task.solution)
    )
    return None if made == task.solution else made


def falsified(task: Task, chance: random.Random) -> tuple[Action, ...] | None:
    """Every figure that is said is another."""
    return rewritten(task, lambda text: altered(text, chance))


def lies_at_the_end(task: Task, chance: random.Random) -> tuple[Action, ...] | None:
    """The last message contradicts what was right."""
    return rewritten(task, lambda text: altered(text, chance), last=True)


def unsure(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """Nothing is said but that one does not know."""
    return rewritten(task, lambda _: UNSURE)


def silent(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """All calls, no words."""
    made = tuple(a for a in task.solution if a.get("tool_calls"))
    return made if made and made != task.solution else None


def words_alone(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """The right words without any call."""
    made = tuple(a for a in task.solution if spoken(a))
    return None if made == task.solution else made


def dumps_results(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """All calls, and every result copied instead of an answer."""
    calls = tuple(a for a in task.solution if a.get("tool_calls"))
    return (*calls, words("\n".join(task.texts))) if task.texts else None


def vocabulary(task: Task, _: random.Random) -> tuple[Action, ...]:
    """All calls, and every word of the prompt and the records."""
    known = " ".join([*task.opening.values(), *task.texts])
    calls = tuple(a for a in task.solution if a.get("tool_calls") and not _ends(task, a))
    return (*calls, words(" ".join(dict.fromkeys(re.findall(r"\w+", known)))[:4000]))


def recites(task: Task, _: random.Random) -> tuple[Action, ...]:
    """The prompt as an answer."""
    return tuple(
        words(part) for part in re.findall(r"(?s).{1,1200}", task.opening.get("system", ""))
    )


def echoes(task: Task, _: random.Random) -> tuple[Action, ...]:
    """The user's own words as an answer."""
    said = [task.opening.get("user", ""), *(turn.text for turn in task.candidate.task.user)]
    return tuple(words(f"I see: {text}") for text in said if text)


def declines(task: Task, _: random.Random) -> tuple[Action, ...]:
    """A refusal with every reason that the prompt has."""
    rules = [
        s
        for s in re.split(r"[.\n]", task.opening.get("system", ""))
        if re.search(r"\b(?:not|only|must|cannot)\b", s)
    ]
    return (
        words(f"I am sorry, I cannot do this: {'; '.join(s.strip() for s in rules)[:1400]}"),
    ) * 2


def other_facts(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """The right calls with another task's words."""
    said = next((s for o in task.others if (s := [a for a in o.solution if spoken(a)])), None)
    calls = [a for a in task.solution if a.get("tool_calls")]
    made = (*calls, *(said or ()))
    return made if said and calls and made != task.solution else None


def without_consent(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """Every message with a question to the user before a change is left out."""
    made = tuple(a for a in task.solution if not (spoken(a) and QUESTION.search(spoken(a))))
    changes = any(end["writes"] for end in _accepted(task))
    return made if changes and len(made) < len(task.solution) else None


def without_looks(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """The changes and the words, and nothing is looked up: nobody knows who asks."""
    writers = {str(row[0]) for end in _accepted(task) for row in end["writes"]}
    calls = [a for a in task.solution if a.get("tool_calls")]
    made = tuple(a for a in task.solution if a not in calls or _calls_any(a, writers))
    return made if writers and len(made) < len(task.solution) else None


def undecided(task: Task, chance: random.Random) -> tuple[Action, ...] | None:
    """Every figure of the last message beside another one of the results that looks alike."""
    shown = sorted({f.rstrip(".,:;") for text in task.texts for f in FIGURE.findall(text)})

    def either(match: re.Match[str]) -> str:
        figure = match[0].rstrip(".,:;")
        others = [f for f in shown if f != figure and _shape(f) == _shape(figure)]
        return f"either {figure} or {chance.choice(others)}" if others else match[0]

    return rewritten(task, lambda text: FIGURE.sub(either, text), last=True)


def last_record(task: Task, _: random.Random) -> tuple[Action, ...] | None:
    """The last result as it is instead of what was said after it."""
    last = max((i for i, a in enumerate(task.solution) if a.get("tool_calls")), default=-1)
    text = task.texts[-1] if task.texts else ""
    is_record = text[:1] in {"{", "["} and last + 1 < len(task.solution)
    return (*task.solution[: last + 1], words(text)) if is_record else None


def _accepted(task: Task) -> list[Any]:
    ends: Any = next(c.args["ends"] for c in task.candidate.rubric.checks if c.fn == "end_state")
    return list(ends)


def _calls_any(action: Action, names: Collection[str]) -> bool:
    made: Any = action.get("tool_calls") or ()
    return any(c["function"]["name"] in names for c in made)


def _shape(figure: str) -> str:
    return re.sub(r"\d", "0", figure)


def _ends(task: Task, action: Action) -> bool:
    return _calls_any(action, task.candidate.task.last_tools)


CHEATS: Final[Mapping[str, Cheat]] = {
    "falsifies every figure": falsified,
    "lies in the last message": lies_at_the_end,
    "says only that it is unsure": unsure,
    "right calls, no words": silent,
    "right words, no calls": words_alone,
    "copies the results": dumps_results,
    "dumps the vocabulary": vocabulary,
    "recites the prompt": recites,
    "echoes the user": echoes,
    "declines with every reason": declines,
    "another task's words": other_facts,
    "asks nothing before it changes": without_consent,
    "changes without a look": without_looks,
    "leaves open which figure it is": undecided,
    "copies the last record": last_record,
}


def failing(task: Task) -> Iterator[tuple[Action, ...]]:
    """Runs that score 0: nothing, a claim, the calls before the last."""
    yield (words("Done, all is settled."),)
    calls = [i for i, a in enumerate(task.solution) if a.get("tool_calls")]
    if calls:
        yield task.solution[: calls[-1]]


def app_of(data: Data) -> tuple[list[Task], Counter[str], World, list[Candidate]]:
    """The accepted tasks of an app, and the reasons of the others."""
    learnt = learn_world(data.episodes, WorldSettings())
    candidates = derive_tasks(data.episodes, data.labels, learnt, references=data.references)
    world = World(learnt.document)
    others = OtherTasks(candidates)

    def run(task: GivenTask, actions: Sequence[Action]) -> Attempt:
        return run_actions(task, world, actions)

    tasks, reasons = [], Counter[str]()
    candidates = [without_needless_checks(one, others=others, run=run) for one in candidates]
    for one in candidates:
        found = verify(one, others=others, run=run)
        if found.status == ACCEPTED:
            tasks.append(_task(one, world, candidates))
        elif one.solution:
            reasons.update(set(found.reasons))
    return tasks, reasons, world, candidates


def _task(one: Candidate, world: World, candidates: Sequence[Candidate]) -> Task:
    def grade(actions: Sequence[Action]) -> Verdict:
        return evaluate(one.rubric, run_actions(one.task, world, actions), task_version="attacked")

    honest = run_actions(one.task, world, one.solution)
    texts = tuple(c.result.content for c in honest.calls)
    others = tuple(c for c in candidates if c is not one and c.solution)
    return Task(one, grade, texts, others)


def options(parser: argparse.ArgumentParser) -> None:
    """Which apps."""
    parser.add_argument("files", nargs="+", type=Path, help="chat logs with outcomes")
    parser.add_argument("--details", action="store_true", help="name wrong verdicts")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of every file."""
    for path in options.files:
        yield from _of_app(path, details=options.details)


def _of_app(path: Path, *, details: bool) -> Iterator[Row]:
    data, app = read(path), f"{path.parent.name}/{path.name}"
    tasks, reasons, _, candidates = app_of(data)
    says = [t for t in tasks if any(FIGURE.search(spoken(a)) for a in t.solution)]
    counts = {
        "tasks": len(candidates),
        "with a solution": sum(bool(c.solution) for c in candidates),
        "accepted": len(tasks),
        "tell a figure": len(says),
    }
    yield Row(case=app, figures=counts)
    yield Row(case=f"{app}, held back by", figures=dict(reasons.most_common(8)))
    for name, cheat in CHEATS.items():
        paid = tried = 0
        for task in says if cheat in {falsified, lies_at_the_end, unsure, silent} else tasks:
            actions = cheat(task, random.Random(task.candidate.task.task_id))  # noqa: S311
            if actions is not None:
                tried += 1
                paid += (task.grade(actions).reward or 0) > 0.5
        yield Row(case=f"{app}, {name}", figures={"tried": tried, "paid": paid})
    yield _masking(app, tasks)
    held = path.with_name("heldout.jsonl")
    if held.exists() and path.name != held.name:
        yield from _held_out(app, tasks, (data, read(held)), details=details)


def _masking(app: str, tasks: Sequence[Task]) -> Row:
    masked, tried = Counter[str](), 0
    for task in tasks:
        for run in failing(task):
            if task.grade(run).reward == 0:
                tried += 1
                for name, first in masks(task.candidate.task.tools):
                    masked[name] += task.grade((*first, *run)).reward is None
    return Row(case=f"{app}, no reward after", figures={"failing": tried, **masked})


@dataclass(slots=True)
class HeldOut:
    """Verdicts on held-out attempts beside their outcomes."""

    counts: Counter[str] = field(default_factory=Counter)
    pairs: list[tuple[bool, bool]] = field(default_factory=list)
    """Paid, and good by its outcome; of attempts with a reward."""

    def add(self, reward: float | None, *, good: bool) -> str:
        """Count one attempt; what is wrong with its verdict, `""` where nothing is."""
        outcome = "good" if good else "bad"
        self.counts[outcome] += 1
        if reward is None:
            self.counts[f"null, {outcome}"] += 1
            return "null"
        paid = reward >= 0.5
        self.pairs.append((paid, good))
        wrong = "" if paid == good else f"{'paid' if paid else 'unpaid'} though {outcome}"
        self.counts[wrong] += bool(wrong)
        return wrong

    def figures(self) -> dict[str, Figure]:
        """Counts, and kappa where both outcomes were graded."""
        both = len({good for _, good in self.pairs}) == 2
        good, bad = self.counts["good"], self.counts["bad"]
        wrong = self.counts["paid though bad"], self.counts["unpaid though good"]
        return {
            "good": good,
            "bad": bad,
            "graded": len(self.pairs),
            "paid though bad": wrong[0],
            "paid though bad %": percent(wrong[0], bad),
            "unpaid though good": wrong[1],
            "unpaid though good %": percent(wrong[1], good),
            "null, good": self.counts["null, good"],
            "null, bad": self.counts["null, bad"],
            "kappa": kappa(self.pairs) if both else None,
        }


def _held_out(
    app: str, tasks: Sequence[Task], both: tuple[Data, Data], *, details: bool
) -> Iterator[Row]:
    data, held = both
    keys = {e.episode_id: e.task_key for e in data.episodes}
    by_key = {keys[t.candidate.attempts[0].episode_id]: t for t in tasks}
    every, acting, idle = HeldOut(), HeldOut(), HeldOut()
    for episode in held.episodes:
        task, label = by_key.get(episode.task_key), held.labels.get(episode.episode_id)
        if task is None or label is None or label.resolved is None:
            continue
        verdict = task.grade(record(episode).actions)
        kind = every.add(verdict.reward, good=label.resolved)
        acts = any(step.tool_calls for step in episode.steps)
        (acting if acts else idle).add(verdict.reward, good=label.resolved)
        if kind and details:
            print(f"     {kind}: {episode.episode_id}: {verdict.reason}")
    for name, part in (("all", every), ("some call", acting), ("no call", idle)):
        yield Row(case=f"{app}, held out, {name}", figures=part.figures())
