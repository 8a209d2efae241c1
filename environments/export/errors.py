"""What can go wrong when an export is written.

ExportError    the records or the destination cannot be used; the message is one sentence for a person
"""

from __future__ import annotations


class ExportError(Exception):
    """An export that cannot be written."""
