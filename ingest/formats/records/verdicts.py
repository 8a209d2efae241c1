"""How a record says that it went: verdicts under their own names, and the answer that would have been right.

Comes in: the fields of one record. Goes out: outcomes as a chat log has them, by `unknown`: whose word a file's number is,
its owner says in `outcomes.toml`. Nothing is judged here: a number stays the number that it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.files.chat_outcome import number_of, outcome_id_of
from ingest.formats.item_forms import plain_items
from ingest.formats.records.fields import ANSWER, FIGURE_NAMES, ITEM_NAMES, Fields, told_in
from ingest.formats.records.naming import MODEL_NAME
from ingest.formats.records.speech import strength
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.outcome import Outcome
from ingest.records.outcome_words import figure_of, is_measure, says_what_it_took, tells_how
from ingest.records.right_answer import right_answer
from ingest.records.span import Span
from ingest.records.text import Json, json_text, objects_in

VERDICTS: Final = NAMES["verdicts"]
"""Names of statements about how a conversation went, those with one meaning first."""
_MAPS: Final = NAMES["maps_of_verdicts"]
"""Names of maps or lists of several such statements."""
REFERENCES: Final = NAMES["references"]
"""Names of the answer that would have been right."""
_OPINIONS: Final = frozenset(NAMES["opinions"])
"""Names of how somebody liked it, beside which a word may say how it went."""
_MARKS: Final = frozenset(NAMES["marks_on_messages"])
REASONS: Final = NAMES["reasons"]
_NAMING: Final = frozenset(
    name for key in ("conversation", "task", "task_names", "row", "model", "agent", "app", "user") for name in NAMES[key]
)  # fmt: skip
"""Names of what names something: no word in these judges."""
_FIGURE: Final = ("score", "value")
_EVENTS: Final = (*NAMES["happened"], "type", "kind", "name")
_ENDS: Final = frozenset(NAMES["session_ends"])
_WHY_ENDED: Final = NAMES["why_ended"]
_FIGURES: Final = ("value", "score", "label", "stars")
_TOLD: Final = ("value", "score", "label", "verdict", "result", "passed")
_WHOLES: Final = ("total", "max", "maximum", "max_score", "out_of")
"""What a figure is a part of: `{"result": 2, "total": 4}`."""
_SETTINGS: Final = ("args", "config", "settings", "options")
"""Endings of objects that say how a run was made: `{"forward_args": {"answer": 1}}` is no right answer."""
_TRUTHS: Final = {"true": 1.0, "false": 0.0}
_LONGEST_LABEL: Final = 64

RawVerdict = dict[str, Any]


def outcomes_of(fields: Fields, *, answered: bool) -> list[RawVerdict]:
    """The outcomes of a record; `answered` says that the agent's own answer stands elsewhere, so that `answer` is the right one."""
    found: dict[str, RawVerdict] = {}
    about_this = fields.without_others()
    for name in VERDICTS:
        told = [value for value, _ in about_this.values(name)]
        # Figures of several judges under one bare name are nobody's.
        apart = name in FIGURE_NAMES and not any(about_this.values(name, deep=1))
        if apart and len({json_text(value) for value in told if number_of(value) is not None}) > 1:
            continue
        for value in told:
            _add(found, name, value, _reason_of(fields, name))
    for name in _MAPS:
        for value, _ in fields.values(name):
            _add_many(found, value)
    _add(found, "success", _judged_patch(fields.own), None)
    if found.keys() <= _OPINIONS:
        told_by_words = by_words(fields).items()
        found |= {k: one for k, one in told_by_words if not found or not is_measure(k)}
    if len(found) == 1:
        _explain(next(iter(found.values())), fields)
    right = _reference(fields, answered=answered)
    if right is not None:
        name, text = right
        verdict = next((found[one] for one in VERDICTS if one in found), None)
        verdict = verdict or next(iter(found.values()), None)
        if verdict is None:
            found[name] = {"name": name, "by": "unknown", "correction": text}
        else:
            verdict.setdefault("correction", text)
    return list(found.values())


def outcomes_of_span(span: Span, fields: Fields) -> list[Outcome]:
    """What a span's record says of how it went: a mark on the span, and so on its conversation."""
    at = span.ended_at or span.started_at
    target = f"{span.trace_id}:{span.span_id}"
    return outcomes_on(("span", target), fields, app=span.app, source=span.scope, at=at)


def outcomes_on(
    about: tuple[str, str], fields: Fields, *, app: str, source: str, at: int | None
) -> list[Outcome]:
    """What a record says of how something else went, which its kind and its name tell."""
    found = outcomes_of(fields, answered=False)
    return [outcome_about(about, said, app=app, source=source, at=at) for said in found]


def outcome_about(
    about: tuple[str, str], said: RawVerdict, *, app: str, source: str, at: int | None
) -> Outcome:
    """One statement about something else, which its kind and its name tell; it may have an id and an author."""
    kind, target = about
    return Outcome(
        app=app,
        outcome_id=outcome_id_of(
            app, said.get("id") or f"{kind}:{target}", said["name"], said["by"], source
        ),
        target_kind=kind,
        target_id=target,
        episode_id=None,
        name=said["name"],
        value=number_of(said.get("value")),
        label=said.get("label"),
        text=said.get("comment"),
        correction=said.get("correction"),
        by=said["by"],
        author=said.get("author"),
        at=at,
        source=source,
    )


def verdicts_among(items: Iterable[Json]) -> dict[str, Json]:
    """Statements about how a conversation went that are events among its messages: `{"event": "rating", "value": 5}`."""
    found: dict[str, Json] = {}
    for item in items:
        if not isinstance(item, dict) or strength(item):
            continue
        load = item.get("value")
        whole = item | load if isinstance(load, dict) else item
        own = {snake_case(key): value for key, value in whole.items()}
        named = next((own[key] for key in _EVENTS if isinstance(own.get(key), str)), "")
        if snake_case(named) in VERDICTS:
            told = next((own[key] for key in _FIGURES if own.get(key) is not None), None)
            found[snake_case(named)] = told
        if snake_case(named) in _ENDS:
            why = next((own[key] for key in _WHY_ENDED if own.get(key) is not None), None)
            is_label = isinstance(why, str) and len(why) <= _LONGEST_LABEL
            found |= {"outcome": why} if is_label else {}
        found |= {name: value for name, value in own.items() if name in VERDICTS}
    return found


def marks_on(items: Iterable[Json]) -> list[RawVerdict]:
    """What somebody marked an answer with, the last one that was marked: pages of chats keep it on the message.

    Where marks go below 0, as of thumbs down, 0 is none of them.
    """
    said = (plain_items(item) for item in items if isinstance(item, dict))
    marks = [{k: v for k, v in one.items() if k in _MARKS} for some in said for one in some]
    figures = {n for mark in marks for v in mark.values() if (n := number_of(v)) is not None}
    unmarked: list[Json] = [None, "", [], {}, *([0] if min(figures, default=0) < 0 else [])]
    marked = [m for one in marks if (m := {k: v for k, v in one.items() if v not in unmarked})]
    return outcomes_of(Fields(own=marked[-1]), answered=False) if marked else []


def _add(found: dict[str, RawVerdict], name: str, value: Json, reason: str | None) -> None:
    if name in found or value is None or value in ("", [], {}):
        return
    if isinstance(value, list) and len(value) == len(named_figures(value)) > 0:
        _add_many(found, value)
        return
    parts = value.get("value") if isinstance(value, dict) else None
    if isinstance(parts, dict):  # one scorer with several figures
        for part, inner in parts.items():
            _add(found, f"{name}.{part}", inner, reason)
        return
    outcome = outcome_of(name, value)
    if outcome is None or says_what_it_took(name):
        return
    if reason is not None:
        outcome.setdefault("comment", reason)
    found[name] = outcome


def outcome_of(name: str, value: Json) -> RawVerdict | None:
    """One statement as an outcome: a number or a truth, a word, or a text that somebody wrote; None where it is none of these."""
    outcome: RawVerdict = {"name": name, "by": "unknown"}
    if isinstance(value, list) and len(value) == len(objects_in(value)) > 0:
        value = {"value": value[-1].get("rating")} | value[-1]  # of several the last one
    if isinstance(value, dict):
        inner = next((value[k] for k in (*_TOLD, name) if value.get(k) is not None), None)
        if inner is None or isinstance(inner, dict | list):
            return None
        told = outcome_of(name, _share_of(inner, value))
        return None if told is None else {**_label_and_comment(value), **told}
    if isinstance(value, str):
        # A judge is named by its model.
        said = "" if MODEL_NAME.fullmatch(value) else value.strip()
        return {**outcome, **_label_or_comment(said)} if said else None
    number = number_of(value)
    return None if number is None else {**outcome, "value": number}


def _share_of(value: Json, beside: dict[str, Any]) -> Json:
    """A figure as a share of the whole that stands beside it, where no other figure does; else itself."""
    whole = next((n for key in _WHOLES if (n := number_of(beside.get(key)))), None)
    figures = [v for v in beside.values() if number_of(v) is not None and not isinstance(v, bool)]
    part = number_of(value) if len(figures) == 2 and not isinstance(value, bool) else None
    return part / whole if whole and part is not None and 0 <= part <= whole else value


def _label_and_comment(value: dict[str, Any]) -> RawVerdict:
    """The word and the sentence that a statement has beside its value."""
    label = value.get("label")
    worded = _label_or_comment(label.strip()) if isinstance(label, str) and label.strip() else {}
    beside = {"label": worded["label"]} if "label" in worded else {}
    text = next((value[k] for k in REASONS if isinstance(value.get(k), str)), None)
    return {**beside, "comment": text} if text else beside


def _label_or_comment(text: str) -> dict[str, Any]:
    if text.lower() in _TRUTHS:
        return {"value": _TRUTHS[text.lower()], "label": text}
    figure = figure_of(text)
    if figure is not None:
        return {"value": figure}
    if len(text) <= _LONGEST_LABEL and "\n" not in text:
        return {"label": text}
    return {"comment": text}


def _add_many(found: dict[str, RawVerdict], value: Json) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _add(found, str(name), inner, None)
    for inner in objects_in(value):
        named = first_of(inner, *ITEM_NAMES)
        if isinstance(named, str):
            _add(found, named, inner, None)


def _reason_of(fields: Fields, name: str) -> str | None:
    """What is said about a verdict in words, under a name that begins with the verdict's."""
    for ending in REASONS:
        for value, _ in fields.values(f"{name}_{ending}"):
            if isinstance(value, str) and value.strip():
                return value
    return None


def by_words(fields: Fields) -> dict[str, RawVerdict]:
    """Statements at any depth whose words say that they judge: `resolved_by_ai`, `wrap_up.disposition: "Unresolved"`, `95%` of `customer_satisfaction`."""
    found: dict[str, RawVerdict] = {}
    votes: dict[str | bool, str] = {}
    for key, value in fields.own.items():
        # What is said again under another name is said once.
        if (vote := _vote_of(value)) is not None and tells_how(key, vote):
            _add(found, snake_case(votes.setdefault(vote, key)), vote, None)
        told = told_in(value) if is_measure(key) else None
        _add_many(found, [one for one in named_figures(told) if "score" in one])
    for name, value, place in () if found else fields.leaves():
        if snake_case(name) in _NAMING:
            continue  # `zip-pass` is a task's name
        short = not isinstance(value, str) or len(value) <= _LONGEST_LABEL
        if short and tells_how(name, value):
            key = snake_case(name) if name.isidentifier() else name
            told = (place[k] for k in REASONS if isinstance(place.get(k), str))
            # Of several figures that one counts which the record calls the largest of them.
            best = next((v for v, _ in fields.values(f"max_{key.removesuffix('s')}")), None)
            is_best = best is not None and isinstance(place.get(name), list) and best in place[name]
            value = best if is_best else value  # noqa: PLW2901 - see above
            _add(found, key, _share_of(value, place), _reason_of(fields, name) or next(told, None))
    # The reason of a verdict is no other one.
    return {k: one for k, one in found.items() if k not in {*REASONS, "details"}} or found


def _vote_of(value: Json) -> str | bool | None:
    """What most judges say whose words stand under their numbers (`{"0": "Vote.Yes", "1": "Vote.No", "2": "Vote.Yes"}`), or the one that there is; None where no word has more than half."""
    votes = Counter[str | bool]()
    if isinstance(value, dict) and all(str(key).isdecimal() for key in value):
        votes.update(one for one in value.values() if isinstance(one, str | bool))
    most, times = next(iter(votes.most_common(1)), ("", 0))
    if not times or 2 * times <= len(value):
        return None
    kind, _, word = str(most).rpartition(".")
    return word if kind.isidentifier() else most


def named_figures(value: Json) -> list[dict[str, Any]]:
    """The items of a list that have a name and a figure each: `[{"key": "user_score", "score": 1}]`."""
    return [
        one
        for one in objects_in(value)
        if isinstance(first_of(one, *ITEM_NAMES), str) and any(key in one for key in _FIGURES)
    ]


def _explain(verdict: RawVerdict, fields: Fields) -> None:
    """Give a record's one verdict the reason that the record states, whatever that is called."""
    for key, value in fields.own.items():
        if snake_case(key).split("_")[-1] in REASONS and isinstance(value, str) and value.strip():
            verdict.setdefault("comment", value)


def right_answer_of(fields: Fields) -> RawVerdict | None:
    """What a record that no run is in says that the right answer is."""
    said = _reference(fields, answered=True)
    texts = (right_answer(value) for value, _ in fields.values("final_answer"))
    found = said or next((("final_answer", text) for text in texts if text is not None), None)
    return {"name": found[0], "by": "unknown", "correction": found[1]} if found else None


def _judged_patch(own: dict[str, Any]) -> bool | None:
    """The truth that stands under `target` beside a patch or how a program that makes one ended, and so judges it; elsewhere it may be the right answer."""
    is_good = own.get("target")
    patches = any(key.endswith(("patch", "exit_status")) for key in own)
    return is_good if patches and isinstance(is_good, bool) else None


def _reference(fields: Fields, *, answered: bool) -> tuple[str, str] | None:
    own = {k: one for k, one in fields.own.items() if not snake_case(k).endswith(_SETTINGS)}
    if _judged_patch(own) is not None:
        own.pop("target")
    told = Fields(own)
    for name in (*REFERENCES, *((ANSWER,) if answered else ())):
        for value, _ in told.values(name, deep=2):
            # A number under a name for several counts them.
            text = None if name[-1] == "s" and number_of(value) is not None else right_answer(value)
            if text is not None:
                return name, text
    return None
