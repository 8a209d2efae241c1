"""Conversations at the example desk's real database in which a task's own user stands in for the customer.

In: `variant:seed:conversations` (`python -m benchmarks task_user 3:71:500`). Out: verdicts of the rubrics of failed
requests beside the truth, and how many of their solutions resolve what the failed customer came for. The customer of a failed conversation may have
meant to correct, to withdraw or to choose what they never came to say; the task's user says what the task has them say.
What is right for that user is what the good agent reaches with them at the real database: the tables it leaves and the
facts it tells. Of the learnt world, nothing takes part. Not here: conversations with the customer (`rubrics_desk`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.rubrics.desk import HELD, Judged, Made, make, true_label
from benchmarks.testbeds.desk.conversations import FRESH, Shop, Talk, hold_season, policies
from environments.runtime.checks.consent import agrees, asks_consent
from environments.runtime.checks.table import evaluate
from environments.runtime.checks.view import text_of
from environments.runtime.play.environment import run_actions
from environments.runtime.play.user import ScriptedUser
from environments.runtime.task.candidate import Action, Candidate
from environments.verification.material import planned_calls
from examples.support_desk.backend.database import Dump, copy_of, dump
from examples.support_desk.backend.desk import Desk
from examples.support_desk.backend.generator import START
from examples.support_desk.clock import Clock
from examples.support_desk.conversation import Conversation, Room, hold
from examples.support_desk.customers import MAX_TURNS, Customer, Turn
from examples.support_desk.request import Request
from examples.support_desk.telemetry import Session, Telemetry
from examples.support_desk.truth import accepted_ends

GOOD: Final = "good"
RECORDED: Final = "as recorded"
CHOOSES: Final = "given a choice"
WHO: Final = re.compile(r"e-?mail|your full name", re.IGNORECASE)
TRIES: Final = 4
"""Conversations of the good agent, which now and then fails by bad luck."""


@dataclass(slots=True, kw_only=True)
class TaskUser(Customer):
    """A task's user, as the desk's agents meet a customer; who they are, they say as the customer does."""

    script: ScriptedUser
    opening: str
    turns: int = 0

    def open(self) -> Turn:
        """The task's opening."""
        return Turn(text=self.opening)

    def reply(self, agent: str) -> Turn:
        """What the task's user says; a yes counts where it was asked for."""
        self.turns += 1
        if self.turns > MAX_TURNS:
            return Turn(text="Bye.", ends=True)
        if "?" in agent and WHO.search(agent):
            return Turn(text=self._email())
        said = self.script.reply(agent)
        yes = asks_consent(agent) and agrees(said.text)
        return Turn(text=said.text or "Bye.", consents=yes, ends=said.ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One policy's conversation with a task's user."""

    talk: Conversation
    end: Dump

    def tells(self, forms: Iterable[str]) -> bool:
        """Whether the user was told a fact in one of its forms."""
        texts = [
            str(m.get("content") or "") for m in self.talk.messages if m["role"] == "assistant"
        ]
        return any(form.casefold() in text.casefold() for form in forms for text in texts)

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the policy did."""
        return tuple(m for m in self.talk.messages if m["role"] == "assistant")


class TaskUsers(Judged):
    """Verdicts on conversations with the tasks' own users."""

    def judge(self, made: Made, candidates: Sequence[Candidate]) -> None:
        """Let every policy try every one of these tasks."""
        for number, candidate in enumerate(candidates):
            request = made.talks[str(candidate.task.provenance["shown"])].request
            right = _right(made.shop, candidate, request, number=number)
            facts = [forms for forms in request.truth.told if right.tells(forms)]
            for place, policy in enumerate(policies()):
                one = tried(made.shop, candidate, request, policy, 10 * number + place)
                truth = (
                    one.end == right.end
                    and all(map(one.tells, facts))
                    and not one.talk.unconfirmed_writes
                )
                attempt = run_actions(candidate.task, made.world, one.actions)
                verdict = evaluate(candidate.rubric, attempt, task_version="measured")
                told = f"{candidate.task.task_id[:8]} {request.kind}"
                self.add(policy, verdict, told, truth=truth)


def _right(shop: Shop, candidate: Candidate, request: Request, *, number: int) -> Tried:
    """What the good agent reaches with the task's user: the first time that it changes anything."""
    start = dump(shop.db)
    tries = [tried(shop, candidate, request, GOOD, HELD + TRIES * number + n) for n in range(TRIES)]
    return next((one for one in tries if one.end != start), tries[0])


def tried(shop: Shop, candidate: Candidate, request: Request, policy: str, number: int) -> Tried:
    """One policy at the real database as a season on a test bench begins."""
    plan = shop.plan
    db = copy_of(shop.db)
    rng = plan.dice("conversation", FRESH + number)
    desk = Desk(variant=plan.variant, db=db, now=lambda: START)
    agent = plan.make_agent(policy, plan.variant, f"{plan.seed} {FRESH + number}")
    name = f"task-{candidate.task.task_id[:8]}-{number}"
    session = Session(conversation_id=name, user_id=name, agent=policy, model=agent.model)
    opening = [text_of(m) for m in candidate.task.opening if m.get("role") == "user"][-1]
    user = TaskUser(
        request=request,
        rng=rng,
        order_pattern=plan.variant.order_pattern,
        script=ScriptedUser(candidate.task.user, opening=opening),
        opening=opening,
    )
    room = Room(desk=desk, clock=Clock(now=START, rng=rng), telemetry=Telemetry())
    return Tried(talk=hold(agent, user, session, room), end=dump(db))


def own_request(shop: Shop, talk: Talk, candidate: Candidate) -> bool:
    """Whether a task's solution resolves what its failed customer came for, at the real database."""
    db = copy_of(shop.db)
    desk = Desk(variant=shop.plan.variant, db=db, now=lambda: START)
    for call in planned_calls(candidate.solution):
        desk.call(call.name, call.arguments)
    return dump(db) in accepted_ends(talk.request, shop.db, shop.plan.variant, START)


def main() -> int:
    """Measure every season named on the command line."""
    users = {RECORDED: TaskUsers(), CHOOSES: TaskUsers()}
    counts: Counter[str] = Counter()
    for text in sys.argv[1:]:
        variant, seed, conversations = map(int, text.split(":"))
        shop = hold_season(variant=variant, seed=seed, conversations=conversations, attempts=1)
        made = make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks})
        chosen: dict[str, list[Candidate]] = {name: [] for name in users}
        for candidate in made.accepted():
            talks = [made.talks[a.episode_id] for a in candidate.attempts]
            failed = [t for t in talks if not t.resolved]
            wanted = [t for t in failed if any(t.request.truth.accepted) and not t.denied]
            name = CHOOSES if candidate.task.provenance.get("supposed") else RECORDED
            counts["accepted"] += len(wanted)
            counts[name] += len(wanted)
            counts["own request"] += sum(own_request(shop, t, candidate) for t in wanted)
            chosen[name] += [candidate] if failed else []
        for name, one in users.items():
            one.judge(made, chosen[name])
    print(f"failed requests to be done with an accepted task: {dict(counts)}")
    for name, one in users.items():
        print(f"users {name}, predicted: {one.predicted.summary()}")
        print(f"users {name}, reward:    {one.reward.summary()}")
        print("\n".join(f"  {error}" for error in one.errors))
    return 0


if __name__ == "__main__":
    sys.exit(main())
