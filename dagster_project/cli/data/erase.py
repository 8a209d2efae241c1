"""`tracegym erase` and `tracegym withdrawn`: what a home keeps of somebody is removed, and task sets that left it are told apart."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dagster_project.cli.options import HOME, HomeOption, JsonOption, WhoOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError, ProjectError
from dagster_project.home.layout import open_home
from dagster_project.home.vault_key import vault_secret
from dagster_project.privacy.audit import person

if TYPE_CHECKING:
    from dagster_project.erasure.erase import Erasure


def erase(  # noqa: PLR0913, PLR0917 - one parameter per option
    users: Annotated[
        list[str] | None,
        typer.Option("--user", metavar="ID", help="A user as telemetry names it; repeatable."),
    ] = None,
    episodes: Annotated[
        list[str] | None,
        typer.Option(
            "--episode", metavar="ID", help="A conversation's id, or an episode's; repeatable."
        ),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option("--users-from", metavar="FILE", help="Users too: one id a line."),
    ] = None,
    home: HomeOption = HOME,
    who: WhoOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove all that a home keeps of users or episodes, raw and past the gate, and search every byte for them.

    Example: tracegym erase --user u-4417 --home H --as "Ada Berg" && tracegym build --home H
    """
    given = frozenset(users or ()) | _lines(listed)
    if not given and not episodes:
        raise typer.BadParameter("pass --user, --users-from or --episode")
    opened = open_home(home)
    name = person(who, sudo_user=read_settings().sudo_user)
    # dagster, presidio's caller, pyarrow: 3 s
    from dagster_project.erasure.erase import erase as run_erase  # noqa: PLC0415
    from dagster_project.erasure.who import ErasureRequest  # noqa: PLC0415

    with notices().status("erasing"):
        done = run_erase(
            opened,
            ErasureRequest(users=given, episodes=frozenset(episodes or ())),
            secret=vault_secret(opened, read_settings().secret),
            who=name,
        )
    if done is None:
        raise InputError(f"{home} holds no such user or episode; nothing was erased")
    if as_json:
        print_json(_document(done))
    else:
        _print(done, home)
    if done.searched.hits:
        raise StillThereError(
            f"something is still in {len(done.searched.hits)} files of {home}: {', '.join(sorted(done.searched.hits)[:3])}"
        )


class StillThereError(ProjectError):
    """The search found what should be gone."""


def _lines(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(
            f"{path} cannot be read; it has to be a text with one id a line"
        ) from fault
    return frozenset(line.strip() for line in text.splitlines() if line.strip())


def _document(done: "Erasure") -> dict[str, Any]:
    return {
        "episodes": done.episodes,
        "rows": dict(sorted(done.rows.items())),
        "bodies": done.bodies,
        "vault_entries": done.vault_entries,
        "files": done.files,
        "shared_values": done.shared_values,
        "withdrawn": {one.app: list(one.tasks) for one in done.withdrawn},
        "searched": {
            "files": done.searched.files,
            "bytes": done.searched.bytes,
            "hits": dict(sorted(done.searched.hits.items())),
        },
    }


def _print(done: "Erasure", home: Path) -> None:
    pairs = {
        "episodes": done.episodes,
        "rows": sum(done.rows.values()),
        "bodies of the log": done.bodies,
        "entries of the vault": done.vault_entries,
        "old files of tables": done.files,
        "searched": f"{done.searched.files} files, {done.searched.bytes:,} bytes: {sum(done.searched.hits.values())} hits",
    }
    print_pairs("erased", pairs)
    if done.shared_values:
        notices().print(
            f"{done.shared_values} values of theirs stand in other people's conversations as well, and stay there"
        )
    tasks = [(one.app, task) for one in done.withdrawn for task in one.tasks]
    if tasks:
        print_table("to withdraw from task sets that were exported before", ("app", "task"), tasks)
    if done.withdrawn:
        notices().print(
            f"look at each with: tracegym withdrawn TASKSET --home {quote(str(home))}; then: tracegym build --home {quote(str(home))}"
        )


def withdrawn(
    task_set: Annotated[Path, typer.Argument(metavar="TASKSET", help="A task set's folder.")],
    home: HomeOption = HOME,
    as_json: JsonOption = False,
) -> None:
    """Say which tasks of a task set must be withdrawn, because what they are made of was erased; exit code 1 if any.

    Example: tracegym withdrawn my_tasks --home H
    """
    from dagster_project.erasure.withdrawn import withdrawn_in  # noqa: PLC0415 - beside what is slow

    found = withdrawn_in(open_home(home), task_set)
    rows = [(one.task_id, one.why) for one in found]
    if as_json:
        print_json({"withdrawn": [{"task": task, "why": why} for task, why in rows]})
    elif rows:
        print_table(f"to withdraw from {task_set}", ("task", "why"), rows)
    else:
        notices().print("nothing of it was erased")
    if rows:
        raise InputError(
            f"{len(rows)} tasks of {task_set} must be withdrawn: delete the folder and export it again"
        )
