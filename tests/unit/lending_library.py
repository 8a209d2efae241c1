"""Tools of a library that lends: what several test modules talk about. Not a test module."""

from __future__ import annotations

import json


def tool(name: str, says: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {"name": name, "description": says, "parameters": {"properties": properties}}
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_loan", "Shows a loan.", "loan"),
    tool("renew_loan", "Renews a loan.", "loan", "desk"),
    tool("close_card", "Closes a library card.", "card"),
)
