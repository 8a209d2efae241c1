"""One run of a task: messages in, tool results and the user's turns out."""

from .play import END, END_TOOL, TALK, TALK_TOOL, Play, actions_of, outward

__all__ = ["END", "END_TOOL", "TALK", "TALK_TOOL", "Play", "actions_of", "outward"]
