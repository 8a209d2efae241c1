"""What people say went wrong: labels of failures as opinions, and which of them a model is shown as examples.

Comes in: the clean lake and an app. Goes out: opinions by episode, and the app's first labelled conversations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dagster_project.clean_records import clean_episodes_of, home_days
from dagster_project.lake.store import Lake
from dagster_project.review.review import Review
from dagster_project.review.store import reviews_of
from synth.failures.judging.opinion import PERSON, Opinion, of_people
from synth.failures.judging.question import LabelledExample

SIZES: Final = (2, 4, 8)
"""How many labels are shown as examples: so that not every new label makes all other conversations be asked about again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What people said of an app's failures."""

    opinions: Mapping[str, tuple[Opinion, ...]]
    """By episode, in order of the first label; one a person."""

    @property
    def examples(self) -> dict[str, Opinion]:
        """The first labels on which people agree, those that a model is shown."""
        agreed = [(key, one) for key, said in self.opinions.items() if (one := of_people(said))]
        size = max((size for size in SIZES if size <= len(agreed)), default=0)
        return dict(agreed[:size])


def labels_in(lake: Lake, app: str) -> Labels:
    """All labels of causes in an app."""
    by_episode = reviews_of(lake, app).causes
    found = {
        episode_id: [review for review in by_person.values() if review.value]
        for episode_id, by_person in by_episode.items()
    }
    order = sorted(key for key, reviews in found.items() if reviews)
    order.sort(key=lambda key: min(review.at for review in found[key]))
    return Labels(opinions={key: tuple(map(opinion_of, found[key])) for key in order})


def opinion_of(review: Review) -> Opinion:
    """A label as an opinion."""
    step, agent = review.content.get("step"), review.content.get("agent")
    return Opinion(
        by=PERSON,
        cause=review.value,
        step=step if isinstance(step, int) else None,
        agent=agent if isinstance(agent, str) else None,
    )


def shown_to_model(lake: Lake, app: str, labels: Labels) -> list[LabelledExample]:
    """The labelled conversations that a model is shown."""
    chosen = labels.examples
    if not chosen:
        return []
    days = home_days(lake, app)
    wanted = {days[key] for key in chosen if key in days}
    episodes = {one.episode_id: one for one in clean_episodes_of(lake, app, wanted)}
    return [
        LabelledExample(episode=episodes[key], opinion=opinion)
        for key, opinion in chosen.items()
        if key in episodes and not episodes[key].do_not_train
    ]
