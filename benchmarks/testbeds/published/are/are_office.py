"""A calendar, contacts, mail, messages and reminders: five apps of `are` with invented records, and what people ask of them."""

from __future__ import annotations

import random
from functools import partial
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.published.are.are import (
    NOW,
    App,
    AppBackend,
    after,
    hex_id,
    latest,
    module,
)

FIRST: Final = ("Ada", "Boris", "Chidi", "Dana", "Eero", "Farah", "Goran", "Hana")
LAST: Final = ("Abara", "Brandt", "Castell", "Dvorak", "Eklund")
PEOPLE: Final = tuple(f"{first} {last}" for first in FIRST for last in LAST)
TITLES: Final = ("Stand-up", "Budget review", "Dentist", "Design talk", "Lunch", "Interview", "Gym")
TAGS: Final = ("work", "private", "health")
ROOMS: Final = ("Room 4", "Cafe Linde", "Online")
DAY: Final = 86_400


def _mail_of(person: str) -> str:
    return f"{person.lower().replace(' ', '.')}@example.org"


def _events() -> App:
    apps = module("calendar")
    app = apps.CalendarApp()
    for at in range(45):
        rng = random.Random(f"event {at}")  # noqa: S311 - dice
        start = NOW - 5 * DAY + at * DAY / 3 + rng.randrange(16) * 1800
        key = hex_id(f"event {at}")
        app.events[key] = apps.CalendarEvent(
            event_id=key,
            title=rng.choice(TITLES),
            start_datetime=start,
            end_datetime=start + rng.choice([1800, 3600, 5400]),
            tag=rng.choice([*TAGS, None]),
            description=rng.choice([None, "Bring the notes", "Weekly"]),
            location=rng.choice([*ROOMS, None]),
            attendees=rng.sample(PEOPLE, rng.randrange(3)),
        )
    return app


def _calendar(rng: random.Random) -> list[Step]:
    event = {"event_id": hex_id(f"event {rng.randrange(45)}")}
    day = rng.randrange(1, 9)
    span = {
        "start_datetime": f"2026-06-0{day} 00:00:00",
        "end_datetime": f"2026-06-0{day + 1} 00:00:00",
    }
    new: dict[str, Any] = {
        "title": rng.choice(TITLES),
        "start_datetime": f"2026-06-0{day} {rng.randrange(10, 17)}:00:00",
        "end_datetime": f"2026-06-0{day} {rng.randrange(17, 20)}:30:00",
    }
    for name, choices in (("tag", TAGS), ("location", ROOMS), ("description", ("Prepare slides",))):
        if rng.random() < 0.6:
            new[name] = rng.choice(choices)
    if rng.random() < 0.6:
        new["attendees"] = rng.sample(PEOPLE, 2)
    look: Step = ("get_calendar_event", event)
    add: Step = ("add_calendar_event", new)
    that = after("get_calendar_event", "event_id", latest)
    query = rng.choice([*TITLES, *FIRST, "notes"])
    goals: list[list[Step]] = [
        [("get_calendar_events_from_to", span), look],
        [("get_calendar_events_from_to", span), add, that],
        [add, that, ("get_calendar_events_from_to", span)],
        [look, ("delete_calendar_event", event), look],
        [("search_events", {"query": query}), look],
        [("get_all_tags", {}), ("get_calendar_events_by_tag", {"tag": rng.choice(TAGS)})],
        [("read_today_calendar_events", {}), add, ("search_events", {"query": new["title"]})],
        [
            add,
            after("delete_calendar_event", "event_id", latest),
            ("read_today_calendar_events", {}),
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _book() -> App:
    apps = module("contacts")
    app = apps.ContactsApp()
    for at, person in enumerate(PEOPLE):
        rng = random.Random(person)  # noqa: S311 - dice
        first, last = person.split()
        key = hex_id(person)
        app.contacts[key] = apps.Contact(
            first_name=first,
            last_name=last,
            contact_id=key,
            is_user=at == 0,
            gender=rng.choice(["Male", "Female", "Unknown"]),
            age=rng.randrange(18, 80),
            nationality=rng.choice(["Finnish", "Nigerian", None]),
            city_living=rng.choice(["Tampere", "Lagos", "Brno"]),
            country=rng.choice(["Finland", "Nigeria", None]),
            status=rng.choice(["Student", "Employed", "Retired"]),
            job=rng.choice(["Nurse", "Engineer", None]),
            phone=f"+35840{rng.randrange(10**6, 10**7)}",
            email=_mail_of(person),
        )
    return app


def _contacts(rng: random.Random) -> list[Step]:
    person = rng.choice(PEOPLE)
    key = {"contact_id": hex_id(person)}
    look: Step = ("get_contact", key)
    search: Step = ("search_contacts", {"query": rng.choice(rng.choice(PEOPLE).split())})
    updates = rng.choice(
        [
            {"job": rng.choice(["Pilot", "Baker"])},
            {"city_living": rng.choice(["Oulu", "Kano"]), "country": "Elsewhere"},
            {"age": rng.choice([33, 44, 140])},
            {"phone": f"+35850{rng.randrange(10**6, 10**7)}"},
            {"status": rng.choice(["Retired", "Employed"])},
            {"nickname": "Bo"},
        ]
    )
    new = {"first_name": rng.choice(["Ines", "Jonas"]), "last_name": rng.choice(LAST)}
    more: dict[str, Any] = {**new, "gender": "Female", "age": 30, "email": "new@example.org"}
    goals: list[list[Step]] = [
        [search, look],
        [look, ("edit_contact", {**key, "updates": updates}), look],
        [("get_contacts", {"offset": rng.choice([0, 10, 20, 30])}), look],
        [look, ("delete_contact", key), look, search],
        [
            ("add_new_contact", rng.choice([new, more])),
            after("get_contact", "contact_id", latest),
            ("search_contacts", {"query": new["first_name"]}),
        ],
        [("get_current_user_details", {}), search],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


SUBJECTS: Final = ("Invoice", "Trip plan", "Minutes", "Offer", "Birthday", "Report")


def _mails() -> App:
    apps = module("email_client")
    app = apps.EmailClientApp(user_email="me@example.org")
    for at in range(40):
        rng = random.Random(f"mail {at}")  # noqa: S311 - dice
        person = rng.choice(PEOPLE)
        email = apps.Email(
            sender=_mail_of(person),
            recipients=["me@example.org"],
            subject=f"{rng.choice(SUBJECTS)} {at}",
            content=f"Dear all, please see to number {at}. {person}",
            email_id=hex_id(f"mail {at}"),
            timestamp=NOW - (41 - at) * 7_000,
            is_read=rng.random() < 0.5,
        )
        folder = apps.EmailFolderName.DRAFT if at % 8 == 7 else apps.EmailFolderName.INBOX
        app.folders[folder].add_email(email)
    return app


def _email(rng: random.Random) -> list[Step]:
    at = rng.randrange(40)
    mail = {"email_id": hex_id(f"mail {at}")}
    where = {} if at % 8 != 7 else {"folder_name": "DRAFT"}
    read: Step = ("get_email_by_id", {**mail, **where})
    listed: Step = (
        "list_emails",
        {"folder_name": "INBOX", "limit": 5, "offset": rng.choice([0, 5])},
    )
    sent: Step = ("list_emails", {"folder_name": rng.choice(["SENT", "TRASH"])})
    query = rng.choice([*SUBJECTS, *FIRST])
    words = rng.choice(["Thank you.", "Noted, see you then.", "No."])
    goals: list[list[Step]] = [
        [listed, read, ("reply_to_email", {**mail, **where, "content": words}), sent],
        [("search_emails", {"query": query}), read, ("delete_email", {**mail, **where}), sent],
        [
            (
                "send_email",
                {
                    "recipients": [_mail_of(rng.choice(PEOPLE))],
                    "subject": rng.choice(SUBJECTS),
                    "content": words,
                },
            ),
            ("list_emails", {"folder_name": "SENT"}),
            after("get_email_by_id", "email_id", latest, folder_name="SENT"),
        ],
        [
            read,
            ("move_email", {**mail, "source_folder_name": "INBOX", "dest_folder_name": "DRAFT"}),
            ("get_email_by_id", {**mail, "folder_name": "DRAFT"}),
        ],
        [read, ("forward_email", {**mail, **where, "recipients": [_mail_of(rng.choice(PEOPLE))]})],
        [("get_email_by_index", {"idx": rng.randrange(5)}), listed],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


MEMBERS: Final = PEOPLE[:14]


def _chats() -> App:
    apps = module("messaging_v2")
    names = {hex_id(person): person for person in MEMBERS}
    app = apps.MessagingAppV2(
        current_user_id=hex_id("me"), current_user_name="Me Myself", id_to_name=names
    )
    for at in range(20):
        rng = random.Random(f"chat {at}")  # noqa: S311 - dice
        members = [hex_id(MEMBERS[at % 14])] if at < 14 else rng.sample(sorted(names), 3)
        chat = apps.ConversationV2(
            participant_ids=[hex_id("me"), *members],
            title=app.get_default_title(members) if at < 14 else f"Group {at}",
            conversation_id=hex_id(f"chat {at}"),
            last_updated=NOW - at * 500,
            messages=[
                apps.MessageV2(
                    sender_id=rng.choice([hex_id("me"), *members]),
                    message_id=hex_id(f"message {at} {n}"),
                    timestamp=NOW - at * 500 - n * 3_000,
                    content=f"About {rng.choice(SUBJECTS).lower()}, part {n}",
                )
                for n in range(rng.randrange(1, 6))
            ],
        )
        app.conversations[chat.conversation_id] = chat
    return app


def _messaging(rng: random.Random) -> list[Step]:
    person, other = rng.sample(MEMBERS, 2)
    user, chat = hex_id(person), rng.randrange(20)
    group = hex_id(f"chat {rng.randrange(14, 20)}")
    words = rng.choice(["On my way", "Call me later", "Done", "Which room?"])
    read: Step = ("read_conversation", {"conversation_id": hex_id(f"chat {chat}")})
    look: Step = ("read_conversation", {"conversation_id": group, "limit": 3})
    goals: list[list[Step]] = [
        [
            ("get_user_id", {"user_name": person}),
            ("send_message", {"user_id": user, "content": words}),
            after("read_conversation", "conversation_id", latest),
        ],
        [("list_recent_conversations", {"limit": rng.choice([2, 5])}), read],
        [
            look,
            ("send_message_to_group_conversation", {"conversation_id": group, "content": words}),
            look,
        ],
        [
            ("create_group_conversation", {"user_ids": [user, hex_id(other)], "title": "Plan"}),
            after("send_message_to_group_conversation", "conversation_id", latest, content=words),
            after("read_conversation", "conversation_id", latest),
        ],
        [("add_participant_to_conversation", {"conversation_id": group, "user_id": user}), look],
        [("remove_participant_from_conversation", {"conversation_id": group, "user_id": user})],
        [("change_conversation_title", {"conversation_id": group, "title": words}), look],
        [("search", {"query": rng.choice(["invoice", "part 3", "offer"])}), read],
        [
            ("lookup_user_id", {"user_name": person.split()[0]}),
            ("get_user_name_from_id", {"user_id": user}),
        ],
        [("list_conversations_by_participant", {"user_id": user}), read],
        [("get_existing_conversation_ids", {"user_ids": [user]}), read],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


ERRANDS: Final = ("Water plants", "Pay rent", "Call Ines", "Renew pass", "Buy oil")


def _notes() -> App:
    apps = module("reminder")
    app = apps.ReminderApp()
    app.max_future_datetime = apps.datetime.fromtimestamp(NOW + 80 * DAY, tz=apps.timezone.utc)
    for at in range(20):
        rng = random.Random(f"note {at}")  # noqa: S311 - dice
        key = hex_id(f"note {at}")
        due = apps.datetime.fromtimestamp(NOW + (at - 4) * DAY, tz=apps.timezone.utc)
        app.reminders[key] = apps.Reminder(
            reminder_id=key,
            title=rng.choice(ERRANDS),
            due_datetime=due,
            description=rng.choice(["", "Before noon", "Ask twice"]),
        )
    return app


def _reminders(rng: random.Random) -> list[Step]:
    new = {
        "title": rng.choice(ERRANDS),
        "due_datetime": f"2026-06-{rng.randrange(10, 28)} 08:00:00",
        "description": rng.choice(["Before noon", "With Dana"]),
    }
    if rng.random() < 0.2:
        new |= {"repetition_unit": rng.choice(["week", "month", "fortnight"])}
    all_of: Step = ("get_all_reminders", {})
    goals: list[list[Step]] = [
        [all_of, ("add_reminder", new), all_of],
        [("delete_reminder", {"reminder_id": hex_id(f"note {rng.randrange(20)}")}), all_of],
        [("add_reminder", new), after("delete_reminder", "reminder_id", latest)],
        [("get_due_reminders", {}), ("add_reminder", new)],
        [("delete_all_reminders", {}), all_of] if rng.random() < 0.2 else [all_of],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


STYLES: Final = [
    Style(name=name + end, make=partial(AppBackend, fill, printed=printed), script=script)
    for name, fill, script in (
        ("calendar", _events, _calendar),
        ("contacts", _book, _contacts),
        ("email", _mails, _email),
        ("messaging", _chats, _messaging),
        ("reminders", _notes, _reminders),
    )
    for end, printed in (("", True), ("-json", False))
]
