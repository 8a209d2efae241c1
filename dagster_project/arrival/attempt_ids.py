"""Attempts at one task from several files, each kept: an id that only names the task is given to one of them alone.

Comes in: chats on their way into the lake. Goes out: the same chats; one whose id is taken by a conversation in which something
else was said has its own. A file that is read again finds its conversations under the ids they have.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from dagster_project.lake.rows import from_rows, texts
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS
from ingest.files.chat_log import Chat
from ingest.files.chat_outcome import outcome_id_of
from ingest.records.episode import Episode, Step, episode_id_of
from ingest.records.text import canonical

Said = tuple[str, str | None]
"""A digest of what was said, and the model that said it."""


def assign_ids(lake: Lake, chats: Sequence[Chat]) -> list[Chat]:
    """Chats with an id each."""
    sharing = [chat for chat in chats if chat.shares_id]
    if not sharing:
        return list(chats)
    taken: dict[str, set[Said]] = {}
    for app in sorted({chat.episode.app for chat in sharing}):
        wanted = {chat.episode.episode_id for chat in sharing if chat.episode.app == app}
        taken |= _taken_ids(lake, app, wanted)
    found: list[Chat] = []
    for chat in chats:
        if chat.shares_id:
            said = digest_of(chat.episode.steps), _without_marks(chat.episode.model)
            known = taken.setdefault(chat.episode.episode_id, {said})
            models = {model for one, model in known if said[0] == one}
            # A file that does not name the model tells of whichever said the same.
            one_model = len({*models, said[1]} - {None}) < 2 and None in {said[1], *models}
            is_known = said in known or (bool(models) and one_model)
            known |= {said} if is_known else set()
            found.append(chat if is_known else told_apart(chat, by_model=bool(models)))
        else:
            found.append(chat)
    return found


def _taken_ids(lake: Lake, app: str, wanted: set[str]) -> dict[str, set[Said]]:
    """What was said, and by which model, in the conversations that have these ids already."""
    seen = lake.read(CHATS, app=app, columns=("episode_id", "day"))
    names = zip(texts(seen, "episode_id"), texts(seen, "day"), strict=True)
    days = {day for name, day in names if name in wanted}
    taken: dict[str, set[Said]] = {}
    for batch in lake.read(CHATS, app=app, days=days).to_batches(max_chunksize=256) if days else ():
        rows = [row for row in batch.to_pylist() if row["episode_id"] in wanted]
        for episode in from_rows(Episode, rows):
            known = taken.setdefault(episode.episode_id, set())
            known.add((digest_of(episode.steps), _without_marks(episode.model)))
            # The only question, which stands first, may be what another file told.
            if [n for n, step in enumerate(episode.steps) if step.role == "user"] == [0]:
                known.add((digest_of(episode.steps[1:]), _without_marks(episode.model)))
    return taken


def _without_marks(model: str | None) -> str | None:
    """A model's name without its marks: a folder that is called by it has others."""
    return model and "".join(filter(str.isalnum, model)).lower()


_DIGITS = 8


def digest_of(steps: Sequence[Step]) -> str:
    """A short text that is equal for conversations in which the same was said and called."""
    told = [
        [step.role, step.content, [[call.name, call.arguments] for call in step.tool_calls]]
        for step in steps
    ]
    return _short_hash(canonical(told))


def _short_hash(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def told_apart(chat: Chat, *, by_model: bool) -> Chat:
    """The chat under an id of its own, made of the task's and of what was said, `by_model` where another model said the same."""
    episode = chat.episode
    said = digest_of(episode.steps)
    said = _short_hash(f"{said} {_without_marks(episode.model)}") if by_model else said
    name = f"{episode.conversation_id}/{said}"
    identity = episode_id_of(episode.app, name)
    outcomes = tuple(
        replace(
            outcome,
            episode_id=identity,
            target_id=identity,
            outcome_id=outcome_id_of(
                outcome.app,
                "episode",
                identity,
                outcome.name,
                outcome.by,
                outcome.author,
                "chat_log",
            ),
        )
        if outcome.target_id == episode.episode_id
        else outcome
        for outcome in chat.outcomes
    )
    renamed = replace(episode, conversation_id=name, episode_id=identity)
    return replace(chat, episode=renamed, outcomes=outcomes)
