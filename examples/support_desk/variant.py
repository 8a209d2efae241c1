"""A variant of the app: the same shop and the same code under other names, chosen by a number.

Variant 0 is the plain one. Names of tools, arguments, result fields and statuses, id formats and the wording of
refusals follow from the number alone. What people and products are called is data, and not renamed.
"""

import json
import random
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from examples.support_desk import lexicon
from examples.support_desk.backend.errors import ToolRefusalError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_SCATTER: Final = 2654435761
"""Odd, so multiplying by it modulo 2**32 never joins two numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Both directions of the renaming, and everything else that differs between variants."""

    number: int
    tools: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, str]
    errors: Mapping[str, str]
    envelope: str
    ids: Mapping[str, str]
    order_pattern: str
    theme: int
    """Index of the catalogue."""

    def make_id(self, kind: str, number: int, hint: str = "") -> str:
        """The id of the `number`-th thing of a kind."""
        scattered = number * _SCATTER % 2**32
        return self.ids[kind].format(n=number, h=scattered, hint=ascii_name(hint))

    def word(self, value: str) -> str:
        """How this variant says a status, a kind or a reason."""
        return self.values.get(value, value)

    def outward(self, record: Json, name: str = "") -> Json:
        """A plain record as this variant's tools show it."""
        if isinstance(record, dict):
            if name == "options":
                return record
            return {self.fields[key]: self.outward(item, key) for key, item in record.items()}
        if isinstance(record, list):
            return [self.outward(item, name) for item in record]
        if isinstance(record, str) and name in lexicon.VALUE_FIELDS:
            return self.word(record)
        return record

    def inward(self, record: Json, name: str = "") -> Json:
        """The plain form of a record or of arguments in this variant's names; unknown names stay."""
        if isinstance(record, dict):
            if name == "options":
                return record
            plain = {shown: key for key, shown in self.fields.items()}
            return {
                plain.get(key, key): self.inward(item, plain.get(key, key))
                for key, item in record.items()
            }
        if isinstance(record, list):
            return [self.inward(item, name) for item in record]
        if isinstance(record, str) and name in lexicon.VALUE_FIELDS:
            return next((key for key, shown in self.values.items() if shown == record), record)
        return record

    def refusal(self, refusal: ToolRefusalError) -> str:
        """The text with which a tool of this variant refuses."""
        message = self.errors[refusal.code].format(
            **{key: self._filled(key, value) for key, value in refusal.values.items()}
        )
        return self.envelope.format(message=message, quoted=json.dumps(message))

    def is_refusal(self, content: str) -> bool:
        """Whether a tool's text is a refusal of this variant."""
        return content.startswith(self.envelope.split("{message}")[0].split("{quoted}")[0].format())

    def _filled(self, key: str, value: object) -> str:
        if key == "field":
            return self.fields.get(str(value), str(value))
        if key == "choices" and isinstance(value, tuple):
            return ", ".join(self.word(str(item)) for item in value)
        return self.word(str(value)) if key == "status" else str(value)


def make_variant(number: int) -> Variant:
    """The variant with this number; the same number is always the same variant."""
    rng = random.Random(f"support-desk variant {number}")
    plain = number == 0
    style = "snake" if plain else rng.choice(("snake", "camel"))
    form = 0 if plain else rng.randrange(1, len(lexicon.IDS))
    return Variant(
        number=number,
        tools=_pick(lexicon.TOOLS, rng, style=style, plain=plain),
        fields=_pick(lexicon.FIELDS, rng, style=style, plain=plain),
        values=_pick(lexicon.VALUES, rng, style="as is", plain=plain),
        errors={
            code: wordings[0] if plain else rng.choice(wordings[1:])
            for code, wordings in lexicon.ERRORS.items()
        },
        envelope=lexicon.ENVELOPES[0] if plain else rng.choice(lexicon.ENVELOPES[1:]),
        ids=lexicon.IDS[form],
        order_pattern=lexicon.ORDER_PATTERNS[form],
        theme=number % 3,
    )


def _pick(
    names: Mapping[str, tuple[str, ...]], rng: random.Random, *, style: str, plain: bool
) -> dict[str, str]:
    if plain:
        return {name: name for name in names}
    column = rng.randrange(3)
    picked = {}
    for name, alternatives in names.items():
        # One column gives names of one hand; now and then a name breaks ranks, as real ones do.
        choice = column if rng.random() < 0.8 else rng.randrange(len(alternatives))
        picked[name] = _camel(alternatives[choice]) if style == "camel" else alternatives[choice]
    return picked


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.title() for part in others)


def ascii_name(name: str) -> str:
    """A person's name as it stands in ids and mail addresses: lower case ASCII words joined by underscores."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return "_".join("".join(c for c in word if c.isalnum()) for word in folded.split())
