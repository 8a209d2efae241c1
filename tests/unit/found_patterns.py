"""Everything that patterns with their checksums recognise in a text."""

from __future__ import annotations

from collections.abc import Iterator

from redact.recognizers.patterns import assigned_in, checked_in, phones_in, secrets_in


def patterns_in(text: str) -> Iterator[tuple[str, str]]:
    """Each with its kind."""
    for find in (secrets_in, assigned_in):
        yield from (("secret", value) for value in find(text))
    yield from (("phone", value) for value in phones_in(text))
    yield from checked_in(text)
