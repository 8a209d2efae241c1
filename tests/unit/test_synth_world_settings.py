"""`worlds.toml`: continuity and tool policies per app, with a clear word where something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.world_settings import WorldSettingsError, load_world_settings
from synth.worlds import WorldSettings


def test_an_apps_part_is_read_and_others_keep_the_defaults(tmp_path: Path) -> None:
    """Named tools have their policy, the rest the default."""
    path = tmp_path / "worlds.toml"
    path.write_text(
        '[shop]\ncontinuity = "living"\ndefault = "strict"\nreads = ["find"]\n'
        '[shop.tools]\nfind = "derive"\n'
    )
    settings = load_world_settings(path, "shop")
    assert settings.continuity == "living"
    assert settings.reads == {"find"}
    assert (settings.policy_of("find"), settings.policy_of("pay")) == ("derive", "strict")
    assert load_world_settings(path, "other") == WorldSettings()
    assert load_world_settings(tmp_path / "none.toml", "shop") == WorldSettings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[shop", "not TOML"),
        ("shop = 3", "must be tables"),
        ('[shop]\ndefualt = "strict"', "no setting"),
        ('[shop.tools]\npay = "guess"', "shop.tools.pay must be one of"),
        ("[shop]\ncontinuity = 3", "shop.continuity must be one of"),
        ('[shop]\nreads = "find"', "shop.reads must be a list of tool names"),
        ("[shop]\nreads = [3]", "shop.reads must be a list of tool names"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    """The message names the line to change."""
    path = tmp_path / "worlds.toml"
    path.write_text(text)
    with pytest.raises(WorldSettingsError, match=said):
        load_world_settings(path, "shop")
