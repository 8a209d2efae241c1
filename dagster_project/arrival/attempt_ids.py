"""Attempts at one task from several files, each kept: an id that only names the task is given to one of them alone.

Comes in: chats on their way into the lake. Goes out: the same chats; one whose id is taken by a conversation in which something
else was said has its own. A file that is read again finds its conversations under the ids they have.
"""

from collections.abc import Sequence

from dagster_project.lake.rows import from_rows, texts
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS
from ingest.files.attempts import digest_of, told_apart
from ingest.files.chat_log import Chat
from ingest.records.episode import Episode


def assign_ids(lake: Lake, chats: Sequence[Chat]) -> list[Chat]:
    """Chats with an id each."""
    sharing = [chat for chat in chats if chat.shares_id]
    if not sharing:
        return list(chats)
    taken: dict[str, set[str]] = {}
    for app in sorted({chat.episode.app for chat in sharing}):
        wanted = {chat.episode.episode_id for chat in sharing if chat.episode.app == app}
        taken |= _taken_ids(lake, app, wanted)
    found: list[Chat] = []
    for chat in chats:
        if chat.shares_id:
            said = digest_of(chat.episode.steps)
            known = taken.setdefault(chat.episode.episode_id, {said})
            found.append(chat if said in known else told_apart(chat))
        else:
            found.append(chat)
    return found


def _taken_ids(lake: Lake, app: str, wanted: set[str]) -> dict[str, set[str]]:
    """What was said in the conversations that have these ids already."""
    seen = lake.read(CHATS, app=app, columns=("episode_id", "day"))
    names = zip(texts(seen, "episode_id"), texts(seen, "day"), strict=True)
    days = {day for name, day in names if name in wanted}
    taken: dict[str, set[str]] = {}
    for batch in lake.read(CHATS, app=app, days=days).to_batches(max_chunksize=256) if days else ():
        rows = [row for row in batch.to_pylist() if row["episode_id"] in wanted]
        for episode in from_rows(Episode, rows):
            taken.setdefault(episode.episode_id, set()).add(digest_of(episode.steps))
    return taken
