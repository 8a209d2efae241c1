"""Whether two calls are about the same thing, by the ids and values in their arguments."""

from __future__ import annotations

from collections.abc import Iterable

from ...values.json_text import json_or_none
from ...values.mentions import leaves
from ...values.normal import is_plain, same_json
from .terms import Write


def sets_anew(done: Write, doubtful: Iterable[Write]) -> bool:
    """Whether a call of the same tool that nobody can answer may have set the same thing anew."""
    return any(tool == done[0] and _ids(text) & _ids(done[1]) for tool, text in doubtful)


def could_supply(wanted: Write, doubtful: Iterable[Write]) -> bool:
    """Whether another tool's write that nobody can judge may have done it: it names the same record, or says the same.

    A call about something else changed something else, and the same tool with other arguments did another thing or nothing,
    whatever they answered: nobody is spared a failure for them. One that only leaves arguments out may have had them by default.
    """
    tool, arguments = wanted
    if any(other == tool and _leaves_out(text, arguments) for other, text in doubtful):
        return True
    others = [text for other, text in doubtful if other != tool]
    ids, values = _ids(arguments), _values(arguments)
    if ids:
        return any(ids & _ids(text) for text in others)
    return any(values & _values(text) for text in others)


def _leaves_out(arguments: str, wanted: str) -> bool:
    """Whether all that a call says is among what another one says."""
    given, whole = json_or_none(arguments), json_or_none(wanted)
    if not isinstance(given, dict) or not isinstance(whole, dict) or not given:
        return False
    return len(given) < len(whole) and all(
        name in whole and same_json(value, whole[name]) for name, value in given.items()
    )


def _ids(arguments: str) -> set[str]:
    """The values that look like ids: texts with a digit."""
    return {text for text in _values(arguments) if len(text) > 2 and any(map(str.isdigit, text))}


def _values(arguments: str) -> set[str]:
    """The texts and numbers in arguments; none in what is no JSON."""
    return {str(value) for value in leaves(json_or_none(arguments)) if is_plain(value)}
