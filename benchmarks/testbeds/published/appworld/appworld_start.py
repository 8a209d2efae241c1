"""What AppWorld's apps hold at the start: people who signed up, their lists, notes, cards, requests and shared expenses.

Goes out: calls in order, for `appworld_server`. Not here: what people ask for (`appworld_scripts`).
"""

from __future__ import annotations

from typing import Any, Final

PEOPLE: Final = {"ada": "Berg", "ben": "Costa", "cleo": "Diaz", "dov": "Eklund"}
SECRET: Final = "secret-{}"  # noqa: S105 - invented people
Start = dict[str, Any]


def mail_of(name: str) -> str:
    """Somebody's address."""
    return f"{name}@example.org"


def _made(
    app: str,
    who: str,
    call: str,
    keep: tuple[str, str] | None = None,
    /,
    **said: Any,  # noqa: ANN401 - JSON
) -> Start:
    one = {"app": app, "call": call, "arguments": {"access_token": f"{app}/{who}", **said}}
    return one | ({"keep": keep} if keep else {})


def _signed_up(app: str, name: str) -> list[Start]:
    mail, secret = mail_of(name), SECRET.format(name)
    whole = {"first_name": name.title(), "last_name": PEOPLE[name], "email": mail}
    return [
        {"app": app, "call": "signup", "arguments": {**whole, "password": secret}},
        {
            "app": app,
            "call": "verify_account",
            "arguments": {"email": mail, "verification_code": "?"},
        },
        {
            "app": app,
            "call": "login",
            "arguments": {"username": mail, "password": secret},
            "keep": (f"{app}/{name}", "access_token"),
        },
    ]


LISTS: Final = {"Home": ("wash up", "mend lamp", "pay rent"), "Work": ("write report", "call Cleo")}
NOTES: Final = {
    "shopping": ("tea, soap", ["home"]),
    "trip": ("train at nine", ["travel", "home"]),
    "ideas": ("a blue door", []),
    "books": ("two to return", ["home"]),
}
CARD: Final = {"expiry_year": 2030, "expiry_month": 5, "cvv_number": 123}


def _lists() -> list[Start]:
    out: list[Start] = []
    for who in ("ada", "ben"):
        for name, tasks in LISTS.items():
            project = f"{who}/{name}"
            out.append(_made("todoist", who, "create_project", (project, "project_id"), name=name))
            out += [
                _made("todoist", who, "create_task", project_id=project, title=title)
                for title in tasks
            ]
        out.append(_made("todoist", who, "create_label", name="urgent"))
    return out


def _notes() -> list[Start]:
    return [
        _made("simple_note", who, "create_note", title=title, content=content, tags=tags)
        for who in ("ada", "ben")
        for title, (content, tags) in NOTES.items()
    ]


def _payments() -> list[Start]:
    out: list[Start] = []
    for at, who in enumerate(PEOPLE):
        names = {"first_name": who.title(), "last_name": PEOPLE[who], "email": mail_of(who)}
        out.append(
            {"person": {**names, "phone_number": f"555010{at}000", "birthday": "1990-05-04"}}
        )
        card = {
            "card_name": "Visa",
            "owner_name": f"{who.title()} {PEOPLE[who]}",
            "card_number": 4000100020003000 + at,
            **CARD,
        }
        bank = {"main_user_id": at + 1, "balance": 60.0 * (at + 1), **card}
        out.append({"app": "admin", "call": "add_payment_card", "arguments": bank})
        out.append(_made("venmo", who, "add_payment_card", **card))
        out.append(_made("venmo", who, "add_to_venmo_balance", amount=30, payment_card_id=at + 1))
    out += [
        _made("venmo", a, "add_friend", user_email=mail_of(b))
        for a, b in (("ada", "ben"), ("ben", "cleo"))
    ]
    out += [
        _made(
            "venmo",
            a,
            "create_payment_request",
            user_email=mail_of(b),
            amount=amount,
            description=what,
        )
        for a, b, amount, what in (
            ("ben", "ada", 12.0, "lunch"),
            ("cleo", "ada", 40.5, "tickets"),
            ("ada", "ben", 7.25, "tea"),
            ("dov", "ben", 15.0, "taxi"),
        )
    ]
    return out


def _expenses() -> list[Start]:
    everybody = list(map(mail_of, PEOPLE))
    out = [
        _made(
            "splitwise",
            "ada",
            "create_group",
            ("flat", "group_id"),
            name="flat",
            member_emails=everybody[1:3],
        ),
        _made(
            "splitwise",
            "ben",
            "create_group",
            ("trip", "group_id"),
            name="trip",
            member_emails=[everybody[0], everybody[3]],
        ),
    ]
    for who, group, amount, what, others in (
        ("ada", "flat", 30.0, "rent", ("ben", "cleo")),
        ("ben", "flat", 12.0, "soap", ("ada", "cleo")),
        ("ben", "trip", 45.0, "train", ("ada", "dov")),
    ):
        said = {"payer_email": mail_of(who), "debtor_emails": list(map(mail_of, others))}
        out.append(
            _made(
                "splitwise",
                who,
                "record_expense",
                description=what,
                paid_amount=amount,
                group_id=group,
                **said,
            )
        )
    return out


STARTS: Final[list[Start]] = [
    *(
        one
        for app in ("gmail", "todoist", "simple_note", "venmo", "splitwise")
        for name in PEOPLE
        for one in _signed_up(app, name)
        if app != "gmail" or one["call"] == "signup"
    ),
    *_lists(),
    *_notes(),
    *_payments(),
    *_expenses(),
]
