"""Tool definitions as production has them: which arguments a tool takes, and of which types.

In: a definition, as text or as JSON, of whatever shape somebody sent. Out: its name, its argument schemas, and what one
schema says: the types, the choices. Nothing in a definition is trusted to have the type that JSON Schema gives it, so
nothing here raises: what cannot be read says nothing. The one place that reads schemas; not here: writing definitions
for consumers (`tool_schemas`), names that consumers take (`tool_names`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Final

from ..values.json_text import json_or_none
from ..values.literals import MAX_DEPTH
from .attempt import Json

TYPES: Final = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
"""The names that JSON Schema has for types."""
DEFINITIONS: Final = ("$defs", "definitions")
BRANCHES: Final = ("anyOf", "oneOf", "allOf")
MOST_BRANCHES: Final = 200
"""Schemas looked at behind one argument: references may fan out without end."""
_ESCAPED: Final = (("~1", "/"), ("~0", "~"))


def definition_of(text: str) -> dict[str, Json]:
    """A definition's text as JSON, cut where it is nested deeper than anybody looks; empty where it is no object."""
    cut = _cut(json_or_none(text), MAX_DEPTH)
    return cut if isinstance(cut, dict) else {}


def read_definition(text: str) -> Mapping[str, Json]:
    """The function that a definition's text is about; empty where it is about none."""
    return function_of(definition_of(text))


def functions_by_name(texts: Iterable[str]) -> dict[str, Mapping[str, Json]]:
    """The functions that some definitions' texts are about; of several with one name the last."""
    found = map(read_definition, texts)
    return {name_of(function): function for function in found if function}


def function_of(definition: object) -> Mapping[str, Json]:
    """The function of a definition: some recordings wrap it, some send it bare; empty where there is none with a name."""
    if not isinstance(definition, Mapping):
        return {}
    function = definition.get("function", definition)
    return function if isinstance(function, Mapping) and name_of(function) else {}


def name_of(function: Mapping[str, Json]) -> str:
    """The name of a function; empty where it has none."""
    name = function.get("name")
    return name if isinstance(name, str) else ""


def properties_of(function: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of each argument by name, references followed; empty where the definition names none."""
    root = parameters_of(function)
    found: dict[str, Json] = {}
    for schema in _reached(root, root):
        properties = schema.get("properties")
        for name, one in properties.items() if isinstance(properties, dict) else ():
            found.setdefault(name, followed(one, root))
    return found


def parameters_of(function: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of all arguments together; empty where there is none."""
    parameters = function.get("parameters")
    return parameters if isinstance(parameters, dict) else {}


def types_of(schema: Json, root: Mapping[str, Json] | None) -> frozenset[str]:
    """The names of all types that a value may have; empty where the schema does not say. `root` is where references point.

    `{"type": ["string", "null"]}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}` and `{"enum": ["a", null]}` say the same.
    """
    found: set[str] = set()
    for one in _reached(schema, root or {}):
        said = _named_types(one)
        found.update(said or set(map(type_name, _choices(one))))
    return frozenset(found)


def form_of(schema: Json, root: Mapping[str, Json] | None = None) -> str:
    """The one type that a value has where it is there at all; empty where a schema allows several or says nothing."""
    kinds = types_of(schema, root) - {"null"}
    if kinds == {"integer", "number"}:
        return "number"
    return next(iter(kinds)) if len(kinds) == 1 else ""


def choices_of(schema: Json, root: Mapping[str, Json] | None = None) -> list[Json]:
    """The values that a schema lists; empty where it lists none."""
    return [value for one in _reached(schema, root or {}) for value in _choices(one)]


def followed(schema: Json, root: Mapping[str, Json]) -> Json:
    """The schema that a local reference names, with what stands beside the reference; any other schema as it is."""
    seen: set[str] = set()
    while isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str):
        if reference in seen:
            break
        seen.add(reference)
        named = referred(reference, root)
        if named is None:
            break
        schema = {**named, **{key: item for key, item in schema.items() if key != "$ref"}}
    return schema


def referred(reference: str, root: Mapping[str, Json]) -> dict[str, Json] | None:
    """What a local reference (`#/$defs/Name`) names; None where it names nothing in this schema."""
    at: Json = dict(root)
    if not reference.startswith("#"):
        return None
    for part in reference.removeprefix("#").strip("/").split("/"):
        key = part
        for escaped, plain in _ESCAPED:
            key = key.replace(escaped, plain)
        if key and not isinstance(at, dict):
            return None
        at = at.get(key) if key and isinstance(at, dict) else at
    return at if isinstance(at, dict) else None


def _reached(schema: Json, root: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The schema and the branches that it is made of, each once."""
    waiting, looked = [schema], 0
    references: set[str] = set()
    while waiting and looked < MOST_BRANCHES:
        looked += 1
        one = waiting.pop(0)
        if not isinstance(one, dict):
            continue
        yield one
        reference = one.get("$ref")
        if isinstance(reference, str) and reference not in references:
            references.add(reference)
            waiting.append(referred(reference, root))
        for branch in BRANCHES:
            inner = one.get(branch)
            waiting.extend(inner if isinstance(inner, list) else ())


def _named_types(schema: Mapping[str, Json]) -> set[str]:
    kind = schema.get("type")
    listed = kind if isinstance(kind, list) else [kind]
    return {one for one in listed if isinstance(one, str) and one in TYPES}


def _choices(schema: Mapping[str, Json]) -> list[Json]:
    listed = schema.get("enum")
    found = list(listed) if isinstance(listed, list) else []
    return found or ([schema["const"]] if "const" in schema else [])


def _cut(value: Json, depth: int) -> Json:
    """The value without what stands inside more lists and objects than that: there a schema allows anything."""
    if isinstance(value, dict):
        return {name: _cut(item, depth - 1) for name, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_cut(item, depth - 1) for item in value] if depth else []
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def type_name(value: Json) -> str:
    """The name that JSON Schema has for the type of a value."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")
