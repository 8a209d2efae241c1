"""How a message is written: one choice after the other, each out of what the conversation offers. Knows no tool.

First the head: a tool to call or the form of a sentence. Then every place in it: an argument by its schema (an option of the
enumeration, a value that was shown, a recorded form), a slot of a sentence. The chooser draws; or it is told what was recorded,
and then the same walk gives the choices that lead there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from environments.runtime.play.tool_names import tool_name
from environments.runtime.task.tool_definition import function_of, properties_of
from examples.train_small.candidates import FILL, SKIP, Candidate, Offers, Place
from examples.train_small.forms import Form, Slot, read_text
from examples.train_small.shown import Message, Scalar
from examples.train_small.situation import Situation, sort_of

_LONGEST_LIST: Final = 8
MOST_CALLS: Final = 12
"""Calls in one turn, after which the policy must speak."""


class NotWritableError(Exception):
    """A recorded message holds what no candidate is."""


class Chooser(Protocol):
    """Chooses heads and values."""

    def head(self, situation: Situation, allowed: Sequence[int], told: int | None) -> int:
        """One of the allowed heads."""
        ...

    def value(self, place: Place, offered: Sequence[Candidate], told: int | None) -> int:
        """The place of one of the candidates."""
        ...


@dataclass(slots=True)
class Vocabulary:
    """What can be begun with: tools and forms of sentences; and recorded forms of arguments."""

    tools: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    arguments: dict[str, list[Form]] = field(default_factory=dict)
    """By tool and argument."""
    sorts: dict[str, set[str]] = field(default_factory=dict)
    """By a place's context, the sorts of values (`sort_of`) that recorded attempts put there."""

    @property
    def heads(self) -> list[str]:
        """Names of all heads: `call` and a tool, `say` and the number of a form."""
        said = [f"say {number}" for number in range(len(self.forms))]
        return [*(f"call {name}" for name in self.tools), *said]


@dataclass(slots=True)
class Writer:
    """Writes one message."""

    vocabulary: Vocabulary
    situation: Situation
    tools: Sequence[Message]
    chooser: Chooser
    learns_sorts: bool = False
    """Offer every sort of value in every place, and note which sort was recorded where."""
    offers: Offers = field(init=False)

    def __post_init__(self) -> None:
        self.offers = Offers(self.situation, {} if self.learns_sorts else self.vocabulary.sorts)

    def _met(self, place: Place, value: object) -> None:
        """Note the sort of a recorded value."""
        if self.learns_sorts:
            self.vocabulary.sorts.setdefault(place.context, set()).add(sort_of(str(value)))

    def write(self, told: Message | None = None) -> tuple[str, dict[str, Any]]:
        """The head, and an assistant's message; with `told`, the choices that lead to that message are made."""
        defined = {tool_name(tool): function_of(tool) for tool in self.tools}
        first = len(self.vocabulary.tools)
        offered = list(range(first, first + len(self.vocabulary.forms)))
        if told is not None or self.situation.calls_in_turn < MOST_CALLS:
            offered += [at for at, name in enumerate(self.vocabulary.tools) if name in defined]
        call = _call_of(told)
        content = str(told.get("content") or "") if told is not None and call is None else None
        read = read_text(content, self.situation.known.values()) if content is not None else None
        target = None
        if call is not None:
            target = _place(self.vocabulary.tools, call[0])
        elif read is not None:
            target = first + _form_place(self.vocabulary.forms, read.form)
        head = self.chooser.head(self.situation, offered, target)
        name = self.vocabulary.heads[head]
        if head >= first:
            form = self.vocabulary.forms[head - first]
            filled = self._fill(name, form, read.fillings if read else None)
            return name, {"role": "assistant", "content": form.text(filled)}
        tool = self.vocabulary.tools[head]
        arguments = self._record(tool, properties_of(defined[tool]), _required(defined[tool]),
                                 call[1] if call else None)  # fmt: skip
        function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        made = {"id": f"call_{len(self.situation.messages)}", "type": "function"}
        return name, {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**made, "function": function}],
        }

    def _record(
        self,
        place: str,
        properties: Mapping[str, Any],
        required: Sequence[str],
        told: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """An object, property by property; one that need not be there may be skipped."""
        made: dict[str, Any] = {}
        for key, schema in properties.items():
            here = Place(f"{place}.{key}", key)
            if key not in required:
                skipped = None if told is None else int(told.get(key) is not None)
                asked = Place(f"{here.name}?", f"{key}?")
                if self.chooser.value(asked, [SKIP, FILL], skipped) == 0:
                    continue
            made[key] = self._argument(here, schema, None if told is None else told.get(key))
        return made

    def _argument(self, place: Place, schema: Any, told: Any) -> Any:  # noqa: ANN401 - JSON schema
        kind = _kind(schema)
        if kind == "object":
            inner = schema.get("properties") or {}
            return self._record(place.name, inner, schema.get("required") or list(inner), told)
        if kind == "array":
            return list(self._several(place, schema.get("items") or {}, told))
        return self._one(place, schema, told)

    def _several(self, place: Place, schema: Any, told: Any) -> list[Any]:  # noqa: ANN401
        chosen: list[Any] = []
        while len(chosen) < _LONGEST_LIST:
            more = self.offers.candidates(place, schema, self._forms(place), chosen)
            offered = [self.offers.end(more, chosen), *more]
            target = None
            if told is not None:
                target = 0 if len(chosen) == len(told) else _find(offered, told[len(chosen)])
            picked = offered[self.chooser.value(place, offered, target)]
            if picked.ends:
                break
            self._met(place, picked.value)
            chosen.append(picked.value)
        return chosen

    def _one(self, place: Place, schema: Any, told: Any) -> Any:  # noqa: ANN401 - JSON schema
        offered = self.offers.candidates(place, schema, self._forms(place))
        target, read = None, None
        if told is not None:
            target = _find(offered, told, fails=not isinstance(told, str))
            if target is None:
                read = read_text(str(told), self.situation.known.values(), cents=False)
                target = _form_place([one.form for one in offered if one.form], read.form)
        if not offered:
            return ""
        picked = offered[self.chooser.value(place, offered, target)]
        if picked.form is None:
            self._met(place, picked.value)
            return picked.value
        return picked.form.text(
            self._fill(place.name, picked.form, read.fillings if read else None)
        )

    def _forms(self, place: Place) -> Sequence[Form]:
        return self.vocabulary.arguments.get(place.name, ())

    def _fill(
        self, place: str, form: Form, told: Sequence[Sequence[Scalar]] | None
    ) -> list[list[Scalar]]:
        """Values for every slot."""
        return [
            self._slot(
                Place(f"{place} {number}", form.before(number)),
                slot,
                None if told is None else told[number],
            )
            for number, slot in enumerate(form.slots)
        ]

    def _slot(self, place: Place, slot: Slot, told: Sequence[Scalar] | None) -> list[Scalar]:
        schema: Any = {"type": "number"} if slot.cents else {}
        if slot.separator:
            return self._several(place, schema, told)
        return [self._one(place, schema, None if told is None else told[0])]


def _call_of(told: Message | None) -> tuple[str, Mapping[str, Any]] | None:
    calls = (told or {}).get("tool_calls") or ()
    if not calls:
        return None
    function = calls[0]["function"]
    return str(function["name"]), json.loads(function["arguments"])


def _required(function: Mapping[str, Any]) -> Sequence[str]:
    return (function.get("parameters") or {}).get("required") or ()


def _kind(schema: Any) -> str:  # noqa: ANN401 - JSON schema
    for option in (schema, *(schema.get("anyOf") or ())):
        kind = option.get("type")
        kinds = kind if isinstance(kind, list) else [kind]
        for one in kinds:
            if one in {"object", "array"}:
                return str(one)
    return "scalar"


def _place(options: Sequence[object], wanted: object) -> int:
    if wanted not in options:
        raise NotWritableError(str(wanted))
    return options.index(wanted)


def _form_place(forms: Sequence[Form], wanted: Form) -> int:
    return _place([one.loose for one in forms], wanted.loose)


def _find(offered: Sequence[Candidate], wanted: object, *, fails: bool = True) -> int | None:
    for at, one in enumerate(offered):
        if one.form is None and one.value == wanted and not one.ends:
            return at
    if fails:
        raise NotWritableError(str(wanted))
    return None
