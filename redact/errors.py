"""What can go wrong at the redaction boundary; no message holds a value that came from the data.

RedactError
├── PolicyError     the policy file cannot be used (unknown kind, wrong type, not TOML)
└── VaultError      the vault cannot be opened (wrong secret, damaged, newer format)
"""

from __future__ import annotations


class RedactError(Exception):
    """Anything in `redact` that a person has to act on."""


class PolicyError(RedactError):
    """The redaction policy cannot be used as written."""


class VaultError(RedactError):
    """The vault cannot be opened or written."""
