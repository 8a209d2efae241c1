"""What the search for people takes for nobody's.

In: a hit and the text it stands in. Out: whether it counts.
"""

import pytest

from dagster_project.privacy.leak_search import is_app_name
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
