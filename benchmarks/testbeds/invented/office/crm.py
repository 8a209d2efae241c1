"""A sales CRM behind one JSON envelope: cursors, batches, null against missing, camelCase, times that move."""

# ruff: noqa: A002, N802, N803 - such servers name tools and arguments so

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

STAGES = ("new", "qualified", "proposal", "won", "lost")
CHANCE = {"new": 0.1, "qualified": 0.3, "proposal": 0.6, "won": 1.0, "lost": 0.0}
OWNERS = {"usr_ida": "Ida Holm", "usr_max": "Max Weiss", "usr_rao": "Priya Rao"}
PEOPLE = (
    ("Nora Lind", "acme", "usr_ida"),
    ("Omar Haddad", "acme", "usr_max"),
    ("Julia Kern", "globex", "usr_ida"),
    ("Ravi Menon", "initech", "usr_rao"),
    ("Elif Demir", "globex", None),
    ("Sam Osei", "umbra", "usr_max"),
    ("Ines Prat", "initech", None),
)
EDITABLE = {"fullName", "email", "phone", "ownerId", "company"}


class Crm(Backend):
    """Seven contacts, four deals, three owners."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self._contacts: dict[str, dict[str, Any]] = {}
        self._deals: dict[str, dict[str, Any]] = {}
        self._log: list[dict[str, Any]] = []
        self._made = 0
        for number, (name, company, owner) in enumerate(PEOPLE):
            key = self._id("con", name)
            first = name.split()[0].lower()
            self._contacts[key] = {
                "id": key,
                "fullName": name,
                "email": f"{first}@{company}.example",
                "phone": None if number % 3 == 1 else f"+49 30 55{number}0 11",
                "company": company,
                "ownerId": owner,
                "tags": ["vip"] if number in {0, 3} else [],
                "updatedAt": f"2026-02-{10 + number:02d}T08:30:00Z",
            }
        people = list(self._contacts)
        for at, (title, amount, stage, contact) in enumerate(
            [
                ("Acme renewal", 12000, "proposal", 0),
                ("Globex pilot", 4500, "new", 2),
                ("Initech seats", 7800, "qualified", 3),
                ("Umbra archive", 2100, "won", 5),
            ]
        ):
            key = self._id("dea", title)
            self._deals[key] = {
                "id": key,
                "title": title,
                "amount": {"value": amount, "currency": "EUR"},
                "stage": stage,
                "probability": CHANCE[stage],
                "contactId": people[contact],
                "closedAt": "2026-02-20T12:00:00Z" if stage == "won" else None,
                "updatedAt": f"2026-02-{18 + at:02d}T08:30:00Z",
            }

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Time goes on with every call; errors come in the envelope, not as errors."""
        self._now += timedelta(seconds=11)
        answer = super().call(name, arguments)
        return Answer(content=answer.content, is_error=False)

    @staticmethod
    def _render(value: object) -> str:
        return json.dumps({"data": value})

    @staticmethod
    def _fault(text: str) -> str:
        code, _, message = text.partition(": ")
        return json.dumps({"data": None, "errors": [{"code": code, "message": message}]})

    def _id(self, prefix: str, text: str) -> str:
        return f"{prefix}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def _stamp(self) -> str:
        return self._now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _contact(self, key: str) -> dict[str, Any]:
        refuse(key not in self._contacts, f"NOT_FOUND: Contact {key} not found")
        return self._contacts[key]

    def _deal(self, key: str) -> dict[str, Any]:
        refuse(key not in self._deals, f"NOT_FOUND: Deal {key} not found")
        return self._deals[key]

    def _note(self, kind: str, contact: str, text: str) -> dict[str, Any]:
        entry = {
            "id": len(self._log) + 1,
            "kind": kind,
            "contactId": contact,
            "text": text,
            "at": self._stamp(),
        }
        self._log.append(entry)
        return entry

    def _page(self, found: list[dict[str, Any]], first: int, after: str | None) -> dict[str, Any]:
        keys = [one["id"] for one in found]
        refuse(after is not None and after not in keys, f"BAD_CURSOR: Cursor {after} is not valid")
        start = 0 if after is None else keys.index(after) + 1
        nodes = found[start : start + first]
        more = start + first < len(found)
        return {
            "nodes": nodes,
            "pageInfo": {"hasNextPage": more, "endCursor": nodes[-1]["id"] if more else None},
            "totalCount": len(found),
        }

    def contacts(
        self, first: int = 3, after: str | None = None, ownerId: str | None = None
    ) -> dict[str, Any]:
        """A page of contacts, in short."""
        found = [
            {k: c[k] for k in ("id", "fullName", "company", "ownerId")}
            for c in self._contacts.values()
            if ownerId is None or c["ownerId"] == ownerId
        ]
        return self._page(found, first, after)

    def contact(self, id: str) -> dict[str, Any]:
        """All there is, with the number of open deals."""
        deals = [d for d in self._deals.values() if d["contactId"] == id]
        opened = [d["id"] for d in deals if d["stage"] not in {"won", "lost"}]
        return {**self._contact(id), "openDeals": len(opened), "dealIds": [d["id"] for d in deals]}

    def searchContacts(self, query: str) -> list[dict[str, Any]]:
        """By part of a name or company."""
        wanted = query.lower()
        return [
            {"id": c["id"], "fullName": c["fullName"], "email": c["email"]}
            for c in self._contacts.values()
            if wanted in c["fullName"].lower() or wanted in c["company"]
        ]

    def createContact(self, input: dict[str, Any]) -> dict[str, Any]:
        """A new one; e-mail addresses are unique."""
        for needed in ("fullName", "email"):
            refuse(not input.get(needed), f"VALIDATION: {needed} is required")
        if any(c["email"] == input["email"] for c in self._contacts.values()):
            raise ToolError(f"CONFLICT: Email {input['email']} is already in use")
        self._made += 1
        key = self._id("con", f"{input['email']}/{self._made}")
        self._contacts[key] = {
            "id": key,
            "fullName": input["fullName"],
            "email": input["email"],
            "phone": input.get("phone"),
            "company": input.get("company", "unknown"),
            "ownerId": input.get("ownerId"),
            "tags": [],
            "updatedAt": self._stamp(),
        }
        return self._contacts[key]

    def updateContact(self, id: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Missing stays, null clears."""
        contact = self._contact(id)
        for name, value in patch.items():
            refuse(name not in EDITABLE, f"VALIDATION: Field {name} cannot be changed")
            if value is None and name in {"fullName", "email"}:
                raise ToolError(f"VALIDATION: {name} must not be null")
        contact.update(patch)
        contact["updatedAt"] = self._stamp()
        return contact

    def bulkTag(self, ids: list[str], tag: str) -> dict[str, Any]:
        """Each contact on its own: some may fail."""
        done, failed = [], []
        for key in ids:
            if key not in self._contacts:
                failed.append({"id": key, "reason": "not found"})
            elif tag in self._contacts[key]["tags"]:
                failed.append({"id": key, "reason": "already tagged"})
            else:
                self._contacts[key]["tags"].append(tag)
                done.append(key)
        return {"updated": len(done), "ids": done, "failed": failed}

    def assign(self, contactIds: list[str], ownerId: str) -> dict[str, Any]:
        """Several contacts to one owner."""
        refuse(ownerId not in OWNERS, f"NOT_FOUND: User {ownerId} not found")
        for key in contactIds:
            self._contact(key)
        for key in contactIds:
            self._contacts[key]["ownerId"] = ownerId
            self._contacts[key]["updatedAt"] = self._stamp()
        return {"assigned": len(contactIds), "owner": {"id": ownerId, "name": OWNERS[ownerId]}}

    def deals(self, stage: str | None = None) -> dict[str, Any]:
        """With the sum of what they are worth."""
        refuse(stage is not None and stage not in STAGES, f"VALIDATION: Unknown stage {stage}")
        found = [d for d in self._deals.values() if stage is None or d["stage"] == stage]
        return {
            "nodes": [{k: d[k] for k in ("id", "title", "stage")} for d in found],
            "totalCount": len(found),
            "totalValue": sum(d["amount"]["value"] for d in found),
        }

    def deal(self, id: str) -> dict[str, Any]:
        """With its contact inside."""
        found = self._deal(id)
        contact = self._contacts[found["contactId"]]
        return {**found, "contact": {"id": contact["id"], "fullName": contact["fullName"]}}

    def stage(self, dealId: str, to: str) -> dict[str, Any]:
        """One step on, or lost at any time."""
        deal = self._deal(dealId)
        refuse(to not in STAGES, f"VALIDATION: Unknown stage {to}")
        refuse(deal["closedAt"] is not None, f"INVALID_STATE: Deal {dealId} is closed")
        if to != "lost" and STAGES.index(to) != STAGES.index(deal["stage"]) + 1:
            raise ToolError(f"INVALID_STATE: Cannot move from {deal['stage']} to {to}")
        deal["stage"], deal["probability"] = to, CHANCE[to]
        deal["updatedAt"] = self._stamp()
        if to in {"won", "lost"}:
            deal["closedAt"] = self._stamp()
        self._note("stage", deal["contactId"], f"{deal['title']} moved to {to}")
        return {"id": dealId, "stage": to, "probability": deal["probability"]}

    def discount(self, dealId: str, percent: int) -> dict[str, Any]:
        """Off the amount; at most a quarter."""
        deal = self._deal(dealId)
        refuse(not 0 < percent <= 25, "VALIDATION: percent must be between 1 and 25")
        refuse(deal["closedAt"] is not None, f"INVALID_STATE: Deal {dealId} is closed")
        old = deal["amount"]["value"]
        deal["amount"]["value"] = round(old * (100 - percent) / 100)
        deal["updatedAt"] = self._stamp()
        return {"id": dealId, "before": old, "amount": deal["amount"]}

    def logActivity(self, contactId: str, kind: str, text: str) -> dict[str, Any]:
        """A call, a mail or a meeting."""
        self._contact(contactId)
        refuse(kind not in {"call", "email", "meeting"}, f"VALIDATION: Unknown kind {kind}")
        return self._note(kind, contactId, text)

    def timeline(self, contactId: str, last: int = 5) -> list[dict[str, Any]]:
        """Newest first."""
        self._contact(contactId)
        found = [e for e in self._log if e["contactId"] == contactId]
        return [{"kind": e["kind"], "text": e["text"]} for e in found[::-1][:last]]

    def pipeline(self) -> dict[str, Any]:
        """Counts and weighted value by stage."""
        return {
            stage: {
                "count": sum(d["stage"] == stage for d in self._deals.values()),
                "weighted": sum(
                    round(d["amount"]["value"] * d["probability"], 2)
                    for d in self._deals.values()
                    if d["stage"] == stage
                ),
            }
            for stage in STAGES[:3]
        }

    def deleteContact(self, id: str) -> dict[str, Any]:
        """Not while it has deals."""
        self._contact(id)
        count = sum(d["contactId"] == id for d in self._deals.values())
        refuse(count, f"CONFLICT: Contact {id} has {count} deals")
        del self._contacts[id]
        return {"deleted": True, "id": id}


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith('{"data": {"id": "con_') and '"tags": []' in answer:
            return str(json.loads(answer)["data"]["id"])
    return "con_00000000"


GOALS = Goals("""
    contacts; contacts after=$cursor; contact $id
    contacts first=5 $ownerId; contact $id
    searchContacts query=acme|globex|Ravi|zz; contact $id; updateContact $id $patch; contact $id
    bulkTag $ids $tag; contact $id; contact id=$other
    assign contactIds=?some $ownerId; contact $id; contacts first=5 $ownerId
    deal id=$deal; stage dealId=$deal to=?stages; deal id=$deal; pipeline
    deals stage=qualified; stage dealId=$second to=qualified; deals stage=qualified
    deal id=$deal; discount dealId=$deal percent=5|10|40; deal id=$deal
    pipeline; discount dealId=$first percent=10; pipeline
    logActivity contactId=$id kind=call text="left a message"; timeline contactId=$id
    createContact $input; contact id=$new; logActivity contactId=$new kind=email text=welcome;
        timeline contactId=$new last=1
    contact $id; deleteContact $id; contact $id; contacts
""")


def _script(rng: random.Random) -> list[Step]:
    model = Crm()
    people, deals = list(model._contacts), list(model._deals)  # noqa: SLF001 - users know these
    one, two = rng.sample(people, 2)
    deal, owner = rng.choice(deals), rng.choice(sorted(OWNERS))
    patches: list[dict[str, Any]] = [
        {"phone": "+49 40 1234"},
        {"phone": None},
        {"company": "hooli", "phone": "+49 40 999"},
        {"fullName": None},
        {"ownerId": owner},
    ]
    inputs = [
        {"fullName": "Timo Falk", "email": "timo@hooli.example"},
        {"fullName": "Ada Byrne", "email": "ada@acme.example", "company": "acme"},
        {"fullName": "Nora Lind", "email": "nora@acme.example"},
    ]
    return GOALS.two(
        rng,
        tag=rng.choice(["vip", "newsletter", "trial"]),
        patch=rng.choice(patches),
        input=rng.choice(inputs),
        id=one,
        other=two,
        ids=[one, two],
        some=[[one], [one, two]],
        ownerId=owner,
        cursor=people[2],
        deal=deal,
        first=deals[0],
        second=deals[1],
        stages=STAGES[1:],
        new=_created,
    )


CRM = Style(name="crm", make=Crm, script=_script)
