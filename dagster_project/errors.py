"""What a command can fail with: one clear sentence each, and the exit code that goes with it.

    ProjectError            exit 1   something the user can act on; caught by the command line only
    ├── HomeError                    the home is missing, of another version, or not one
    │   ├── VaultElsewhere           its vault is on another machine
    │   └── OwnedElsewhere           another machine builds it
    ├── InputError                   a file or folder cannot be read or holds nothing usable
    ├── LakeError                    a table cannot be read or written (a full disk, a lost conflict)
    ├── StageError                   an asset failed; nothing stored before it is lost
    ├── StrictError         exit 3   a gate that was asked for did not hold
    └── Interrupted         exit 130 Ctrl-C; everything stored so far stays

Raised with ids, partitions and paths; never with a user's text.
"""


class ProjectError(Exception):
    """A failure with a sentence for the user: what, where, what to do."""

    exit_code = 1


class HomeError(ProjectError):
    """The home is missing, of another version, or not a home at all."""


class VaultElsewhere(HomeError):  # noqa: N818 - where it is, not a fault
    """The home's vault is on another machine."""


class OwnedElsewhere(HomeError):  # noqa: N818 - who has it, not a fault
    """Another machine builds the home."""


class InputError(ProjectError):
    """A file or folder cannot be read, or holds nothing that can be used."""


class LakeError(ProjectError):
    """A table cannot be read or written."""


class StageError(ProjectError):
    """An asset failed; everything stored before it stays."""


class StrictError(ProjectError):
    """A strict gate did not hold."""

    exit_code = 3


class Interrupted(ProjectError):  # noqa: N818 - what happened, not a fault
    """Ctrl-C: what is stored stays, and the sentence says how to go on."""

    exit_code = 130
