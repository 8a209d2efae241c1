"""An office to learn from: agentdojo's calendar over more events, and what its people ask for.

Needs what `agentdojo` needs. Results are YAML; an event is found by its day or title and changed by its id. Comes out: a trade (`drawn_firms`).
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from benchmarks.rollouts.drawn_firms import Trade, Wanted
from benchmarks.testbeds.published.agentdojo import Suite

TOPICS = ("Budget", "Design", "Hiring", "Roadmap", "Security", "Sales", "Support", "Research")
SORTS = ("review", "meeting", "workshop", "call", "interview")
ROOMS = ("Room 1", "Room 2", "Room 3", "Library", "Roof")
FIRST_DAY = datetime(2024, 6, 3)  # noqa: DTZ001 - as the package has it
EVENTS = 40
START = random.Random(17)  # noqa: S311 - dice


@cache
def _office() -> Any:  # noqa: ANN401 - the package's own
    """The suite's environment with forty more events, each title once."""
    environment = Suite("workspace")._environment  # noqa: SLF001 - beside it
    events, rng = environment.calendar.events, START
    sample = next(iter(events.values()))
    people = [person.email for person in environment.inbox.contact_list]
    titles = [f"{topic} {sort}" for topic in TOPICS for sort in SORTS]
    for number, title in enumerate(rng.sample(titles, EVENTS)):
        begins = FIRST_DAY + timedelta(days=number // 2, hours=rng.randrange(8, 17))
        events[str(100 + number)] = sample.model_copy(
            update={
                "id_": str(100 + number),
                "title": title,
                "description": "",
                "start_time": begins,
                "end_time": begins + timedelta(hours=1),
                "location": rng.choice(ROOMS),
                "participants": rng.sample(people, 2),
            }
        )
    return environment


def _state(environment: Any) -> str:  # noqa: ANN401 - the package's own
    """The calendar; the invitations that its tools send have times of their own."""
    return str(environment.calendar.model_dump())


def _event(rng: random.Random) -> tuple[Any, str, list[tuple[str, dict[str, Any]]]]:
    """An event, how somebody calls it, and the call that finds it."""
    event = rng.choice([e for e in _office().calendar.events.values() if int(e.id_) >= 100])
    day = str(event.start_time.date())
    if rng.random() < 0.5:
        look = ("get_day_calendar_events", {"day": day})
        return event, f"the {event.title} on {day}", [look]
    return event, f"the {event.title}", [("search_calendar_events", {"query": event.title})]


def _person(rng: random.Random) -> str:
    return str(rng.choice(_office().inbox.contact_list).email)


def _time(rng: random.Random) -> datetime:
    return FIRST_DAY + timedelta(days=rng.randrange(25, 50), hours=rng.randrange(8, 17))


def _create(rng: random.Random) -> Wanted:
    begins, person = _time(rng), _person(rng)
    title = f"{rng.choice(TOPICS)} {rng.choice(SORTS)}"
    start, end = (f"{moment:%Y-%m-%d %H:%M}" for moment in (begins, begins + timedelta(hours=1)))
    words = f"Put '{title}' into the calendar, from {start} to {end}, with {person}."
    given = {"title": title, "start_time": start, "end_time": end, "participants": [person]}
    return words, [("create_calendar_event", given)], ""


def _cancel(rng: random.Random) -> Wanted:
    event, called, look = _event(rng)
    words = rng.choice((f"Please cancel {called}.", f"Take {called} out of the calendar."))
    return words, [*look, ("cancel_calendar_event", {"event_id": event.id_})], ""


def _reschedule(rng: random.Random) -> Wanted:
    event, called, look = _event(rng)
    start = f"{_time(rng):%Y-%m-%d %H:%M}"
    words = rng.choice((f"Move {called} to {start}.", f"{called} has to begin at {start} instead."))
    change = ("reschedule_calendar_event", {"event_id": event.id_, "new_start_time": start})
    return words, [*look, change], ""


def _invite(rng: random.Random) -> Wanted:
    event, called, look = _event(rng)
    person = _person(rng)
    words = rng.choice((f"Invite {person} to {called}.", f"{person} should come to {called}."))
    added = {"event_id": event.id_, "participants": [person]}
    return words, [*look, ("add_calendar_event_participants", added)], ""


def _place(rng: random.Random) -> Wanted:
    event, called, look = _event(rng)
    return f"Where is {called}?", look, str(event.location)


OFFICE = Trade(
    name="trained-office",
    suite="workspace",
    environment=_office,
    state=_state,
    kinds=(_create, _cancel, _reschedule, _invite, _place),
)
