"""Names that people bear, from Faker's locale lists: evidence that a word is a name, never proof.

In: a folded word. Out: whether some locale lists it. Loaded on first use (0.5 s, 40 thousand words); words that are
also ordinary English are left out, because "May I order a brown shirt" is three names.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from typing import Final

from redact.fold import fold_value
from redact.word_lists import word_list

ORDINARY: Final = word_list("ordinary")
"""Words of ordinary English that are also names."""
COMMON: Final = word_list("common")
"""Other words of English that some people bear and that nobody means by them where they are written small."""


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    # Local import: Faker costs 0.5 s, and only texts without a structure to learn from need it.
    providers = importlib.import_module("faker.providers.person")
    found: set[str] = set()
    for module in pkgutil.iter_modules(providers.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for listed in ("first_names", "first_names_female", "first_names_male", "last_names"):
            names = getattr(provider, listed, ())
            for name in () if isinstance(names, property) else names:
                found.update(fold_value(str(name)).replace("-", " ").split())
    return frozenset(name for name in found if len(name) > 1) - ORDINARY


def is_name(word: str) -> bool:
    """Say whether a folded word is a name in some locale and not an ordinary English word."""
    return word in _names()
