"""The compiled copy of redaction writes the same bytes as the code it was made of."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.shipping.compiled_redact import INTERPRETED, MODULES, bind, build, modules_of

ROOT = Path(__file__).resolve().parents[2]
SAYS = """
import hashlib, random
from benchmarks.testbeds.people.apps import APPS
from redact import fold
from redact.apply import matcher
from redact.apply.learn import learn
from redact.policy import Policy
from redact.apply.scrub import scrub
from redact.operators.vault import Vault

policy, digest = Policy(), hashlib.sha256()
for name, talk in APPS.items():
    draw = random.Random(f"{name} 1")
    episodes = [talk(place, draw).episode for place in range(6)]
    learnt = learn(episodes, (), policy=policy)
    vault = Vault(None, b"a secret for tests only, 32 bytes")
    digest.update(learnt.to_bytes())
    for done in scrub(episodes, learnt=learnt, vault=vault, policy=policy):
        digest.update(repr((done.clean, done.notes, done.held)).encode())
print(digest.hexdigest(), fold.__file__.endswith(".py"), matcher.__file__.endswith(".py"))
"""


def said(*folders: Path) -> list[str]:
    """What a process says whose modules come from these folders first."""
    paths = os.pathsep.join(map(str, (*folders, ROOT)))
    done = subprocess.run(
        [sys.executable, "-P", "-c", SAYS],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_compiled_modules_write_the_same_bytes(tmp_path: Path) -> None:
    """Learnt values, clean episodes, notes and held leaves of the invented apps are equal byte by byte."""
    build(tmp_path, ["fold", "values/permutations", "apply/matcher"], level="0")
    plain, compiled = said(), said(tmp_path)
    assert plain[1:] == ["True", "True"]
    assert compiled[1:] == ["False", "False"]
    assert compiled[0] == plain[0]


def test_every_module_is_compiled_or_named() -> None:
    """A new module is compiled unless it is listed as one that stays as it is."""
    every = set(modules_of(ROOT / "redact"))
    assert {*MODULES} | INTERPRETED == every
    assert not {*MODULES} & INTERPRETED


@pytest.mark.parametrize("changed", ["before it is bound", "after it was bound"])
def test_a_copy_of_other_sources_refuses_to_redact(tmp_path: Path, changed: str) -> None:
    """Who changes a module, even while it is compiled, and forgets to compile again gets an error and not the old code."""
    sources, copy = tmp_path / "redact", tmp_path / "copy" / "redact"
    for folder in (sources, copy):
        shutil.copytree(ROOT / "redact", folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-P", "-c", "import redact.kinds; print(redact.kinds.__file__)"]
    env = {**os.environ, "PYTHONPATH": str(copy.parent)}
    if changed == "after it was bound":
        bind(copy, sources)
        done = subprocess.run(command, capture_output=True, check=True, env=env, text=True)
        assert done.stdout.strip() == str(copy / "kinds.py")
    with (sources / "lists" / "lexicon.toml").open("a") as file:
        file.write("# another line\n")
    if changed == "before it is bound":
        bind(copy, sources)
    refused = subprocess.run(command, capture_output=True, check=False, env=env, text=True)
    assert refused.returncode == 1
    assert "make compile" in refused.stderr
