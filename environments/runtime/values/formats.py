"""Formats of what no recording can foretell: the time of a call, and ids drawn by dice.

Goes in: values, or a format from a world file. Comes out: a moment or the value of one, and ids in a format. The rule is
stated in the world file: a time is the session's own, an id is a keyed digest in the alphabet and length that were seen.
Not here: where such values stand in results (`views.clock_and_ids`), how they are found (`synth.world.volatile.clock_and_ids`).
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

from ..document.views import ValueForm
from ..task.attempt import Json

SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
DAY: Final = 86_400 * SECOND
MINUTES: Final = len("09:30")
"""Characters of a time of day without seconds."""
UNITS: Final = (1, 1_000, 1_000_000, 1_000_000_000)
"""Parts of a second that an epoch number may count."""
_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?)(Z|[+-]\d\d:\d\d)?"
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK: Final = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?([A-Za-z%]*)")
_EARLIEST: Final = 946_684_800
_LATEST: Final = 4_102_444_800
"""2000 and 2100: epoch seconds outside are other numbers."""
_ALPHABETS: Final = (
    "0123456789",
    "0123456789abcdef",
    "0123456789ABCDEF",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_",
)
_UUID4: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def read_time(value: Json) -> tuple[int, ValueForm] | None:
    """The moment (ns) that a value tells and the format it is told in; None for anything that is no time."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _read_number(value, quoted=False)
    if not isinstance(value, str) or not 8 <= len(value) <= 40:
        return None
    if value.isascii() and value.isdigit():
        return _read_number(int(value), quoted=True)
    try:
        return _read_text(value)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _read_number(value: float, *, quoted: bool) -> tuple[int, ValueForm] | None:
    for unit in UNITS:
        if _EARLIEST <= value / unit < _LATEST:
            whole = isinstance(value, int)
            form = ValueForm(kind="time", form="epoch", unit=unit, whole=whole, quoted=quoted)
            return int(value * (SECOND // unit)), form
    return None


def _read_text(value: str) -> tuple[int, ValueForm] | None:
    found = _ISO.fullmatch(value)
    if found is not None:
        day, between, clock, fraction, zone = found.groups()
        moment = datetime.fromisoformat(f"{day}T{clock[:8]}{zone or '+00:00'}")
        digits = len(fraction or "")
        nanos = int((fraction or "0").ljust(9, "0"))
        kind = "iso" if len(clock) > MINUTES else "minute"
        form = ValueForm(kind="time", form=kind, between=between, digits=digits, zone=zone or "")
        return _whole_seconds(moment) + nanos, form
    if _DATE.fullmatch(value):
        day = _whole_seconds(datetime.fromisoformat(value + "T00:00:00+00:00"))
        return day, ValueForm(kind="time", form="date")
    if _CLOCK.fullmatch(value):
        since = datetime.fromisoformat(f"1970-01-01T{value}+00:00")
        return _whole_seconds(since), ValueForm(kind="time", form="clock")
    if value[3:5] == ", ":
        form = ValueForm(kind="time", form="rfc2822", zone=value.rsplit(" ", 1)[-1])
        return _whole_seconds(parsedate_to_datetime(value)), form
    return None


def _whole_seconds(moment: datetime) -> int:
    return int(moment.timestamp()) * SECOND


def write_time(form: ValueForm, at: int) -> Json:
    """A moment (ns) as a format tells it."""
    if form.form == "epoch":
        unit = form.unit or 1
        parts = at * unit // SECOND if form.whole else at * unit / SECOND
        return str(parts) if form.quoted else parts
    moment = datetime.fromtimestamp(at // SECOND, tz=UTC)
    if form.form == "date":
        return moment.strftime("%Y-%m-%d")
    if form.form == "clock":
        return moment.strftime("%H:%M:%S")
    zone = form.zone or ""
    if form.form == "rfc2822":
        if zone == "GMT":
            return format_datetime(moment, usegmt=True)
        return format_datetime(moment.astimezone(_zone(zone)))
    moment = moment.astimezone(_zone(zone))
    seconds = "" if form.form == "minute" else ":%S"
    text = moment.strftime(f"%Y-%m-%d{form.between}%H:%M{seconds}")
    if form.digits:
        text += "." + f"{at % SECOND:09d}"[: form.digits]
    return text + zone


def _zone(text: str) -> timezone:
    if text in {"", "Z"}:
        return UTC
    sign = -1 if text[0] == "-" else 1
    hours, minutes = int(text[1:3]), int(text[-2:])
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


def grain(form: ValueForm) -> int:
    """The shortest time (ns) that a format can tell apart."""
    return {"date": DAY, "minute": MINUTE}.get(form.form or "", SECOND)


def id_format(values: list[str]) -> ValueForm | None:
    """The format of ids of one length: per place a fixed sign or an alphabet; None where they have none."""
    if not values or any(len(v) != len(values[0]) for v in values):
        return None
    if all(_UUID4.fullmatch(v) for v in values):
        slots = ["0123456789abcdef" if c == "x" else c for c in _uuid_shape()]
        return ValueForm(kind="id", slots=tuple(slots))
    columns = [{v[i] for v in values} for i in range(len(values[0]))]
    varied = frozenset(c for column in columns if len(column) > 1 for c in column)
    alphabet = next((a for a in _ALPHABETS if varied <= set(a)), None)
    if alphabet is None:
        return None
    first = next((i for i, column in enumerate(columns) if len(column) > 1), len(columns))
    slots = []
    for i, column in enumerate(columns):
        fixed = len(column) == 1 and (i < first or next(iter(column)) not in alphabet)
        slots.append(next(iter(column)) if fixed else alphabet)
    return ValueForm(kind="id", slots=tuple(slots))


def _uuid_shape() -> list[str]:
    shape = [*"xxxxxxxx-xxxx-4xxx-Vxxx-xxxxxxxxxxxx"]
    return ["89ab" if c == "V" else c for c in shape]


def freedom(form: ValueForm) -> int:
    """How many different ids a format has."""
    total = 1
    for slot in form.slots or ():
        total *= len(slot)
    return total


def draw_id(form: ValueForm, seed: str) -> str:
    """The id of a seed, in a format; never one that was recorded (`taken`, by digest)."""
    taken, slots = form.taken or frozenset(), form.slots or ()
    for number in range(1_000):
        # Two bytes for each place: a digest of fixed length has nothing left for the end of a long id.
        digest = hashlib.shake_256(f"{seed}|{number}".encode()).digest(2 * len(slots))
        drawn = int.from_bytes(digest)
        signs: list[str] = []
        for slot in slots:
            drawn, place = divmod(drawn, len(slot))
            signs.append(slot[place])
        made = "".join(signs)
        if short_digest(made) not in taken:
            return made
    raise ValueError("the format has no id left that was never recorded")


def short_digest(value: str) -> str:
    """What a recorded id is remembered by, so that it is never given out again."""
    return hashlib.sha256(value.encode()).hexdigest()[:12]


def number_with_unit(value: Json) -> str | None:
    """What a number is counted in: empty for a bare one, `s` for `72s`; None of anything else."""
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value)
        return None if found is None else found[1]
    return "" if isinstance(value, int | float) and not isinstance(value, bool) else None


def fits(form: ValueForm, value: Json) -> bool:
    """Whether a value is in a format."""
    if form.kind == "time":
        found = read_time(value)
        if found is None or found[1].spelling != form.spelling:
            return False
        # A clock that starts anew with every session: what was stored before it began is none of its times.
        away = found[0] - (form.origin or 0)
        return form.each is None or (away > 0 and away % form.each == 0)
    if form.kind == "number":
        return number_with_unit(value) == number_with_unit(form.value)
    slots = form.slots or ()
    return (
        isinstance(value, str)
        and len(value) == len(slots)
        and all(c in slot for c, slot in zip(value, slots, strict=True))
    )
