"""Keyed arithmetic: digests, and permutations of any finite domain without a fixed point.

In: a key and numbers. Out: numbers. Knows nothing of names, ids or text.

A surrogate must be injective and must not depend on the order of arrival; both follow when it is the image under a
keyed permutation. The permutation is a Feistel network over HMAC-grade rounds, cycle-walked into the domain; moving
one step along it (`inverse(forward(x) + step)`) is a permutation again and has no fixed point, so no value is ever
its own surrogate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from math import isqrt
from typing import Final

from redact.bounds import PARTS_REMEMBERED

ROUNDS: Final = 8


class KeyedDigest:
    """One key's digests and permutations."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(key, digest_size=64).digest()
        remembered = lru_cache(maxsize=PARTS_REMEMBERED)
        # Set here: properties that remember are worked out at each use where this is compiled.
        self.derive: Final[Callable[..., KeyedDigest]] = remembered(self._derived)
        """An independent key for one purpose, told by its parts."""
        self.move: Final[Callable[[int, int, str], int]] = remembered(self._image_of)
        """The image of a number under the tweak's permutation of [0, size); never the number itself."""
        self._step: Final[Callable[[int, str], int]] = remembered(self._length_of_step)
        """How far `move` goes along a permutation."""
        self._hasher: Final[Callable[[int], hashlib.blake2b]] = lru_cache(maxsize=None)(
            self._started
        )
        """The digest for one side, the key read and nothing else."""

    def digest(self, *parts: str, size: int = 32) -> bytes:
        """Return a keyed digest of the parts, unambiguous about where each part ends."""
        text = "\x1f".join(f"{len(part)}:{part}" for part in parts)
        return hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=size
        ).digest()

    def number(self, size: int, *parts: str) -> int:
        """Return a keyed number in [0, size)."""
        return int.from_bytes(self.digest(*parts, size=64), "big") % size

    def _derived(self, *parts: str) -> KeyedDigest:
        return KeyedDigest(self.digest("derive", *parts, size=64))

    def _image_of(self, number: int, size: int, tweak: str) -> int:
        if size < 2:
            return number
        forward = self._forward(number, size, tweak)
        return self._inverse((forward + self._step(size, tweak)) % size, size, tweak)

    def _length_of_step(self, size: int, tweak: str) -> int:
        return 1 + self.number(size - 1, "step", tweak)

    def _forward(self, number: int, size: int, tweak: str) -> int:
        side = isqrt(size - 1) + 1
        rest = f":{side}:{tweak}".encode()
        started = self._hasher(side)
        while True:
            left, right = divmod(number, side)
            for turn in range(ROUNDS):
                left, right = right, (left + _round(started, turn, right, rest)) % side
            number = left * side + right
            if number < size:
                return number

    def _inverse(self, number: int, size: int, tweak: str) -> int:
        side = isqrt(size - 1) + 1
        rest = f":{side}:{tweak}".encode()
        started = self._hasher(side)
        while True:
            left, right = divmod(number, side)
            for turn in reversed(range(ROUNDS)):
                left, right = (right - _round(started, turn, left, rest)) % side, left
            number = left * side + right
            if number < size:
                return number

    def _started(self, side: int) -> hashlib.blake2b:
        # 128 bits beyond any half that occurs keep the reduction's bias out of reach.
        size = min(64, (side.bit_length() + 7) // 8 + 16)
        return hashlib.blake2b(key=self._key, digest_size=size)


def _round(started: hashlib.blake2b, turn: int, half: int, rest: bytes) -> int:
    hashed = started.copy()
    hashed.update(b"%d:%d%b" % (turn, half, rest))
    return int.from_bytes(hashed.digest(), "big")
