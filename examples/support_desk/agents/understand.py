"""What a customer's text says: pure functions from text to intents, names, ids, addresses and choices."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

_INTENTS: Final = (
    ("human", r"\bhuman\b|\bmanager\b|real person|\bmachine\b"),
    ("complaint", r"\blawyer\b|formal complaint|\bsue\b"),
    ("compensation", r"damaged|broken|missing from|compensation|too late|partial refund"),
    ("cheapest", r"cheapest|least expensive"),
    ("count", r"how many versions"),
    ("balance", r"left on my gift card|gift card balance"),
    ("price", r"how much is|what does .* cost|price of"),
    ("total", r"how much did i pay|paid in total"),
    ("status", r"where is|what's the status|status of|when will .* arrive"),
    ("exchange", r"\bexchange|\bswap\b|replace"),
    ("return", r"\breturn\b|send back|send it back"),
    ("account_address", r"(address in|update) my account|have moved|moved house"),
    ("order_address", r"different address|another address|(ship|send|go) .*order .*address|ship (my )?order"),
    ("cancel", r"\bcancel|call off"),
)  # fmt: skip
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NAME: Final = re.compile(
    r"name is (?P<name>[^,]+), postcode (?P<postcode>[A-Za-z0-9 ]+)", re.IGNORECASE
)
_ADDRESS: Final = re.compile(
    r"(?:^|: |\bis )(?P<street>[^,:!?]*\d[^,:]*), (?P<city>[^,]+), (?P<region>[A-Z]{2}) "
    r"(?P<postcode>[A-Z0-9 ]+), (?P<country>[A-Z]{2})\b"
)
_PRODUCT: Final = re.compile(
    r"(?:how much is|versions of|does|price of) t[he]{2} (?P<product>.+?) (?:w[ith]{3} |are in stock|cost)",
    re.IGNORECASE,
)
"""Tolerates "teh" and "wiht"."""
_YES: Final = re.compile(r"^\W*(yes|yeah|sure|ok|okay|correct|go ahead)\b", re.IGNORECASE)
_WITHDRAWS: Final = re.compile(
    r"keep it|leave it|never ?mind|forget it|don't want to any ?more", re.IGNORECASE
)
_NO_MORE: Final = re.compile(r"that's (all|it)|no, thank|\bbye\b|give up", re.IGNORECASE)
_CANCEL_REASONS: Final = (
    ("ordered by mistake", r"mistake|clicked twice|accident"),
    ("found cheaper", r"cheaper|better price"),
    ("no longer needed", r"need it|no longer|changed my mind|don't want"),
)
_REFUND_REASONS: Final = (
    ("damaged", r"damaged|broken|scratched|defective"),
    ("missing", r"missing"),
    ("late", r"\blate\b|took too long"),
)
_PAYMENTS: Final = (
    ("gift_card", r"gift card|voucher"),
    ("paypal", r"paypal"),
    ("card", r"credit card|\bcard\b"),
)


def intent(text: str) -> str | None:
    """What the customer wants, by the first rule that fits; None when nothing does."""
    return _first(_INTENTS, text)


def cancel_reason(text: str) -> str | None:
    """The reason for a cancellation, in the shop's plain words."""
    return _first(_CANCEL_REASONS, text)


def refund_reason(text: str) -> str | None:
    """The reason for a refund, in the shop's plain words."""
    return _first(_REFUND_REASONS, text)


def payment_kind(text: str) -> str | None:
    """The kind of payment that a text names."""
    return _first(_PAYMENTS, text)


def email(text: str) -> str | None:
    """The last e-mail address in a text."""
    found = _EMAIL.findall(text)
    return str(found[-1]).rstrip(".").lower() if found else None


def full_name(text: str) -> tuple[str, str, str] | None:
    """First name, last name and postcode, as customers give them; the last mention counts."""
    matches = list(_NAME.finditer(text))
    if not matches:
        return None
    first, _, last = matches[-1]["name"].strip().partition(" ")
    return first, last, matches[-1]["postcode"].strip().upper()


def address(text: str) -> dict[str, str] | None:
    """The last full address in a text."""
    matches = list(_ADDRESS.finditer(text))
    if not matches:
        return None
    found = {key: value.strip() for key, value in matches[-1].groupdict().items()}
    found["street"] = re.sub(r"^(it|address|one|new) is:? ", "", found["street"])
    return found


def without_identity(text: str) -> str:
    """A text without names and e-mail addresses: Rose Green does not ask for a green one."""
    return _EMAIL.sub("", _NAME.sub("", text))


def product_words(text: str) -> str | None:
    """The product that a question is about."""
    found = _PRODUCT.search(text)
    return found["product"] if found else None


def category_words(text: str) -> str | None:
    """The category that a question is about: its last word."""
    found = re.search(r"in stock in (?P<category>[\w-]+)", text, re.IGNORECASE)
    return found["category"] if found else None


def agrees(text: str) -> bool:
    """Whether a text is an explicit yes."""
    return _YES.search(text) is not None and _WITHDRAWS.search(text) is None


def withdraws(text: str) -> bool:
    """Whether the customer no longer wants it."""
    return _WITHDRAWS.search(text) is not None


def has_finished(text: str) -> bool:
    """Whether the customer says goodbye."""
    return _NO_MORE.search(text) is not None


def named(names: Iterable[str], text: str) -> list[str]:
    """Which of the names occur in a text, as whole words and in any case."""
    return [name for name in names if mentions(text, name)]


def mentions(text: str, words: str) -> bool:
    """Whether a text has these words."""
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold()) is not None


def wanted_options(
    text: str, current: Mapping[str, str], offered: Mapping[str, set[str]]
) -> dict[str, str]:
    """The options a text asks for: the current ones but for those values it names."""
    others = {key: sorted(values - {current.get(key, "")}) for key, values in offered.items()}
    exact = {key: [v for v in vs if mentions(text, f"{key} {v}")] for key, vs in others.items()}
    # "burners two" is surer than "two" alone, and "the one with fuel gas" says nothing about burners.
    hits = exact if any(exact.values()) else {key: named(vs, text) for key, vs in others.items()}
    wanted = dict(current)
    wanted.update({key: values[0] for key, values in hits.items() if len(values) == 1})
    return wanted


def _first(rules: Iterable[tuple[str, str]], text: str) -> str | None:
    return next((name for name, rule in rules if re.search(rule, text, re.IGNORECASE)), None)
