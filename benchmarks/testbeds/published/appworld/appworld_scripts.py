"""What people ask an agent to do in AppWorld's apps.

Comes in: dice. Goes out: the calls that a good agent would make: sign in, look something up, act on it, check. Tokens and new ids
are taken from the answers. Not here: what the apps hold (`appworld_start`), calling them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step
from benchmarks.testbeds.published.appworld.appworld_start import PEOPLE, SECRET, mail_of
from benchmarks.testbeds.published.cloud.cloud_scripts import told


def _says(call: str, /, **said: Any) -> Step:  # noqa: ANN401 - JSON
    """A call with the token that signing in gave; what is a function of the answers is called with them."""

    def step(answers: Sequence[str]) -> Call:
        token = told(answers, "access_token", "none")
        found = {k: v(answers) if callable(v) else v for k, v in said.items()}
        return call, {"access_token": token, **found}

    return step


def _last(key: str, otherwise: int = 1) -> Callable[[Sequence[str]], Any]:
    return lambda answers: told(answers, key, otherwise)


def _signs_in(who: str) -> Call:
    return "login", {"username": mail_of(who), "password": SECRET.format(who)}


def _jobs(
    rng: random.Random, job: Callable[[random.Random, str], list[Step]], most: int = 3
) -> list[Step]:
    who = rng.choice(("ada", "ben"))
    return [_signs_in(who), *(step for _ in range(rng.randint(1, most)) for step in job(rng, who))]


def todo(rng: random.Random) -> list[Step]:
    """To-do lists: see a list, tick a task off, add or move another."""
    return _jobs(rng, _at_todo)


def _at_todo(rng: random.Random, who: str) -> list[Step]:
    first = 5 if who == "ada" else 7
    project = rng.choice((first, first + 1))
    task = rng.randint(1, 5) + (0 if who == "ada" else 5)
    task = rng.randint(1, 11) if rng.random() < 0.15 else task
    lists, tasks = _says("show_projects"), _says("show_tasks", project_id=project)
    one = _says("show_task", task_id=task)
    title = rng.choice(("buy stamps", "water plants", "book train"))
    urgency = rng.choice(("low", "medium", "high"))
    jobs: list[list[Step]] = [
        [lists, tasks, one],
        [one, _says("update_task", task_id=task, is_completed=True), one],
        [tasks, _says("create_task", project_id=project, title=title, priority=urgency), tasks],
        [
            _says("create_task", project_id=project, title=title),
            _says("show_task", task_id=_last("task_id")),
            _says("update_task", task_id=_last("task_id"), title=f"{title} soon"),
            tasks,
        ],
        [one, _says("delete_task", task_id=task), tasks],
        [_says("create_project", name=rng.choice(("Garden", "Club"))), lists],
        [
            lists,
            _says("update_project", project_id=project, is_favorite=True),
            _says("show_project", project_id=project),
        ],
        [
            _says("search_labels"),
            _says("add_label_to_task", task_id=task, label_id=first // 2 - 1),
            one,
        ],
        [
            _says("create_sub_task", task_id=task, title=title),
            _says("show_sub_tasks", task_id=task),
        ],
        [
            _says("post_task_comment", task_id=task, content=title),
            _says("show_task_comments", task_id=task),
        ],
        [
            _says("create_section", project_id=project, name="later"),
            _says("show_sections", project_id=project),
        ],
        [_says("send_project_invite", project_id=project, email=mail_of("cleo")), lists],
    ]
    return rng.choice(jobs)


def notes(rng: random.Random) -> list[Step]:
    """Notes: find one, add to it, pin it, write another."""
    return _jobs(rng, _at_notes)


def _at_notes(rng: random.Random, who: str) -> list[Step]:
    note = rng.randint(1, 4) + (0 if who == "ada" else 4)
    note = rng.randint(1, 9) if rng.random() < 0.15 else note
    one = _says("show_note", note_id=note)
    word = rng.choice(("tea", "door", "train", "return"))
    search = rng.choice(
        (
            _says("search_notes"),
            _says("search_notes", query=word),
            _says("search_notes", tags=["home"]),
            _says("search_notes", pinned=True),
        )
    )
    where = rng.choice(("append", "prepend"))
    jobs: list[list[Step]] = [
        [search, one],
        [
            one,
            _says(
                "add_content_to_note",
                note_id=note,
                append_or_prepend=where,
                added_content="and bread",
            ),
            one,
        ],
        [one, _says("update_note", note_id=note, pinned=rng.random() < 0.7), search],
        [one, _says("update_note", note_id=note, title=rng.choice(("list", "plan"))), one],
        [
            _says(
                "create_note",
                title=f"about {word}",
                content=word,
                tags=[rng.choice(("home", "new"))],
            ),
            _says("show_note", note_id=_last("note_id")),
        ],
        [_says("create_note", title=word, content="short"), search],
        [one, _says("delete_note", note_id=note), one],
        [
            _says("show_account"),
            _says("update_account_name", last_name="Frost"),
            _says("show_account"),
        ],
    ]
    return rng.choice(jobs)


def pay(rng: random.Random) -> list[Step]:
    """Payments: what I have, what is asked of me, pay it or say no."""
    return _jobs(rng, _at_pay)


def _at_pay(rng: random.Random, who: str) -> list[Step]:
    card = 1 if who == "ada" else 2
    other = rng.choice([name for name in PEOPLE if name != who])
    have = _says("show_venmo_balance")
    amount = rng.choice((5, 20, 12.5, 100))
    asked = rng.randint(1, 4)
    received, sent = _says("show_received_payment_requests"), _says("show_sent_payment_requests")
    given = _says(
        "create_transaction",
        receiver_email=mail_of(other),
        amount=amount,
        description="thanks",
        payment_card_id=card,
    )
    jobs: list[list[Step]] = [
        [have, _says("add_to_venmo_balance", amount=amount, payment_card_id=card), have],
        [have, _says("withdraw_from_venmo_balance", amount=amount, payment_card_id=card), have],
        [have, _says("create_transaction", receiver_email=mail_of(other), amount=amount), have],
        [
            given,
            _says("show_transaction", transaction_id=_last("transaction_id")),
            _says("like_transaction", transaction_id=_last("transaction_id")),
        ],
        [received, _says("approve_payment_request", payment_request_id=asked), received],
        [received, _says("deny_payment_request", payment_request_id=asked), received],
        [
            sent,
            _says(
                "create_payment_request",
                user_email=mail_of(other),
                amount=amount,
                description="soup",
            ),
            sent,
        ],
        [
            _says("search_friends"),
            _says("add_friend", user_email=mail_of(other)),
            _says("search_friends"),
        ],
        [
            _says("search_friends"),
            _says("remove_friend", user_email=mail_of(other)),
            _says("search_friends"),
        ],
        [_says("show_payment_cards"), have],
        [_says("show_transactions"), _says("show_notifications")],
        [_says("search_users", query=other), given],
        [_says("show_bank_transfer_history"), have],
    ]
    return rng.choice(jobs)


def split(rng: random.Random) -> list[Step]:
    """Shared expenses: who owes whom, add one, settle up."""
    return _jobs(rng, _at_split)


def _at_split(rng: random.Random, who: str) -> list[Step]:
    group = rng.choice((1, 2))
    other = rng.choice([name for name in PEOPLE if name != who])
    debts = rng.choice(
        (
            _says("show_people_balance"),
            _says("show_groups_balance"),
            _says("show_group_balance", group_id=group),
        )
    )
    expense = rng.randint(1, 4)
    one = _says("show_expense", expense_id=expense)
    amount = rng.choice((10.0, 24.0, 33.0))
    said = {"payer_email": mail_of(who), "debtor_emails": [mail_of(other)], "group_id": group}
    jobs: list[list[Step]] = [
        [debts, _says("record_expense", description="bread", paid_amount=amount, **said), debts],
        [
            _says("record_expense", description="lamp", paid_amount=amount, **said),
            _says("show_expense", expense_id=_last("expense_id")),
        ],
        [
            _says("show_groups"),
            _says("show_group", group_id=group),
            _says("show_group_expenses", group_id=group),
        ],
        [one, _says("update_expense", expense_id=expense, description="rent of May"), one],
        [one, _says("delete_expense", expense_id=expense), debts],
        [debts, _says("settle_up", group_id=group, email=mail_of(other)), debts],
        [
            _says(
                "record_payment",
                payer_email=mail_of(who),
                receiver_email=mail_of(other),
                amount=amount,
                group_id=group,
            ),
            debts,
        ],
        [
            _says(
                "create_group", name=rng.choice(("office", "choir")), member_emails=[mail_of(other)]
            ),
            _says("show_groups"),
        ],
        [
            _says("post_expense_comment", expense_id=expense, comment="thanks"),
            _says("show_expense_comments", expense_id=expense),
        ],
        [
            _says("show_group", group_id=group),
            _says("add_member_to_group", group_id=group, user_email=mail_of("dov")),
            _says("show_group", group_id=group),
        ],
        [_says("show_activity"), _says("show_notifications_count")],
    ]
    return rng.choice(jobs)
