"""Every format that is written from a task set folder, by name.

A format stands here once its own consumer has loaded what it writes, or a test proves it against the consumer's schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from environments.export.formats.dpo import DPO
from environments.export.formats.harbor import HARBOR
from environments.export.formats.huggingface import HUGGINGFACE
from environments.export.formats.inspect import INSPECT
from environments.export.formats.nemo_gym import NEMO_GYM
from environments.export.formats.openenv import OPENENV
from environments.export.formats.sft import SFT
from environments.export.formats.skyrl import SKYRL
from environments.export.formats.trl import TRL
from environments.export.formats.verifiers import VERIFIERS
from environments.export.formats.verl import VERL
from environments.export.package import Format

FORMATS: Final[Mapping[str, Format]] = {
    one.name: one
    for one in (
        *(VERIFIERS, SFT, DPO, HUGGINGFACE, SKYRL, INSPECT, OPENENV, TRL, VERL, HARBOR, NEMO_GYM),
    )
}
