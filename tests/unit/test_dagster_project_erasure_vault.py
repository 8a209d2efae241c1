"""What the vault forgets of somebody: their values, and longer ones with one of them inside."""

from __future__ import annotations

from dagster_project.erasure.erase import _mentions
from redact.operators.vault import Vault


def test_a_longer_value_with_an_erased_one_inside_is_forgotten() -> None:
    """A whole address still names whoever lives in its street; other people's values stay."""
    vault = Vault(None, b"a secret for tests only, 32 bytes")
    for value in ("Quillfeather Lane 12, Dorsham", "Harbour Street 3, Dorsham"):
        vault.surrogate("desk", "street", value)

    left = _mentions(vault, {"quillfeather lane"})
    vault.forget("desk", left)

    assert not [value for value in vault.values() if "quillfeather" in value.casefold()]
    assert [value for value in vault.values() if "harbour" in value.casefold()]
