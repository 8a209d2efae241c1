"""Rollouts of policies, kept in the lake, and why some have no reward."""
