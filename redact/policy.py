"""The redaction policy: what a person decided about keys, names in prose and what nobody could judge.

In: a `redaction.toml`. Out: a frozen `Policy`. Holds decisions, no personal values and no secret.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Final

from redact.errors import PolicyError
from redact.kinds import KINDS, NOT_PERSONAL
from redact.operators.date_shift import DateShift
from redact.recognizers.presidio_engine import ENGINES, NamesEngine, OwnRecognizer

PROSE_NAMES: Final = frozenset({"remove", "flag", "off"})
TASK_KEYS: Final = frozenset({"keep", "opaque"})
UNKNOWN: Final = frozenset({"replace", "withhold", "keep"})
DATE_ORDERS: Final = frozenset({"month", "day"})


EVERY_APP: Final = "*"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What to remove, what to keep, what to hold back."""

    enabled: bool = True
    """False only for data declared free of personal data; every record past the gate then says `off`."""
    k: int = 5
    """A value that so many subjects share is nobody's."""
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Key pattern (`dob`, `get_user.notes`, `options.*`) to a kind, or to `public`, `record` or `text`."""
    public_values: frozenset[str] = frozenset()
    """Words that are never personal by themselves, whatever was learnt."""
    prose_names: str = "remove"
    """Names in free text that no tool returned: `remove` them, `flag` the message and hold it back, or `off`."""
    names: NamesEngine | None = None
    """A model that reads prose for names besides the word lists."""
    recognizers: tuple[OwnRecognizer, ...] = ()
    """Presidio recognizers of the user's own, besides those of `redact.recognizers.registry`."""
    task_keys: str = "keep"
    """Names of requests, which join attempts: `keep` (scrubbed like any text) or `opaque` (keyed digests)."""
    unknown: str = "replace"
    """Text under a key nobody knows that differs from person to person: `replace` the names and numbers in it, `withhold` it whole, or `keep` it."""
    date_shift_days: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """By app, and under `*` for all others: how far every date is moved; a multiple of 7, 0 unless stated."""
    date_order: str = "month"
    """What comes first in `03/04/2024`: `month` or `day`."""

    def shift_of(self, app: str) -> DateShift:
        """Return the shift of an app's dates."""
        days = self.date_shift_days.get(app, self.date_shift_days.get(EVERY_APP, 0))
        return DateShift(days=days if self.enabled else 0, day_first=self.date_order == "day")


def load_policy(path: Path) -> Policy:
    """Return the policy a file states; a missing file is the default policy."""
    if not path.exists():
        return Policy()
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(
            f"{path.name} is not valid TOML: fix the line it names ({error})."
        ) from error
    except OSError as error:
        raise PolicyError(f"{path.name} cannot be read: check its permissions.") from error
    return _policy_of(table, path.name)


def _policy_of(table: dict[str, object], name: str) -> Policy:
    known = {field.name for field in fields(Policy)}
    for key in table:
        if key not in known:
            raise PolicyError(
                f"{name}: `{key}` is not a setting; use one of {', '.join(sorted(known))}."
            )
    keys = _keys_of(table.get("keys", {}), name)
    enabled, k = table.get("enabled", True), table.get("k", 5)
    public = table.get("public_values", [])
    if not isinstance(enabled, bool):
        raise PolicyError(f"{name}: `enabled` must be true or false.")
    if not isinstance(k, int) or isinstance(k, bool) or k < 2:
        raise PolicyError(f"{name}: `k` must be a whole number of at least 2.")
    if not isinstance(public, list) or not all(isinstance(value, str) for value in public):
        raise PolicyError(f"{name}: `public_values` must be a list of strings.")
    return Policy(
        enabled=enabled,
        k=k,
        keys=MappingProxyType(keys),
        public_values=frozenset(value.casefold() for value in public),
        prose_names=_choice(table, "prose_names", PROSE_NAMES, name) or "remove",
        task_keys=_choice(table, "task_keys", TASK_KEYS, name) or "keep",
        names=_engine_of(table.get("names"), name),
        recognizers=_recognizers_of(table.get("recognizers", []), name),
        unknown=_choice(table, "unknown", UNKNOWN, name) or "replace",
        date_shift_days=_shifts_of(table.get("date_shift_days", 0), name),
        date_order=_choice(table, "date_order", DATE_ORDERS, name) or "month",
    )


def _keys_of(listed: object, name: str) -> dict[str, str]:
    if not isinstance(listed, dict):
        raise PolicyError(f"{name}: `keys` must be a table of key patterns and kinds.")
    kinds = sorted(KINDS) + sorted(NOT_PERSONAL)
    for pattern, kind in listed.items():
        if kind not in kinds:
            raise PolicyError(
                f"{name}: keys.{pattern} names no kind; use one of {', '.join(kinds)}."
            )
    return {str(pattern): str(kind) for pattern, kind in listed.items()}


def _shifts_of(listed: object, name: str) -> Mapping[str, int]:
    shifts: dict[str, int] = {}
    for app, days in listed.items() if isinstance(listed, dict) else [(EVERY_APP, listed)]:
        if isinstance(days, int) and not isinstance(days, bool) and days % 7 == 0:
            shifts[str(app)] = days
        else:
            raise PolicyError(
                f"{name}: `date_shift_days` must be a number of whole weeks in days, such as 91 or -364, "
                "or a table of them by app."
            )
    return MappingProxyType(shifts)


def _engine_of(table: object, name: str) -> NamesEngine | None:
    if table is None:
        return None
    if not isinstance(table, dict) or not {"engine", "model"} <= table.keys() <= _ENGINE_KEYS:
        raise PolicyError(
            f"{name}: [names] takes `engine` and `model`, and may take `language` and `threshold`."
        )
    engine = _choice(table, "engine", frozenset(ENGINES), f"{name} [names]") or ""
    model, language = table["model"], table.get("language", "en")
    threshold = table.get("threshold", 0.5)
    if not isinstance(model, str) or not isinstance(language, str):
        raise PolicyError(f"{name}: names.model and names.language must be strings.")
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise PolicyError(f"{name}: names.threshold must be a number from 0 to 1.")
    return NamesEngine(engine=engine, model=model, language=language, threshold=float(threshold))


def _recognizers_of(listed: object, name: str) -> tuple[OwnRecognizer, ...]:
    if not isinstance(listed, list):
        raise PolicyError(f"{name}: write each recognizer as a table of its own, [[recognizers]].")
    return tuple([_recognizer_of(table, name) for table in listed])


def _recognizer_of(table: object, name: str) -> OwnRecognizer:
    told = dict(table) if isinstance(table, dict) else {}
    kinds, threshold = told.pop("kinds", None), told.pop("threshold", 0.5)
    path, language = told.pop("class", ""), told.setdefault("supported_language", "en")
    if not isinstance(kinds, dict) or not kinds or not set(kinds.values()) <= KINDS.keys():
        raise PolicyError(
            f"{name}: a recognizer needs `kinds`, a table of Presidio's entities and kinds; the kinds are {', '.join(KINDS)}."
        )
    if not isinstance(path, str) or bool(path) == ("supported_entity" in told):
        raise PolicyError(
            f"{name}: a recognizer names either `class` (package.module:Class) or `supported_entity` with `patterns` or `deny_list`."
        )
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise PolicyError(f"{name}: a recognizer's threshold must be a number from 0 to 1.")
    return OwnRecognizer(
        kinds=tuple(sorted(kinds.items())),
        path=path,
        description="" if path else json.dumps(told),
        language=str(language),
        threshold=float(threshold),
    )


_ENGINE_KEYS: Final = frozenset({"engine", "model", "language", "threshold"})


def _choice(table: dict[str, object], key: str, allowed: frozenset[str], name: str) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or value not in allowed:
        raise PolicyError(f"{name}: `{key}` must be one of {', '.join(sorted(allowed))}.")
    return value
