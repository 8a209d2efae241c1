"""The keys over which somebody may decide, ranked by how many conversations wait for it.

Comes in: the gate's account. Goes out: a `WaitingKey` for each key whose values were withheld or leaked.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dagster_project.privacy.account import HELD, WITHHELD, AccountRow
from dagster_project.privacy.gate_leaks import LEAK
from dagster_project.privacy.leak_search import IN_TEXT
from redact.apply.withheld_leaves import NAMES_IN_PROSE


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingKey:
    """A key over which somebody may decide."""

    key: str
    """Tool and keys."""
    why: str
    leaves: int
    conversations: int
    """So many conversations have such a value."""
    settled_as: str
    """What it most probably is: `text`, or `public` where the leak check took its values for somebody's."""


def is_leak(row: AccountRow) -> bool:
    """Whether a row of the account is about what the leak check found."""
    return row.what in {HELD, WITHHELD} and row.kind == LEAK


def waiting_keys(account: Iterable[AccountRow]) -> list[WaitingKey]:
    """The keys with withheld or leaking values, those in most conversations first."""
    leaves: Counter[tuple[str, str]] = Counter()
    conversations: Counter[tuple[str, str]] = Counter()
    public: set[tuple[str, str]] = set()
    for row in account:
        if row.what not in {HELD, WITHHELD} or row.kind == NAMES_IN_PROSE:
            continue
        at = row.place, row.kind
        if is_leak(row):
            if row.place == IN_TEXT:
                continue
            public.add(at)
        leaves[at] += row.count
        conversations[at] += row.episodes or row.count
    ranked = sorted(leaves, key=lambda one: (-conversations[one], -leaves[one], one))
    return [
        WaitingKey(
            key=key,
            why=why,
            leaves=leaves[key, why],
            conversations=conversations[key, why],
            settled_as="public" if (key, why) in public else "text",
        )
        for key, why in ranked
    ]
