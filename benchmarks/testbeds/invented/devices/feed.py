"""A message feed: created ids, append-only lists, random tokens and the time in results, silent followers."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, ToolError, refuse

USERS = {"USR001": "Alice", "USR002": "Bob", "USR003": "Chen", "USR004": "Dana"}
CLOCK = random.Random(7)  # noqa: S311 - a clock and tokens that nobody can foresee


class Feed(Backend):
    """One person's feed; every session starts with the same posts, no two sessions with the same time."""

    def __init__(self) -> None:
        self._now = 1_700_000_000 + CLOCK.randrange(10**7)
        self._posts: list[dict[str, Any]] = [
            {"id": 0, "username": "bob", "content": "First!", "tags": ["#hello"], "likes": 3},
            {"id": 1, "username": "chen", "content": "Lunch?", "tags": [], "likes": 0},
        ]
        self._comments: dict[int, list[str]] = {0: ["nice"], 1: []}
        self._following = ["bob", "chen"]
        self._inbox: dict[str, list[str]] = {"USR002": ["See you at noon"], "USR003": []}

    def get_user_id(self, user: str) -> dict[str, Any]:
        """The id of a name."""
        for number, name in USERS.items():
            if name == user:
                return {"user_id": number}
        raise ToolError(f"User '{user}' not found in the workspace.")

    def post_tweet(self, content: str, tags: list[str] | None = None) -> dict[str, Any]:
        """A new post."""
        post = {
            "id": len(self._posts),
            "username": "me",
            "content": content,
            "tags": tags or [],
            "likes": 0,
        }
        self._posts.append(post)
        self._comments[len(self._posts) - 1] = []
        return post

    def get_tweet(self, tweet_id: int) -> dict[str, Any]:
        """One post."""
        refuse(not 0 <= tweet_id < len(self._posts), f"Tweet with ID {tweet_id} not found.")
        return self._posts[tweet_id]

    def like(self, tweet_id: int) -> str:
        """Count one up."""
        refuse(not 0 <= tweet_id < len(self._posts), f"Tweet with ID {tweet_id} not found.")
        self._posts[tweet_id]["likes"] += 1
        return "ok"

    def comment(self, tweet_id: int, text: str) -> dict[str, Any]:
        """Say something."""
        self._comments[tweet_id].append(text)
        return {"comment_status": "Comment added successfully"}

    def get_comments(self, tweet_id: int) -> list[str]:
        """What was said."""
        return self._comments[tweet_id]

    def follow_user(self, username: str) -> bool:
        """False where it was so before."""
        if username in self._following:
            return False
        self._following.append(username)
        return True

    def list_following(self) -> list[str]:
        """Whom I follow."""
        return self._following

    def send_message(self, receiver_id: str, message: str) -> dict[str, Any]:
        """With an id that nobody can foresee, and the time."""
        refuse(receiver_id not in USERS, f"Receiver {receiver_id} not found.")
        self._now += CLOCK.randrange(1, 90)
        self._inbox.setdefault(receiver_id, []).append(message)
        return {"message_id": f"{CLOCK.getrandbits(48):012x}", "sent_at": self._now, "sent": True}

    def view_messages(self, receiver_id: str) -> list[str]:
        """The log with one person."""
        return self._inbox.get(receiver_id, [])

    def server_time(self) -> str:
        """Never the same."""
        self._now += CLOCK.randrange(1, 90)
        return f"It is {self._now} seconds."

    def stats(self) -> dict[str, int]:
        """Counts over everything."""
        return {"tweets": len(self._posts), "following": len(self._following)}


def _script(rng: random.Random) -> list[Step]:
    number = rng.choice(sorted(USERS))
    text = rng.choice(["Good morning", "Off to the sea", "Any news?"])
    which = rng.choice([0, 1])
    goals: list[list[Step]] = [
        [("post_tweet", {"content": text, "tags": ["#day"]}), ("get_tweet", {"tweet_id": 2})],
        [
            ("get_tweet", {"tweet_id": which}),
            ("like", {"tweet_id": which}),
            ("get_tweet", {"tweet_id": which}),
        ],
        [("comment", {"tweet_id": which, "text": text}), ("get_comments", {"tweet_id": which})],
        [("post_tweet", {"content": text}), ("comment", {"tweet_id": 2, "text": "self"})],
        [
            ("list_following", {}),
            ("follow_user", {"username": rng.choice(["bob", "dana", "eve"])}),
            ("list_following", {}),
        ],
        [
            ("get_user_id", {"user": USERS[number]}),
            ("send_message", {"receiver_id": number, "message": text}),
            ("view_messages", {"receiver_id": number}),
        ],
        [("server_time", {}), ("stats", {})],
        [("follow_user", {"username": "eve"}), ("stats", {})],
        [("get_comments", {"tweet_id": which}), ("view_messages", {"receiver_id": number})],
    ]
    return rng.choice(goals) + rng.choice(goals)


FEED = Style(name="feed", make=Feed, script=_script)
