"""The kinds of personal value, as data: how far each is searched for and which family of surrogates it gets.

In: nothing. Out: `KINDS`. A policy file names these kinds; an unknown one is an error there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of personal value."""

    name: str
    family: str
    """The rule that makes its surrogates (`redact.operators.surrogates`)."""
    direct: bool
    """Names one person by itself: searched for in the whole app, and one survivor blocks the export."""
    rank: int
    """Which kind wins where one value was learnt under several: the lower."""


def _kinds(*rows: tuple[str, str, bool]) -> dict[str, Kind]:
    return {
        name: Kind(name=name, family=family, direct=direct, rank=rank)
        for rank, (name, family, direct) in enumerate(rows)
    }


KINDS: Final = _kinds(
    ("secret", "secret", True),
    ("card_number", "card", True),
    ("iban", "iban", True),
    ("ssn", "ssn", True),
    ("email", "email", True),
    ("ip", "ip", True),
    ("phone", "phone", True),
    ("named_id", "name", True),
    ("person_id", "identifier", True),
    ("payment_id", "identifier", True),
    ("document_id", "opaque", True),
    ("opaque_id", "identifier", True),
    ("full_name", "name", True),
    ("street", "street", True),
    ("handle", "identifier", True),
    ("first_name", "name", False),
    ("last_name", "name", False),
    ("birth_date", "date", False),
    ("postcode", "opaque", False),
    ("city", "place", False),
    ("card_tail", "digits", False),
    ("coordinate", "digits", False),
    ("code", "identifier", False),
    ("withheld", "marker", False),
)
"""In order of rank. `direct` kinds are app-wide only where `redact.recognizers.analyzer.is_composite` finds the value long enough."""

NOT_PERSONAL: Final = frozenset({"public", "record", "text"})
"""What a policy may say of a key besides a kind: catalogue data, the key of a mere record, free text."""


def family_of(kind: str) -> str:
    """Return the family of surrogates of a kind."""
    return KINDS[kind].family
