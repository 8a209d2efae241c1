"""Conversations about published tasks whose people are known: four suites with one user each, a telephone company and a bank.

Comes in: how many, and a seed. Comes out: episodes with their truth. Of the suites and of the company thirty subjects have people of
their own; the bank has customers enough and keeps them. A scripted agent makes a task's known calls; what the people say around them
is ours, with a greeting, a signature, and somebody named of whom a result told. Not here: measuring.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Backend, Style
from benchmarks.testbeds.people.renamed import Name, Renamed, mails_of, named_by_mails
from benchmarks.testbeds.people.talks import START, says, step
from benchmarks.testbeds.published import agentdojo
from ingest.records.episode import Episode, Step

SUBJECTS: Final = 30
_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{15,24}\b")
_NUMBER: Final = re.compile(r"(?=(?:.*\d){4})[\w -]{6,}|\d{1,5} [A-Z].*")
_WORDS: Final = re.compile(r"[A-Z][^\d@:/\n]{3,38}|[a-z]{4,}")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d.*")


@dataclass(frozen=True, slots=True)
class Told:
    """One conversation with its truth."""

    episode: Episode
    truth: Mapping[str, list[str]]
    """By kind and whose it is: the spellings of a person or a number that must not be left."""
    nobodys: Sequence[str]
    """Words of the product that should stand as before."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is in a package's data, and what of its words names nobody."""

    people: frozenset[Name]
    user: Name | None
    numbers: Mapping[str, str]
    mails: tuple[str, ...]
    own_mails: tuple[str, ...]
    nobodys: tuple[str, ...]

    def renamed(self, seed: str) -> Renamed:
        """Others in their place."""
        world = Renamed(random.Random(seed), sorted(self.people), self.numbers, self.user)  # noqa: S311 - invented data
        world.know_mails(self.mails, self.own_mails)
        return world


def _leaves(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the last key and the text of every leaf, and the keys of objects as texts."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(one, str(name))
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, key)
    elif isinstance(value, str):
        yield key, value


def _nobodys(data: object, cast: frozenset[Name]) -> tuple[str, ...]:
    """Return the short texts of the data that name none of its people: places, titles, products."""
    words = {word for one in cast for word in one if word}
    found = {
        text
        for _, text in _leaves(data)
        if _WORDS.fullmatch(text) and words.isdisjoint(re.findall(r"\w+", text))
    }
    return tuple(sorted(found))


# Suites with one user


@cache
def _suite(name: str) -> Any:  # noqa: ANN401 - the package's own
    return agentdojo.suites()[name]


@cache
def _suite_cast(name: str) -> Cast:
    suite = _suite(name)
    data = suite.load_and_inject_default_environment({}).model_dump(mode="json")
    tasks = [
        (t.PROMPT, str(getattr(t, "GROUND_TRUTH_OUTPUT", ""))) for t in suite.user_tasks.values()
    ]
    text = json.dumps([data, tasks], ensure_ascii=False)
    account = data.get("user") or data.get("user_account") or {}
    user = (account["first_name"], account["last_name"]) if account.get("last_name") else None
    people = named_by_mails(text) | ({user} if user else set())
    if "slack" in data:
        people |= {(one, "") for one in data["slack"]["users"]}
    if user is None and name == "workspace":
        mine = data["inbox"]["account_email"].partition("@")[0].split(".")
        user = (mine[0].title(), mine[-1].title())
    numbers = dict.fromkeys(_IBAN.findall(text), "third-direct")
    for key, value in account.items():
        if isinstance(value, str) and key not in {"first_name", "last_name", "email"}:
            numbers |= {value: "direct"} if _NUMBER.fullmatch(value) or key == "password" else {}
    numbers = {one: kind for one, kind in numbers.items() if not _DAY.fullmatch(one)}
    mails = mails_of(text, people)
    own = [mail for mail in mails if user and mail.startswith(f"{user[0]}.{user[1]}".lower())]
    known = frozenset(people)
    return Cast(
        known,
        user,
        numbers,
        tuple(mails),
        tuple(own),
        _nobodys({**data, "user": "", "user_account": ""}, known),
    )


def suite_talks(name: str, count: int, seed: int) -> list[Told]:
    """Golden calls of a suite's tasks, on an environment with the subject's people."""
    dice = random.Random(f"{name} {seed}")  # noqa: S311 - invented data
    suite, cast = _suite(name), _suite_cast(name)
    told = []
    for number in range(count):
        subject = dice.randrange(SUBJECTS)
        world = cast.renamed(f"{name} {seed} {subject}")
        task = dice.choice(list(suite.user_tasks.values()))
        start = task.init_environment(suite.load_and_inject_default_environment({}))
        calls = [(call.function, dict(call.args)) for call in task.ground_truth(start)]
        renamed = type(start).model_validate(world.json(start.model_dump(mode="json")))
        backend = agentdojo.Suite(name, renamed)
        look = {"banking": "get_user_info", "travel": "get_user_information"}.get(name)
        if look and dice.random() < 0.6:
            calls.insert(0, (look, {}))
        me = (
            " ".join(filter(None, world.truth[f"name/{' '.join(cast.user)}"][:1]))
            if cast.user
            else ""
        )
        steps = [says("user", _greeting(dice, me) + world.text(task.PROMPT))]
        steps += _made(backend, [(one, world.json(given)) for one, given in calls])
        ending = world.text(str(getattr(task, "GROUND_TRUTH_OUTPUT", "") or ""))
        steps += _ended(dice, world, steps, ending, me)
        told.append(
            Told(_episode(name, number, steps, f"acct-{subject}"), world.truth, cast.nobodys)
        )
    return told


# A telephone company and a bank


@cache
def _company_cast() -> Cast:
    tau2 = import_module("benchmarks.testbeds.published.tau2")
    records = tau2.switched_on()[1].model_dump(mode="json")
    people: set[Name] = set()
    numbers: dict[str, str] = {}
    for one in records["customers"]:
        first, last = one["full_name"].split()
        people.add((first, last))
        kind = "third-direct" if people - {(first, last)} else "direct"
        told = (
            one["date_of_birth"],
            one["phone_number"],
            one["customer_id"],
            one["address"]["street"],
        )
        numbers |= dict.fromkeys(told, kind)
    numbers |= {
        one["phone_number"]: "third-direct"
        for one in records["lines"]
        if one["phone_number"] not in numbers
    }
    numbers |= {one["imei"]: "third-direct" for one in records["devices"] if one.get("imei")}
    first = records["customers"][0]["full_name"].split()
    text = json.dumps(records)
    mails, known = tuple(mails_of(text, people)), frozenset(people)
    own = (records["customers"][0]["email"],)
    return Cast(
        known,
        (first[0], first[1]),
        numbers,
        mails,
        own,
        _nobodys({**records, "customers": ""}, known),
    )


def company_talks(count: int, seed: int) -> list[Told]:
    """What customers of the company ask for; arguments and results have the subject's people."""
    dice = random.Random(f"telecom {seed}")  # noqa: S311 - invented data
    style, cast = _style("telecom"), _company_cast()
    told = []
    for number in range(count):
        world = cast.renamed(f"telecom {seed} {dice.randrange(SUBJECTS)}")
        me = next(iter(world.truth.values()))[0]
        if cast.user:
            me = world.truth[f"name/{' '.join(cast.user)}"][0]
        steps = [says("user", f"{_greeting(dice, me)}Something is wrong with my line.")]
        steps += _made(style.make(), list(style.script(dice)), world)
        steps += _ended(dice, world, steps, "", me)
        told.append(Told(_episode("telecom", number, steps, None), world.truth, cast.nobodys))
    return told


def bank_talks(count: int, seed: int) -> list[Told]:
    """Tasks of the bank's own customers, who say who they are first."""
    dice = random.Random(f"bank {seed}")  # noqa: S311 - invented data
    customers, style = (
        import_module("benchmarks.testbeds.published.tau2").customers(),
        _style("banking"),
    )
    truth: dict[str, list[str]] = {}
    for one in customers:
        words = one["name"].split()
        truth[f"name/{one['name']}"] = [one["name"], *(words if len(words) > 1 else [])]
        for key in ("address", "email", "phone_number", "date_of_birth"):
            if one.get(key):
                truth[f"direct/{key} {one['user_id']}"] = [one[key]]
    told = []
    for number in range(count):
        calls = list(style.script(dice))
        said = json.dumps(calls)
        who = next(
            (c for c in customers if c["user_id"] in said or c["name"] in said), customers[0]
        )
        proof = dice.sample(
            [f"born {who['date_of_birth']}", f"e-mail {who['email']}", f"phone {who['phone_number']}", f"I live at {who['address']}"],
            2,
        )  # fmt: skip
        steps = [says("user", f"I am {who['name']}, {', '.join(proof)}.")]
        steps += _made(style.make(), calls)
        steps.append(says("assistant", dice.choice(("All is set.", f"Thank you, {who['name']}."))))
        told.append(Told(_episode("bank", number, steps, None), truth, _kinds_shown()))
    return told


@cache
def _kinds_shown() -> tuple[str, ...]:
    """Return what the bank's answers call cards, accounts and states, read off the labels of all its tasks' answers."""
    dice, style = random.Random(0), _style("banking")  # noqa: S311 - invented data
    found: set[str] = set()
    for _ in range(40):
        backend = style.make()
        for call in style.script(dice):
            if not callable(call):
                answer = backend.call(*call).content
                found.update(
                    re.findall(
                        r"(?:card_type|status|level|category): ([A-Z][\w &-]+)$",
                        answer,
                        re.MULTILINE,
                    )
                )
    return tuple(sorted(found))


def _style(name: str) -> Style:
    styles: Sequence[Style] = import_module("benchmarks.testbeds.published.tau2").STYLES
    return next(style for style in styles if style.name == name)


# What is said


def _greeting(dice: random.Random, me: str) -> str:
    return dice.choice(("", f"Hi, {me} here. ", f"This is {me}. ")) if me else ""


def _made(backend: Backend, calls: Sequence[Any], world: Renamed | None = None) -> Iterator[Step]:
    """Yield the calls with the backend's answers."""
    for number, (name, arguments) in enumerate(calls):
        answer = backend.call(name, arguments).content
        shown, given = (world.text(answer), world.json(arguments)) if world else (answer, arguments)
        yield from step(name, given, shown, f"c{number}")


def _ended(
    dice: random.Random, world: Renamed, steps: Sequence[Step], ending: str, me: str
) -> Iterator[Step]:
    """Yield how a conversation ends: what was found, somebody of whom a result told, thanks with a signature or none."""
    shown = "\n".join(one.content or "" for one in steps if one.role == "tool")
    named = [
        told[0]
        for label, told in world.truth.items()
        if label.startswith("third/") and told[0] in shown
    ]
    said = [dice.choice(("Done.", "I found it.", "Here is what I found:")), ending]
    said.append(f"It concerns {dice.choice(named)}." if named else "")
    said.append(f"Anything else, {me.split(maxsplit=1)[0]}?" if me and dice.random() < 0.5 else "")
    yield says("assistant", " ".join(filter(None, said)))
    yield says("user", dice.choice(("Thanks!", "No, that is all.", f"Thank you. {me}".strip())))


def _episode(app: str, number: int, steps: Sequence[Step], subject: str | None) -> Episode:
    return Episode(
        app=app,
        episode_id=f"{app}-{number}",
        conversation_id=None,
        source="chat_log",
        started_at=START + number * 10**12,
        steps=tuple(steps),
        subject=subject,
    )


APPS: Final[Mapping[str, Callable[[int, int], list[Told]]]] = {
    "workspace": partial(suite_talks, "workspace"),
    "travel": partial(suite_talks, "travel"),
    "banking": partial(suite_talks, "banking"),
    "slack": partial(suite_talks, "slack"),
    "telecom": company_talks,
    "bank": bank_talks,
}
