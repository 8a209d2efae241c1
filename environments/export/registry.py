"""Every format that is written from a task set folder, by name.

A format stands here once its own consumer has loaded what it writes, or a test proves it against the consumer's schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from environments.export.formats.dpo import DPO
from environments.export.formats.harbor import HARBOR
from environments.export.formats.huggingface import HUGGINGFACE
from environments.export.formats.nemo_gym import NEMO_GYM
from environments.export.formats.sft import SFT
from environments.export.formats.skyrl import SKYRL
from environments.export.formats.trl import TRL
from environments.export.formats.verl import VERL
from environments.export.package import Format

_PLAIN: Final = (
    Format(
        name="verifiers",
        consumer="verifiers",
        check="pip install DIR and vf-validate (see DIR/README.md)",
    ),
    Format(
        name="inspect",
        consumer="inspect_ai",
        check="pip install DIR and inspect eval NAME/replay --model openai-api/local/MODEL (see DIR/README.md)",
    ),
    Format(
        name="openenv",
        task_sets=("task_set",),
        consumer="openenv",
        check="openenv validate DIR --level static --skip-build",
    ),
)
"""Formats that are templates and the task set: their code is in the export, which imports the consumer where it is installed."""

FORMATS: Final[Mapping[str, Format]] = {
    one.name: one
    for one in (*(*_PLAIN, SFT, DPO, HUGGINGFACE, SKYRL, TRL, VERL, HARBOR, NEMO_GYM),)
}
