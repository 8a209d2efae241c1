"""Every format that is written from a task set folder, by name: who writes it, and how a person checks the result.

A format stands here once its own consumer has loaded what it writes, or a test proves it against the consumer's schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from environments.export.formats.dpo import write_dpo
from environments.export.formats.harbor import write_harbor
from environments.export.formats.huggingface import write_huggingface
from environments.export.formats.inspect import write_inspect
from environments.export.formats.nemo_gym import write_nemo_gym
from environments.export.formats.openenv import write_openenv
from environments.export.formats.sft import write_sft
from environments.export.formats.skyrl import write_skyrl
from environments.export.formats.trl import write_trl
from environments.export.formats.verifiers import write_verifiers
from environments.export.formats.verl import write_verl
from environments.runtime.task.manifest import TaskSetManifest


class Writer(Protocol):
    """Writes one export from a task set folder."""

    def __call__(self, task_set: Path, dest: Path, *, name: str = "") -> TaskSetManifest:
        """Write it; `name` is the package's name, made from the task set's name if left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One export."""

    write: Writer
    check: str
    """A command line that shows it loads; `DIR` stands for the folder."""


FORMATS: Final[Mapping[str, Format]] = {
    "verifiers": Format(
        write=write_verifiers, check="pip install DIR and vf-validate (see DIR/README.md)"
    ),
    "sft": Format(
        write=write_sft,
        check="python -c \"import datasets; print(datasets.load_dataset('json', data_files='DIR/train.jsonl'))\"",
    ),
    "dpo": Format(
        write=write_dpo,
        check="python -c \"import datasets; print(datasets.load_dataset('json', data_files='DIR/train.jsonl'))\"",
    ),
    "huggingface": Format(
        write=write_huggingface,
        check="python -c \"import datasets; print(datasets.load_dataset('DIR'))\"",
    ),
    "skyrl": Format(write=write_skyrl, check="pip install DIR (see DIR/README.md)"),
    "inspect": Format(
        write=write_inspect,
        check="pip install DIR and inspect eval NAME/replay --model openai-api/local/MODEL (see DIR/README.md)",
    ),
    "openenv": Format(
        write=write_openenv, check="openenv validate DIR --level static --skip-build"
    ),
    "trl": Format(write=write_trl, check="pip install DIR (see DIR/README.md)"),
    "verl": Format(write=write_verl, check="pip install DIR (see DIR/README.md)"),
    "harbor": Format(write=write_harbor, check="harbor lint DIR/TASK (see DIR/README.md)"),
    "nemo-gym": Format(write=write_nemo_gym, check="gym env validate (see DIR/README.md)"),
}
