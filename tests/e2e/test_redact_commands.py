"""`tracegym redact`: a person decides about withheld keys and reverses a surrogate, and both leave a trace."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dagster_project.arrival.files import take_in
from dagster_project.cli.data.redact import add_policy_lines
from dagster_project.cli.main import app
from dagster_project.home.layout import Home, open_home
from redact.errors import PolicyError
from redact.policy import load_policy
from tests.lending_desk import line, write

REMARKS = (
    "is afraid of the desk, since a fall",
    "came with her mother, twice",
    "pays late, be firm please",
    "likes tea, no sugar",
)

STRICT = 'unknown = "withhold"\n'
"""A policy that withholds a text of which nobody knows whom it speaks."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which a remark about each reader was withheld."""
    folder = tmp_path_factory.mktemp("redact")
    made = open_home(folder / "home", create=True)
    found = []
    for number, remark in enumerate(REMARKS):
        chat = line(number, good=True)
        for message in chat["messages"]:
            if message["role"] == "tool":
                result = json.loads(message["content"])
                message["content"] = json.dumps({**result, "bemerkung": remark})
        found.append(chat)
    take_in(made, [write(folder / "chats.jsonl", found)])
    made.redaction_policy.write_text(STRICT, encoding="utf-8")
    return made


def test_strict_build_review_and_build_again(home: Home) -> None:
    """What waits ends a strict build with 3; the reviewed key passes the next one."""
    runner, where = CliRunner(), ["--home", str(home.path)]
    first = runner.invoke(app, ["build", "--strict", *where])
    assert getattr(first.exception, "exit_code", None) == 3
    assert "tracegym redact review" in str(first.exception)
    home.redaction_policy.write_text(
        f"# signed by the officer\n{STRICT}[keys] # ours\n", encoding="utf-8"
    )

    listed = json.loads(runner.invoke(app, ["redact", "review", "--json", *where]).stdout)
    assert [one["key"].rpartition(".")[2] for one in listed["waiting"]] == ["bemerkung"] * len(
        listed["waiting"]
    )
    answers = "nonsense\n" + "text\n" * len(listed["waiting"])
    asked = runner.invoke(app, ["redact", "review", *where], input=answers)
    assert asked.exit_code == 0, asked.output
    assert "afraid" not in asked.output

    policy = home.redaction_policy.read_text(encoding="utf-8")
    assert policy.startswith(f"# signed by the officer\n{STRICT}[keys] # ours\n")
    assert set(load_policy(home.redaction_policy).keys.values()) == {"text"}
    assert runner.invoke(app, ["build", "--strict", *where]).exit_code == 0


def test_reveal_needs_a_reason_and_writes_it_down(home: Home) -> None:
    """A surrogate is reversed with the vault; the audit line holds no value and no surrogate."""
    from dagster_project.home.vault_key import vault_secret  # noqa: PLC0415 - beside it
    from dagster_project.privacy.gate import vault_of  # noqa: PLC0415 - after the module's home is made

    vault = vault_of(home, vault_secret(home, None))
    moved = vault.surrogate("lending", "full_name", "Wren Abara")
    vault.save()
    where = ["--app", "lending", "--kind", "full_name", "--home", str(home.path)]
    assert CliRunner().invoke(app, ["redact", "reveal", moved, *where]).exit_code == 2
    asked = ["redact", "reveal", moved, "--reason", "complaint 4411", *where]
    assert CliRunner().invoke(app, [*asked, "--as", "root"]).exit_code != 0 or os.getuid()
    told = CliRunner().invoke(app, [*asked, "--as", "Ada Berg"])
    assert told.stdout.strip() == "wren abara"
    audit = (home.private / "audit.jsonl").read_text(encoding="utf-8")
    assert "complaint 4411" in audit
    assert json.loads(audit.splitlines()[-1])["who"] == "Ada Berg"
    assert moved not in audit
    assert "abara" not in audit.lower()


def test_policy_lines_are_added_and_nothing_else_moves(tmp_path: Path) -> None:
    """Comments, order and other settings survive; a file that does not read is not touched."""
    path = tmp_path / "redaction.toml"
    path.write_text('k = 7 # agreed\n\n[keys]\n# ours\ndob = "birth_date"\n', encoding="utf-8")
    add_policy_lines(path, {"Get.Remark": "text"})
    assert path.read_text("utf-8") == (
        'k = 7 # agreed\n\n[keys]\n"get.remark" = "text"\n# ours\ndob = "birth_date"\n'
    )
    with pytest.raises(PolicyError):
        add_policy_lines(path, {"dob": "text"})
    assert 'dob = "birth_date"' in path.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [path]
    new = tmp_path / "new.toml"
    add_policy_lines(new, {"a": "public"})
    assert load_policy(new).keys == {"a": "public"}


def test_what_leaks_is_taken_out_and_the_review_names_the_key(tmp_path: Path) -> None:
    """A customer called Order May who may order: the episode passes without the word, and the key that taught it can be settled."""
    home = open_home(tmp_path / "home", create=True)
    people = (("order", "Order", "May"), ("x7y2", "Bob", "Poe"), ("u-11", "April", "June"))
    chats = []
    for number, (account, first, last) in enumerate(people):
        record = {"customer_id": account, "first_name": first, "last_name": last}
        call = {"name": "get_customer", "arguments": json.dumps({"customer_id": account})}
        chats.append({
            "app": "shop",
            "episode_id": f"e{number}",
            "user_id": f"u{number}",
            "messages": [
                {"role": "user", "content": f"{first} {last}, account {account}. May I order?"},
                {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": call}]},
                {"role": "tool", "tool_call_id": "1", "content": json.dumps(record)},
            ],
        })  # fmt: skip
    take_in(home, [write(tmp_path / "chats.jsonl", chats)])
    runner, where = CliRunner(), ["--home", str(home.path)]

    built = runner.invoke(app, ["build", "--strict", *where])
    reviewed = runner.invoke(app, ["redact", "review", *where])

    assert getattr(built.exception, "exit_code", None) == 3
    assert "1 value withheld at the gate" in str(built.exception)
    assert "get_customer." in reviewed.output
    assert '= "public"' in reviewed.output
