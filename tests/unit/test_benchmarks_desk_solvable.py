"""Which failed conversations of the example desk hold what their request needs."""

from __future__ import annotations

from benchmarks.testbeds.desk.conversations import hold_season
from benchmarks.testbeds.desk.solvable import holds_every_value


def test_a_conversation_holds_what_the_good_agent_is_told_or_it_does_not() -> None:
    """Whoever the good agent helped said everything; who was never asked for the means of payment did not say it."""
    shop = hold_season(variant=1, seed=41, conversations=90, attempts=1)
    held = {n: holds_every_value(shop, talk, n) for n, talk in enumerate(shop.talks)}
    good = [n for n, talk in enumerate(shop.talks) if talk.policy == "good" and talk.resolved]
    assert all(held[n] for n in good)
    assert good
    untold = [
        n
        for n, talk in enumerate(shop.talks)
        if talk.policy in {"claims_success", "loop"}
        and talk.request.kind.startswith(("exchange_", "return_everything", "return_to_"))
    ]
    assert untold
    assert not any(held[n] for n in untold)
