"""`tracegym ingest --explain`: what files are and what is missing in them, on the terminal or as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_project.cli.output import how_many, print_json, print_pairs, print_table, print_text
from dagster_project.errors import InputError

if TYPE_CHECKING:
    from ingest.files.explain import FileExplanation
    from ingest.files.mapping import Layout

_KEYS = 60


def show_explained(paths: Sequence[Path], layout: "Layout | None", *, as_json: bool) -> None:
    """Explain files and folders; nothing is stored, and no home is needed."""
    from ingest.files.explain import explain, told_by_layout  # noqa: PLC0415 - pyarrow: 0.4 s

    told = [one for path in paths for one in explain(path, layout)]
    readable = any(one.is_readable for one in told)
    if as_json:
        print_json([asdict(one) for one in told])
    else:
        for one in told_by_layout(told):
            _show(one)
    if not readable:
        reasons = (reason for one in told for reason in one.reasons)
        why = next(reasons, "what is in it is not known" if told else "there is no file in it")
        raise InputError(f"nothing of {', '.join(map(str, paths))} can be read: {why}")


def _show(one: "FileExplanation") -> None:
    more = f" and {how_many(one.files - 1, 'more file')} like it" if one.files > 1 else ""
    print_text(f"{one.file}{more}: {one.format or 'in no format that tracegym knows'}", bold=True)
    if one.nearest is not None:
        near = one.nearest
        print_text(
            f"nearest: {near.title}; it has {', '.join(near.has)}, not {', '.join(near.lacks)}"
        )
    _show_read(one)
    if one.missing:
        print_text("Missing for tasks:", bold=True)
        for sentence in one.missing:
            print_text(f"  {sentence}")
    for path in one.unfound:
        print_text(f"the mapping's {path} found nothing in any record")
    if one.keys:
        rows = [(key.path, ", ".join(key.types), key.count) for key in one.keys[:_KEYS]]
        print_table("Keys", ("key", "type", "seen"), rows)
        if len(one.keys) > _KEYS:
            print_text(f"… and {how_many(len(one.keys) - _KEYS, 'more key')}; --json has all")
    if one.mapping is not None:
        print_text("A mapping to start from, for --map:", bold=True)
        print_text(one.mapping)


def _show_read(one: "FileExplanation") -> None:
    """What reading the file gives, and what it refuses."""
    if any(one.counts.values()):
        print_pairs("Read", {name: count for name, count in one.counts.items() if count})
    if one.outcomes:
        print_pairs("Outcomes by name", one.outcomes)
    if one.quarantined:
        total = how_many(sum(one.quarantined.values()), "record")
        print_text(f"{total} would go to quarantine:")
        for reason in one.reasons:
            print_text(f"  {reason}")
