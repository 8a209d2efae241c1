"""The one way a tool refuses: a code from a fixed list with the values its message needs.

Goes to the variant, which words it. No message text lives here, so that every variant words every refusal.
"""


class ToolRefusalError(Exception):
    """A precondition of a tool does not hold; `code` names which, `values` fill its message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values
