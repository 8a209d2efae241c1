"""User names that a text shows where programs write them: home folders, directory entries, options of commands.

In: a text. Out: the names of accounts that may be a person's. Accounts of systems and ordinary words are nobody's. Not here: user
names under a key (`documents`), in text of unknown form (`unknown_names`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from redact.lists.gazetteer import ORDINARY

STARTS: Final = (
    "/home/", "/Users/", "sers\\", "uid=", "UID=", "sAMAccountName=", "samaccountname=",
    "/user/", "/users/", "_user/", "/u/", "/profile/", "/profiles/", "/member/", "/members/", "/people/", "/employees/",
    "--author=", "--user=", "--username=", "--login=", "--owner=", "--assignee=",
)  # fmt: skip
"""What stands before each: a text without any names no account so."""
_SYSTEM: Final = frozenset(
    {
        "admin", "administrator", "airflow", "app", "apache", "azureuser", "build", "builder", "centos", "circleci", "daemon",
        "debian", "default", "deploy", "deployer", "docker", "ec2-user", "fedora", "git", "github", "gitlab-runner", "guest",
        "jenkins", "jovyan", "linuxbrew", "mysql", "nginx", "nobody", "node", "oracle", "postgres", "public", "python",
        "redis", "root", "runner", "runneradmin", "service", "shared", "spark", "sandbox", "support", "system", "test",
        "travis", "ubuntu", "user", "vagrant", "vscode", "www", "www-data",
    }
)  # fmt: skip
_ACCOUNT: Final = re.compile(
    r"(?:(?<![\w.-])/(?:home|Users)/|\b[Uu]sers\\{1,2}|\b(?:uid|UID|sAMAccountName|samaccountname)=|--(?:author|user|username|login|owner|assignee)=[\"']?)"
    r"([^\W\d_][\w.-]{1,30}[^\W_])(?![\w@.-])"
)


_PAGE: Final = re.compile(
    r"(?:/(?:users?|u|profiles?|members?|people|employees)|_user)/"
    r"((?=[\w.-]*\d)(?!v\d)[^\W\d_][\w.-]{2,30}[^\W_])(?![\w@.-])"
)
"""A user name in the address of a page: it holds a digit, as words of pages do not."""


def accounts_in(text: str) -> Iterator[str]:
    """Yield the names of accounts that stand where a program names one and that no system has."""
    for found in _ACCOUNT.finditer(text):
        name = found[1].casefold()
        if name not in _SYSTEM and ORDINARY.isdisjoint({name, name.removesuffix("s")}):
            yield found[1]
    for found in _PAGE.finditer(text):
        yield found[1]


def mentioned_in(text: str) -> Iterator[str]:
    """Yield the user names that a text writes behind `@`: no address, no package of a scope."""
    for found in _MENTIONED.finditer(text):
        name = found[1].casefold()
        if name not in _SYSTEM and name not in _EVERYBODY and name not in ORDINARY:
            yield found[1]


_MENTIONED: Final = re.compile(r"@(?<![\w@.+%/-]@)([^\W\d_][\w.-]{1,30}[^\W_])(?![\w@/-]|\.\w)")
"""The sign comes before the look behind it: so the engine jumps from one to the next."""
_EVERYBODY: Final = frozenset({"all", "channel", "everyone", "here", "team"})
