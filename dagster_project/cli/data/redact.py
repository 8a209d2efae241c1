"""`tracegym redact`: decide about keys nobody could judge, and reverse a surrogate with the vault."""

import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dagster_project.cli.apps import asked_apps, stored_name
from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption, WhoOption
from dagster_project.cli.output import how_many, notices, print_json, print_table
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.locks import lock
from dagster_project.privacy.audit import note, person
from dagster_project.storage.whole_files import replacing

if TYPE_CHECKING:
    from dagster_project.privacy.account import AccountRow
    from redact.operators.vault import Vault

redact = typer.Typer(
    name="redact",
    help="Decide what the gate could not, and reverse a surrogate.\n\nExample: tracegym redact review --home H",
    no_args_is_help=True,
)
SKIP: Final = "skip"


@redact.command()
def review(home: HomeOption = HOME, app: AppOption = None, as_json: JsonOption = False) -> None:
    """Walk through the keys whose values were withheld or leaked, and add a policy line for each; those that free most come first.

    Answer with a kind (`full_name`, `opaque_id`, ...), `public`, `text`, or nothing to skip. Values are never shown.

    Example: tracegym redact review --home H
    """
    from dagster_project.lake.store import Lake  # noqa: PLC0415 - pyarrow: 0.6 s
    from dagster_project.privacy.account import account_in  # noqa: PLC0415 - as above
    from dagster_project.privacy.undecided_keys import waiting_keys  # noqa: PLC0415 - as above

    opened = open_home(home)
    lake = Lake(opened.clean / "lake")
    account = [row for one in asked_apps(opened, app, home) for row in account_in(lake, one)]
    waiting = waiting_keys(account)
    if as_json:
        print_json({"waiting": [asdict(one) for one in waiting]})
        return
    for line in _not_by_key(account):
        notices().print(line, soft_wrap=True)
    if not waiting:
        notices().print("nothing waits for a decision")
        return
    rows = [
        (one.key, one.conversations, one.leaves, one.why, _line(one.key, one.settled_as))
        for one in waiting
    ]
    head = ("key", "conversations", "values", "why", "a line that lets it pass")
    print_table("withheld, by key", head, rows)
    decided = _ask([one.key for one in waiting])
    if decided:
        add_policy_lines(opened.redaction_policy, decided)
        lines = "1 line" if len(decided) == 1 else f"{len(decided)} lines"
        notices().print(
            f"{lines} added to {opened.redaction_policy.name}; now: tracegym build --home {quote(str(home))}"
        )


def _not_by_key(rows: "list[AccountRow]") -> list[str]:
    """What the gate did not let pass for a reason that no key decides, one sentence each."""
    from dagster_project.privacy.account import WITHHELD  # noqa: PLC0415 - presidio's caller, pyarrow: 2 s
    from dagster_project.privacy.leak_search import IN_TEXT  # noqa: PLC0415 - as above
    from dagster_project.privacy.undecided_keys import is_leak  # noqa: PLC0415 - as above
    from redact.apply.withheld_leaves import NAMES_IN_PROSE  # noqa: PLC0415 - as above

    prose = sum(row.count for row in rows if row.what == WITHHELD and row.kind == NAMES_IN_PROSE)
    lost = sum(row.count for row in rows if is_leak(row) and row.place == IN_TEXT)
    told = []
    if lost:
        told.append(
            f"{how_many(lost, 'identifier')} that stand under no key were found by the leak check and taken out; "
            "nothing is to be decided"
        )
    if prose:
        told.append(
            f"{how_many(prose, 'message')} withheld, because a name stands in the text; "
            "`prose_names` in redaction.toml says what is done about such names"
        )
    return told


def _ask(keys: list[str]) -> dict[str, str]:
    from redact.kinds import KINDS, NOT_PERSONAL  # noqa: PLC0415 - beside what is slow

    kinds = {*KINDS, *NOT_PERSONAL} - {"withheld"}
    decided: dict[str, str] = {}
    for key in keys:
        answer = SKIP
        while answer not in kinds:
            answer = typer.prompt(f"what is {key}?", default=SKIP, err=True).strip()
            if answer == SKIP:
                break
            if answer not in kinds:
                notices().print(f"no kind {answer}; one of: {', '.join(sorted(kinds))}")
        if answer != SKIP:
            decided[key] = answer
    return decided


def add_policy_lines(path: Path, decided: dict[str, str]) -> None:
    """Add key lines to a policy file below its `[keys]` heading; every other line stays as it is."""
    from redact.policy import load_policy  # noqa: PLC0415 - beside what is slow

    load_policy(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    heading = next((n for n, line in enumerate(lines) if _is_heading(line)), None)
    if heading is None:
        lines += [*([""] if lines else []), "[keys]"]
        heading = len(lines) - 1
    lines[heading + 1 : heading + 1] = [_line(key, kind) for key, kind in sorted(decided.items())]
    with replacing(path) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        load_policy(beside)


def _is_heading(line: str) -> bool:
    return line.partition("#")[0].replace(" ", "").replace("\t", "") == "[keys]"


def _line(key: str, kind: str) -> str:
    return f"{json.dumps(key.lower(), ensure_ascii=False)} = {json.dumps(kind)}"


@redact.command()
def sample(
    home: HomeOption = HOME,
    app: AppOption = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="How many.")] = 10,
    seed: Annotated[
        int | None, typer.Option("--seed", help="The same ones again; else others each time.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print clean conversations drawn at random, to read before somebody signs for the data.

    Example: tracegym redact sample -n 20 --home H
    """
    from dagster_project.privacy.samples import conversation_text, draw  # noqa: PLC0415 - pyarrow, dagster: 2 s

    opened = open_home(home)
    drawn = draw(opened, asked_apps(opened, app, home), count, seed=seed)
    if not drawn:
        raise InputError(
            f"nothing has passed the gate yet: tracegym build --home {quote(str(home))}"
        )
    if as_json:
        print_json({"conversations": [asdict(one) for one in drawn]})
        return
    for one in drawn:
        typer.echo(conversation_text(one))
    notices().print(
        f"{len(drawn)} conversations; if they may be used: tracegym redact sign --as NAME --home {quote(str(home))}"
    )


@redact.command()
def sign(
    home: HomeOption = HOME,
    app: AppOption = None,
    who: WhoOption = None,
    note_: Annotated[
        str, typer.Option("--note", help="What was looked at, and any condition.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Sign for what stands past the gate: exports carry it until the policy or the data change.

    Example: tracegym redact sign --as "Ada Berg" --note "read 40 conversations" --home H
    """
    from dagster_project.privacy.signoff import sign as sign_for  # noqa: PLC0415 - dagster: 2 s

    opened = open_home(home)
    name = person(who, sudo_user=read_settings().sudo_user)
    given = sign_for(opened, asked_apps(opened, app, home), who=name, note=note_)
    note(opened, "redact sign", who=name, apps=[one.app for one in given])
    if as_json:
        print_json({"signed": [asdict(one) for one in given]})
        return
    rows = [(one.app, one.who, one.at, one.policy[:12], one.data[:12]) for one in given]
    print_table("signed", ("app", "who", "at", "policy", "data"), rows)


@redact.command()
def reveal(  # noqa: PLR0913, PLR0917 - one parameter per option
    surrogate: Annotated[str, typer.Argument(help="What stands past the gate.")],
    app: Annotated[str, typer.Option("--app", help="The app it stands in.", callback=stored_name)],
    kind: Annotated[str, typer.Option("--kind", help="What it replaced: full_name, email, ...")],
    reason: Annotated[str, typer.Option("--reason", help="Why; goes into the audit log.")],
    home: HomeOption = HOME,
    who: WhoOption = None,
) -> None:
    """Say which value a surrogate stands for; needs the vault's secret, and is written to the audit log.

    Example: tracegym redact reveal "Temo Vashil" --app shop --kind full_name --reason "complaint 4411" --home H
    """
    from redact.kinds import KINDS  # noqa: PLC0415 - beside what is slow

    opened = open_home(home)
    if kind not in KINDS:
        raise typer.BadParameter(f"choose from {', '.join(KINDS)}", param_hint="--kind")
    asked_apps(opened, app, home)
    name = person(who, sudo_user=read_settings().sudo_user)
    with lock(opened, "vault"):
        vault = _vault(opened)
        # Before it is answered; the surrogate by its digest only.
        mark = vault.key_of(app).digest("audit", surrogate, size=8).hex()
        note(opened, "redact reveal", who=name, app=app, kind=kind, reason=reason, surrogate=mark)
        value = vault.original(app, kind, surrogate)
    if value is None:
        raise InputError(f"the vault gave no such surrogate of kind {kind} in {app}")
    typer.echo(value)


def _vault(home: Home) -> "Vault":
    from dagster_project.home.vault_key import vault_secret  # noqa: PLC0415 - beside it
    from dagster_project.privacy.gate import vault_of  # noqa: PLC0415 - presidio's caller, pyarrow: 2 s

    return vault_of(home, vault_secret(home, read_settings().secret))
