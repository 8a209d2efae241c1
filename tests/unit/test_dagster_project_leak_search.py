"""What the search for people takes for nobody's.

In: a hit and the text it stands in. Out: whether it counts.
"""

import pyarrow as pa
import pytest

from dagster_project.privacy.leak_search import agents_of, is_app_name
from redact.audit.leaks import Leak


@pytest.mark.parametrize("text", ["{app}", "# {marked}, 12 tasks", '{{"world":"{app}"}}'])
def test_the_name_that_the_operator_gave_an_app_is_nobodys(text: str) -> None:
    """A firm called like somebody, and its app after it, cost no export; the same words elsewhere are found."""
    app = "anna-maria_linden"
    said = text.format(app=app, marked=app.replace("_", "\\_"))
    leak = Leak(
        kind="last_name",
        where="README.md",
        offset=said.index("linden"),
        length=len("linden"),
        encoding="plain",
        direct=True,
    )
    assert is_app_name(app, leak, said)
    assert not is_app_name("linden", leak, said)


def test_an_agent_that_many_customers_met_is_nobodys() -> None:
    """The operator's agent may be called as a customer is; a name that only one of them met may be somebody's."""
    rows = pa.Table.from_pylist(
        [
            {"agent": name, "subject": None, "episode_id": f"{name}{at}"}
            for name, times in (("valeria", 6), ("Ann Ray", 1), (None, 9))
            for at in range(times)
        ]
    )
    assert agents_of(rows, 5) == {"valeria"}
