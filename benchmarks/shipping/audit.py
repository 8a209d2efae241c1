"""What the lock pins: known vulnerabilities, as far as a service can be asked, and licences.

Usage: `python -m benchmarks.shipping.audit` (`make audit`). Exit code 1 where something known is wrong. A licence counts as the
package itself declares it; what must be read by a person stands in `READ` with what was found.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_SECONDS: Final = 60
_ALLOWED: Final = re.compile(
    r"Apache|MIT|BSD|ISC|PSF|Python Software Foundation|Unlicense|Zlib|0BSD|CC0|HPND|MPL|Mozilla|BSL-1|Boost|PostgreSQL|Blue Oak"
)
_REFUSED: Final = re.compile(r"(?<!L)GPL|AGPL|SSPL|Commons Clause|Business Source|Proprietary")
READ: Final = {
    "chunspell": "its own code is MIT; hunspell, which it holds, is MPL 1.1, GPL 2.0 or LGPL 2.1 at choice: MPL",
    "locate": "declares `Other/Proprietary`; its LICENSE is the MIT licence",
    "num2words": "LGPL; imported as a package of its own, which anybody can replace",
}
"""Packages whose declaration a person has read."""


def locked(*, dev: bool) -> list[str]:
    """The names that the lock pins for this platform."""
    command = ["uv", "export", "--quiet", "--frozen", "--no-emit-workspace", "--no-hashes"]
    command += ["--all-groups"] if dev else ["--no-dev"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"^([A-Za-z0-9_.-]+)==", text, re.MULTILINE)))


def licence_of(name: str) -> str | None:
    """What an installed package says of itself; None where it is not installed here."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [
        c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or () if "License" in c
    ]
    declared = {name: said[name] for name in ("License-Expression", "License") if name in said}
    first = declared.get("License", "").strip().partition("\n")[0][:80]
    return declared.get("License-Expression") or "; ".join(classifiers) or first or "says nothing"


def faults(names: list[str]) -> Iterator[str]:
    """What a person has to read, a sentence each."""
    for name in names:
        said = licence_of(name)
        if said is None or name in READ:
            continue
        if _REFUSED.search(said) and not _ALLOWED.search(said):
            yield f"{name}: {said}"
        elif not _ALLOWED.search(said):
            yield f"{name}: {said} (not known here)"


def vulnerabilities() -> tuple[int, str]:
    """How many are known, and a sentence; -1 where nobody could be asked."""
    command = ["uv", "audit", "--frozen", "--preview", "--output-format", "json"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=_SECONDS
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return (
            -1,
            "vulnerabilities were not looked up: the service of `uv audit` (OSV) does not answer from here",
        )
    listed = found.get("vulnerabilities") or []
    return len(listed), f"{len(listed)} known vulnerabilities"


def main() -> int:
    """Print what was found."""
    known, told = vulnerabilities()
    print(told)
    names = locked(dev=True)
    there = {name: said for name in names if (said := licence_of(name)) is not None}
    wrong = list(faults(names))
    print(f"licences of {len(there)} of {len(names)} locked packages, as installed here:")
    for said, count in Counter(there.values()).most_common():
        print(f"  {count:3}  {said}")
    for name, why in READ.items():
        print(f"read by a person: {name}: {why}")
    for fault in wrong:
        print(f"to be read: {fault}")
    return int(known > 0 or bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
