"""The backend as the agent meets it: a tool's name and arguments in, a text out, in the variant's names.

Anything may be asked: unknown tools, broken JSON and wrong types are refused like broken preconditions.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from examples.support_desk.backend.after_sale import Press
from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.backend.tools import BY_NAME, Parameter, Tool
from examples.support_desk.variant import Json, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool said."""

    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One shop's tools over one database."""

    variant: Variant
    db: sqlite3.Connection
    now: Callable[[], datetime]

    def call(self, name: str, arguments: str | Mapping[str, Json]) -> Answer:
        """Runs a tool under the variant's name for it."""
        try:
            return Answer(content=_text(self._run(name, arguments)))
        except ToolRefusalError as refusal:
            return Answer(content=self.variant.refusal(refusal), is_error=True)

    def _run(self, name: str, arguments: str | Mapping[str, Json]) -> Json:
        plain_name = next((key for key, shown in self.variant.tools.items() if shown == name), None)
        if plain_name is None:
            raise ToolRefusalError("unknown_tool", tool=name)
        tool = BY_NAME[plain_name]
        given = _checked(tool, self.variant.inward(dict(_parsed(arguments))))
        extra = {"press": Press(now=self.now(), variant=self.variant)} if tool.timed else {}
        self.db.execute("BEGIN")
        try:
            record = tool.run(self.db, **given, **extra)
        except ToolRefusalError:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")
        return self.variant.outward(record)


def _parsed(arguments: str | Mapping[str, Json]) -> Mapping[str, Json]:
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed = json.loads(arguments)
    except ValueError as error:
        raise ToolRefusalError("bad_json") from error
    if not isinstance(parsed, dict):
        raise ToolRefusalError("bad_json")
    return parsed


def _checked(tool: Tool, given: Json) -> dict[str, Json]:
    if not isinstance(given, dict):
        raise ToolRefusalError("bad_json")
    known = {parameter.name: parameter for parameter in tool.parameters}
    for name in given:
        if name not in known:
            raise ToolRefusalError("unexpected_argument", field=name)
    for parameter in tool.parameters:
        if parameter.name not in given:
            if parameter.required:
                raise ToolRefusalError("missing_argument", field=parameter.name)
        elif not _fits(parameter, given[parameter.name]):
            raise ToolRefusalError("bad_type", field=parameter.name)
    return given


def _fits(parameter: Parameter, value: Json) -> bool:
    match parameter.kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and abs(value) < 1e9  # also refuses what JSON should not carry: NaN and infinity
            )
        case "list":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _text(record: Json) -> str:
    return record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)
