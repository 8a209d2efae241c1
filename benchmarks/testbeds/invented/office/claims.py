"""Insurance claims: answers in prose, money as text, two people for large sums; refusals come as plain answers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

CENT = Decimal("0.01")
TWO_EYES = Decimal("1000.00")
ADJUSTERS = {"kmeyer": "K. Meyer", "tsilva": "T. Silva", "rjones": "R. Jones"}
KINDS = ("theft", "water", "collision", "glass")


@dataclass(kw_only=True)
class Cover:
    """One policy."""

    number: str
    holder: str
    kinds: tuple[str, ...]
    limit: Decimal
    excess: Decimal
    active: bool = True
    paid: Decimal = Decimal("0.00")


@dataclass(kw_only=True)
class Claim:
    """One claim and who has signed it."""

    number: str
    policy: str
    kind: str
    asked: Decimal
    status: str = "filed"
    agreed: Decimal | None = None
    adjuster: str | None = None
    signed: list[str] = field(default_factory=list)
    papers: list[str] = field(default_factory=list)


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except (InvalidOperation, TypeError):
        raise ToolError(f"'{text}' is not an amount of money.") from None
    refuse(amount <= 0, "An amount must be more than 0.00.")
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


class Claims(Backend):
    """Five policies, three claims, a fund that pays."""

    def __init__(self) -> None:
        self._fund = Decimal("25000.00")
        self._covers = {
            number: Cover(
                number=number,
                holder=holder,
                kinds=kinds,
                limit=Decimal(limit),
                excess=Decimal(excess),
                active=active,
            )
            for number, holder, kinds, limit, excess, active in (
                ("HO-4410", "Clara Boone", ("theft", "water"), "8000.00", "250.00", True),
                ("HO-4522", "Yusuf Aydin", ("water",), "3000.00", "100.00", True),
                ("CA-7001", "Dana Levy", ("collision", "glass"), "12000.00", "500.00", True),
                (
                    "CA-7145",
                    "Piotr Zak",
                    ("collision", "theft", "glass"),
                    "6000.00",
                    "150.50",
                    True,
                ),
                ("CA-7203", "Mei Tan", ("glass",), "900.00", "0.00", False),
            )
        }
        self._claims: dict[str, Claim] = {}
        self._next = 312
        for policy, kind, asked in (
            ("HO-4410", "theft", "1840.00"),
            ("CA-7001", "glass", "620.40"),
            ("CA-7145", "collision", "4300.00"),
        ):
            self.file_claim(policy, kind, asked)
        self._claims["CL-313"].adjuster = "kmeyer"
        self._claims["CL-313"].status = "in review"

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """A refusal is an answer like any other."""
        return Answer(content=super().call(name, arguments).content, is_error=False)

    @staticmethod
    def _fault(text: str) -> str:
        return f"Sorry, that cannot be done. {text}"

    def _claim(self, claim: str) -> Claim:
        refuse(claim not in self._claims, f"No claim is filed under {claim}.")
        return self._claims[claim]

    def _cover(self, policy: str) -> Cover:
        refuse(policy not in self._covers, f"Policy {policy} is unknown.")
        return self._covers[policy]

    def policy(self, policy: str) -> str:
        """A short letter."""
        cover = self._cover(policy)
        state = "active" if cover.active else "lapsed"
        return (
            f"Policy {cover.number} ({state})\nHolder: {cover.holder}\n"
            f"Covers: {', '.join(cover.kinds)}\nLimit: {cover.limit}\nExcess: {cover.excess}\n"
            f"Paid out so far: {cover.paid}"
        )

    def find_policies(self, name: str) -> str:
        """By the holder's name."""
        found = [c for c in self._covers.values() if name.lower() in c.holder.lower()]
        if not found:
            return f"Nobody called {name} holds a policy with us."
        return "\n".join(f"- {c.number}: {c.holder}" for c in found)

    def file_claim(self, policy: str, kind: str, amount: str) -> str:
        """Opens it."""
        cover, asked = self._cover(policy), _money(amount)
        refuse(not cover.active, f"Policy {policy} has lapsed.")
        refuse(kind not in cover.kinds, f"Policy {policy} does not cover {kind}.")
        number = f"CL-{self._next}"
        self._next += 1
        self._claims[number] = Claim(number=number, policy=policy, kind=kind, asked=asked)
        return f"Claim {number} filed for {asked} under policy {policy}."

    def claim(self, claim: str) -> str:
        """Where it stands."""
        found = self._claim(claim)
        holder = self._covers[found.policy].holder
        lines = [
            f"Claim {found.number} ({found.kind}) of {holder}, policy {found.policy}",
            f"Status: {found.status}",
            f"Claimed: {found.asked}",
            f"Agreed: {'-' if found.agreed is None else found.agreed}",
            f"Adjuster: {ADJUSTERS[found.adjuster] if found.adjuster else 'nobody'}",
            f"Signed by: {', '.join(found.signed) or 'nobody'}",
            f"Documents: {len(found.papers)}",
        ]
        return "\n".join(lines)

    def take(self, claim: str, adjuster: str) -> str:
        """An adjuster begins."""
        found = self._claim(claim)
        refuse(adjuster not in ADJUSTERS, f"{adjuster} is not an adjuster.")
        refuse(found.status not in {"filed", "in review"}, f"Claim {claim} is {found.status}.")
        found.adjuster, found.status = adjuster, "in review"
        return f"{ADJUSTERS[adjuster]} now handles claim {claim}."

    def desk_of(self, adjuster: str) -> str:
        """What somebody works on."""
        refuse(adjuster not in ADJUSTERS, f"{adjuster} is not an adjuster.")
        found = [
            c.number
            for c in self._claims.values()
            if c.adjuster == adjuster and c.status not in {"paid", "rejected"}
        ]
        return f"{ADJUSTERS[adjuster]} handles {len(found)} claim(s): {', '.join(found) or '-'}"

    def attach(self, claim: str, document: str) -> str:
        """A photo, an invoice."""
        found = self._claim(claim)
        refuse(document in found.papers, f"{document} is attached already.")
        found.papers.append(document)
        return f"{document} attached, {len(found.papers)} document(s) in the file."

    def documents(self, claim: str) -> str:
        """One a line."""
        papers = self._claim(claim).papers
        return "\n".join(f"{at}. {name}" for at, name in enumerate(papers, 1)) or "(no documents)"

    def assess(self, claim: str, amount: str) -> str:
        """Less the excess, at most the limit."""
        found, amount_ = self._claim(claim), _money(amount)
        refuse(found.status != "in review", f"Claim {claim} is {found.status}, not in review.")
        refuse(not found.papers, f"Claim {claim} has no documents.")
        refuse(amount_ > found.asked, f"{amount_} is more than the {found.asked} claimed.")
        cover = self._covers[found.policy]
        found.agreed = max(min(amount_, cover.limit - cover.paid) - cover.excess, Decimal("0.00"))
        found.status = "assessed"
        return f"Claim {claim} assessed: {amount_} less {cover.excess} excess gives {found.agreed}."

    def approve(self, claim: str, by: str) -> str:
        """Sums above 1000 need two."""
        found = self._claim(claim)
        if found.status != "assessed" or found.agreed is None:
            raise ToolError(f"Claim {claim} is {found.status}, not assessed.")
        refuse(by in found.signed, f"{by} has signed already.")
        refuse(by == found.adjuster, "The adjuster of a claim cannot approve it.")
        found.signed.append(by)
        if found.agreed > TWO_EYES and len(found.signed) < 2:
            return f"Signed by {by}. A second signature is needed for {found.agreed}."
        found.status = "approved"
        return f"Claim {claim} is approved for {found.agreed}."

    def reject(self, claim: str, reason: str) -> str:
        """Ends it."""
        found = self._claim(claim)
        refuse(found.status in {"paid", "rejected"}, f"Claim {claim} is {found.status}.")
        found.status = "rejected"
        return f"Claim {claim} rejected: {reason}"

    def reopen(self, claim: str) -> str:
        """Back to review."""
        found = self._claim(claim)
        refuse(found.status != "rejected", f"Claim {claim} is {found.status}, not rejected.")
        found.status, found.agreed = "in review", None
        found.signed.clear()
        return f"Claim {claim} is in review again."

    def payout(self, claim: str) -> str:
        """From the fund to the holder."""
        found = self._claim(claim)
        if found.status != "approved" or found.agreed is None:
            raise ToolError(f"Claim {claim} is {found.status}, not approved.")
        cover = self._covers[found.policy]
        self._fund -= found.agreed
        cover.paid += found.agreed
        found.status = "paid"
        return f"Paid {found.agreed} to {cover.holder}. The fund holds {self._fund}."

    def fund(self) -> str:
        """What is left."""
        return f"{self._fund}"

    def queue(self, status: str) -> str:
        """Claims in one state."""
        found = [c for c in self._claims.values() if c.status == status]
        if not found:
            return f"No claims are {status}."
        total = sum((c.asked for c in found), Decimal("0.00"))
        rows = "\n".join(f"{c.number} {c.kind} {c.asked}" for c in found)
        return f"{len(found)} claim(s), {total} in all\n{rows}"


def _filed(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        found = re.match(r"Claim (CL-\d+) filed", answer)
        if found:
            return found[1]
    return "CL-315"


WHOLE = "take $claim adjuster=$one; attach $claim $document; assess $claim amount=$agreed; approve $claim by=$two"
GOALS = Goals(f"""
    find_policies $name; policy $policy; $filed; claim claim=$new
    $filed; take claim=$new adjuster=$one; desk_of adjuster=$one
    queue status=filed; $filed; queue status=filed
    claim $claim; {WHOLE}; claim $claim
    {WHOLE}; approve $claim by=$three; payout $claim; fund
    {WHOLE}; payout $claim; policy policy=$its_policy
    claim $claim; reject $claim reason="not covered"; claim $claim; reopen $claim; claim $claim
    attach $claim $document; documents $claim
    desk_of adjuster=$one; take $claim adjuster=$one; desk_of adjuster=$one; claim $claim
    queue status="in review"|paid|filed; fund
""")


def _script(rng: random.Random) -> list[Step]:
    model = Claims()
    policy = rng.choice(list(model._covers.values()))  # noqa: SLF001 - clerks know these
    claim = rng.choice(list(model._claims.values()))  # noqa: SLF001 - the same
    one, two, three = rng.sample(sorted(ADJUSTERS), 3)
    kind = rng.choice(policy.kinds) if rng.random() < 0.8 else rng.choice(KINDS)
    amount = rng.choice(["320.00", "750.5", "1500.00", "2400.00"])
    return GOALS.two(
        rng,
        agreed=rng.choice([str(claim.asked), "600.00", "1500.00"]),
        document=rng.choice(["photo.jpg", "invoice.pdf", "police report"]),
        name=policy.holder.split()[rng.choice([0, 1])],
        filed=("file_claim", {"policy": policy.number, "kind": kind, "amount": amount}),
        new=_filed,
        policy=policy.number,
        claim=claim.number,
        its_policy=claim.policy,
        one=one,
        two=two,
        three=three,
    )


CLAIMS = Style(name="claims", make=Claims, script=_script)
