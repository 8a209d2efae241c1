"""How worlds are learnt and used: continuity and tool policies, as `worlds.toml` of a home says.

Comes in: the file. Goes out: `WorldSettings` per app. A file looks like this:

    [shop]
    continuity = "living"      # where a person knows; else it is inferred
    default = "derive"         # what the tools not named below may do
    reads = ["find", "get"]    # tools that change nothing, where the recordings cannot show it
    risk = 0.005               # the share of returned answers that may be wrong; 0 tells only what is certain
    [shop.tools]
    refund = "strict"          # recorded answers only
    search = "simulate"        # where nobody knows, a configured model may answer
    [shop.proposals]           # may propose behaviours that the search did not find; they must pass the same test
    model = "openai/NAME"      # as litellm names it; its key comes from the provider's own variable
    base_url = "http://..."    # for any endpoint that speaks OpenAI's chat completions
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from environments.runtime.answers.recall import MOST_RISK, RISK, is_risk
from environments.runtime.world.tool import DERIVE, POLICIES
from synth.llm import LlmSettings
from synth.worlds import WorldSettings

CONTINUITIES: Final = ("reset", "living")


class WorldSettingsError(ValueError):
    """`worlds.toml` cannot be used; the message says which line to change."""


def load_world_settings(path: Path | None, app: str, *, risk: float = RISK) -> WorldSettings:
    """An app's part of `worlds.toml`; the defaults without one, `risk` among them."""
    if path is None or not path.exists():
        return WorldSettings(risk=risk)
    part = _document(path).get(app, {})
    tools = part.get("tools", {}) if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(tools, dict):
        raise WorldSettingsError(f"{path.name}: [{app}] and [{app}.tools] must be tables")
    for name in part.keys() - {"continuity", "default", "reads", "risk", "tools", "proposals"}:
        raise WorldSettingsError(f"{path.name}: [{app}] has no setting {name!r}")
    continuity = _one_of(part.get("continuity"), CONTINUITIES, f"{path.name}: {app}.continuity")
    default = _one_of(part.get("default", DERIVE), POLICIES, f"{path.name}: {app}.default")
    policies = {
        name: _one_of(policy, POLICIES, f"{path.name}: {app}.tools.{name}") or DERIVE
        for name, policy in tools.items()
    }
    return WorldSettings(
        continuity=continuity,
        default=default or DERIVE,
        tools=policies,
        reads=_names(part.get("reads", []), f"{path.name}: {app}.reads"),
        risk=_risk(part.get("risk", risk), f"{path.name}: {app}.risk"),
        proposals=_proposals(part.get("proposals"), path, app),
    )


def apps_named(path: Path) -> frozenset[str]:
    """The apps that `worlds.toml` says something of."""
    return frozenset(_document(path)) if path.exists() else frozenset()


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise WorldSettingsError(f"{path} is not TOML: {fault}") from fault


def _proposals(part: object, path: Path, app: str) -> LlmSettings | None:
    """The model that may propose behaviours; its replies are kept beside the file, so that a build is repeated without it."""
    if part is None:
        return None
    where = f"{path.name}: [{app}.proposals]"
    if not isinstance(part, dict) or not all(isinstance(v, str) for v in part.values()):
        raise WorldSettingsError(f"{where} must be a table of texts")
    for name in part.keys() - {"model", "base_url"}:
        raise WorldSettingsError(f"{where} has no setting {name!r}")
    if not part.get("model"):
        raise WorldSettingsError(f'{where} needs model = "NAME"')
    base_url = part.get("base_url")
    return LlmSettings(
        model=part["model"],
        base_url=base_url,
        # An endpoint of one's own asks for no key, but litellm does.
        api_key=None if base_url is None else "none",
        cache=path.with_name("world_proposals"),
    )


def _risk(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_risk(value):
        raise WorldSettingsError(f"{where} must be a share from 0 to {MOST_RISK} (0.005 is 0.5 %)")
    return float(value)


def _names(value: object, where: str) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise WorldSettingsError(f"{where} must be a list of tool names")
    return frozenset(value)


def _one_of(value: Any, allowed: tuple[str, ...], where: str) -> str | None:  # noqa: ANN401 - TOML
    if value is not None and value not in allowed:
        raise WorldSettingsError(f"{where} must be one of: {', '.join(allowed)}")
    return value if isinstance(value, str) else None
