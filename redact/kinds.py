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
    alone: str
    """The form in which a value names one person by itself (`redact.recognizers.composites.ALONE`); empty where none does."""
    parts: str
    """What inside a value is searched for within its episode (`redact.recognizers.composites.PARTS`); empty where nothing is."""
    rank: int
    """Which kind wins where one value was learnt under several: the lower."""


def _kinds(*rows: tuple[str, str, bool, str, str]) -> dict[str, Kind]:
    return {
        name: Kind(name=name, family=family, direct=direct, alone=alone, parts=parts, rank=rank)
        for rank, (name, family, direct, alone, parts) in enumerate(rows)
    }


KINDS: Final = _kinds(
    ("secret", "secret", True, "long", ""),
    ("card_number", "card", True, "long", ""),
    ("iban", "iban", True, "long", ""),
    ("ssn", "ssn", True, "long", ""),
    ("email", "email", True, "long", "login"),
    ("ip", "ip", True, "long", ""),
    ("phone", "phone", True, "number", ""),
    ("named_id", "name", True, "code", "names"),
    ("person_id", "identifier", True, "code", "login"),
    ("payment_id", "identifier", True, "code", "numbers"),
    ("document_id", "opaque", True, "code", ""),
    ("opaque_id", "identifier", True, "code", ""),
    ("full_name", "name", True, "words", "names"),
    ("street", "street", True, "line", "line"),
    ("handle", "identifier", True, "code", "login"),
    ("first_name", "name", False, "", "names"),
    ("last_name", "name", False, "", "names"),
    ("birth_date", "date", False, "", ""),
    ("postcode", "opaque", False, "postcode", ""),
    ("city", "place", False, "", ""),
    ("card_tail", "digits", False, "", ""),
    ("coordinate", "digits", False, "", ""),
    ("code", "identifier", False, "", ""),
    ("withheld", "marker", False, "", ""),
)
"""In order of rank: the name, the family, whether it is direct, `alone` and `parts`. `direct` kinds are app-wide only where `alone` says so of the value."""

NOT_PERSONAL: Final = frozenset({"public", "record", "text"})
"""What a policy may say of a key besides a kind: catalogue data, the key of a mere record, free text."""


def family_of(kind: str) -> str:
    """Return the family of surrogates of a kind."""
    return KINDS[kind].family
