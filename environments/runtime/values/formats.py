"""Formats of what no recording can foretell: the time of a call, and ids drawn by dice.

Goes in: values, or a format from a world file. Comes out: a moment or the value of one, and ids in a format. The rule is
stated in the world file: a time is the session's own, an id is a keyed digest in the alphabet and length that were seen.
Not here: where such values stand in results (`views.clock_and_ids`), how they are found (`synth.world.volatile.clock_and_ids`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

from ..document.views import ValueForm
from ..task.attempt import Json
from .mentions import is_name
from .normal import is_number

SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
DAY: Final = 86_400 * SECOND
MOST_CALLS: Final = 100
"""Calls of a session, for what its own clock may show."""
MINUTES: Final = len("09:30")
"""Characters of a time of day without seconds."""
UNITS: Final = (1, 1_000, 1_000_000, 1_000_000_000)
"""Parts of a second that an epoch number may count."""
_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?)(Z|[+-]\d\d:\d\d)?"
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK: Final = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d")
_MINUTE: Final = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_WRITTEN: Final = re.compile(
    r"(?:(?P<weekday>[A-Z][a-z]{2,8})(?P<comma>,? ))?"
    r"(?P<day>\d\d?[./-]\d\d?[./-]\d{4}|\d{4}[./-]\d\d[./-]\d\d"
    r"|\d\d? [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d\d?, \d{4})"
    r"(?:(?P<between>,? |T| at )(?P<clock>\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?)(?P<zone> [A-Z]{3,4}| Uhr)?)?"
)
"""A day as people write it, and the time of that day."""
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
    if not isinstance(value, str) or not MINUTES <= len(value) <= 40:
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
    if _MINUTE.fullmatch(value):
        return _read_as(value, "%H:%M")
    if _CLOCK.fullmatch(value):
        since = datetime.fromisoformat(f"1970-01-01T{value}+00:00")
        return _whole_seconds(since), ValueForm(kind="time", form="clock")
    if value[3:5] == ", " and value.endswith(("GMT", "00")):
        form = ValueForm(kind="time", form="rfc2822", zone=value.rsplit(" ", 1)[-1])
        return _whole_seconds(parsedate_to_datetime(value)), form
    return _read_written(value)


def _read_written(value: str) -> tuple[int, ValueForm] | None:
    found = _WRITTEN.fullmatch(value)
    if found is None:
        return None
    for day in _day_patterns(found["day"]):
        pattern = _weekday_pattern(found["weekday"], found["comma"]) + day
        if found["clock"]:
            pattern += found["between"] + _clock_pattern(found["clock"]) + (found["zone"] or "")
        found_at = _read_as(value, pattern)
        if found_at is not None:
            return found_at
    return None


def _read_as(value: str, pattern: str) -> tuple[int, ValueForm] | None:
    form = ValueForm(kind="time", form="written", pattern=pattern)
    at = read_written(value, form)
    return None if at is None else (at, form)


def read_written(value: Json, form: ValueForm) -> int | None:
    """The moment (ns) that a text tells in the pattern of a format; None where it is written in another way."""
    if not isinstance(value, str) or form.pattern is None:
        return None
    try:
        at = _whole_seconds(datetime.strptime(value, form.pattern).replace(tzinfo=UTC))
    except ValueError:
        return None
    # A number without its leading zero would be written with it.
    return at if write_time(form, at) == value else None


def _weekday_pattern(weekday: str | None, comma: str | None) -> str:
    if weekday is None:
        return ""
    return ("%a" if len(weekday) == len("Mon") else "%A") + (comma or "")


def _day_patterns(day: str) -> Iterator[str]:
    """The ways to read a day, the likeliest first: the month comes first only where slashes stand between."""
    if " " in day:
        month = max(re.findall(r"[A-Za-z]+", day), key=len)
        name = "%b" if len(month) == len("Jan") else "%B"
        yield f"{name} %d, %Y" if "," in day else f"%d {name} %Y"
        return
    sign = re.sub(r"\d", "", day)[0]
    orders = ["%Y %m %d"] if day[:4].isdigit() else ["%d %m %Y"]
    if sign == "/" and not day[:4].isdigit():
        orders.insert(0, "%m %d %Y")
    yield from (order.replace(" ", sign) for order in orders)


def _clock_pattern(clock: str) -> str:
    half = clock[-2:].upper() in {"AM", "PM"}
    pattern = ("%I" if half else "%H") + ":%M" + (":%S" if clock.count(":") > 1 else "")
    return pattern + (" " if " " in clock else "") + ("%p" if half else "")


def _whole_seconds(moment: datetime) -> int:
    return int(moment.timestamp()) * SECOND


def write_time(form: ValueForm, at: int) -> Json:
    """A moment (ns) as a format tells it."""
    if form.form == "epoch":
        unit = form.unit or 1
        parts = at * unit // SECOND if form.whole else at * unit / SECOND
        return str(parts) if form.quoted else parts
    moment = datetime.fromtimestamp(at // SECOND, tz=UTC)
    pattern = {"date": "%Y-%m-%d", "clock": "%H:%M:%S"}.get(form.form or "", form.pattern)
    if pattern is not None:
        return moment.strftime(pattern)
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
    if form.pattern is not None:
        parts = (("%S", SECOND), ("%M", MINUTE))
        return next((unit for part, unit in parts if part in form.pattern), DAY)
    return {"date": DAY, "minute": MINUTE}.get(form.form or "", SECOND)


def is_day(form: ValueForm) -> bool:
    """Whether a format tells a day without the time of it."""
    return grain(form) == DAY


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
    return "" if is_number(value) else None


def _moment_in(form: ValueForm, value: Json) -> int | None:
    if form.pattern is not None:
        return read_written(value, form)
    found = read_time(value)
    return found[0] if found is not None and found[1].spelling == form.spelling else None


def type_of(value: Json) -> str:
    """The type that values without a format are told apart by: whole and other numbers are one."""
    return "number" if is_number(value) else type(value).__name__


def _fits_clock(form: ValueForm, moment: int | None) -> bool:
    """Whether a moment may be one of a clock: of one that starts anew with every session, none before its start or long behind it."""
    if moment is None or not form.each:
        return moment is not None
    calls, rest = divmod(moment - (form.origin or 0), form.each)
    return 0 < calls <= MOST_CALLS and not rest


def fits(form: ValueForm, value: Json) -> bool:
    """Whether a value is in a format."""
    if form.kind == "time":
        return _fits_clock(form, _moment_in(form, value))
    if form.kind == "number":
        return number_with_unit(value) == number_with_unit(form.value)
    if form.kind == "any":
        return type_of(value) == type_of(form.value)
    if form.kind == "key" and form.slots is None:
        return is_name(value) and " " not in str(value)
    slots = form.slots or ()
    return (
        isinstance(value, str)
        and len(value) == len(slots)
        and all(c in slot for c, slot in zip(value, slots, strict=True))
    )
