"""Kinds of sessions: with recordings of tools that were not learnt, with wordings of an agent's own, with a model behind what is unknown."""
