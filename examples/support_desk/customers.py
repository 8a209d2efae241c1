"""The scripted customer: speaks in a style, answers what is asked, confirms, changes their mind, loses patience.

Understands an agent by the questions in its text, so that any agent will do, a model included.
"""

import random
import re
from dataclasses import dataclass, field
from typing import Final

from examples.support_desk.request import Request, Wish

STYLES: Final = ("plain", "plain", "chatty", "lower", "formal", "angry", "typos")
TYPOS: Final = {
    "please": "plaese", "would": "woudl", "with": "wiht", "because": "becuase", "the": "teh",
    "thanks": "thnaks", "number": "nubmer", "about": "abuot", "there": "tehre", "just": "jsut",
}  # fmt: skip
QUESTIONS: Final = (
    ("email", re.compile(r"e-?mail", re.IGNORECASE)),
    ("name", re.compile(r"\bname\b|\bspell", re.IGNORECASE)),
    ("order", re.compile(r"order (number|id|no\b)|which order", re.IGNORECASE)),
    ("item", re.compile(r"which (item|product|article)s?", re.IGNORECASE)),
    ("option", re.compile(r"which (version|option|colou?r|size)|like instead", re.IGNORECASE)),
    ("reason", re.compile(r"\breason|\bwhy\b|what is wrong|what happened", re.IGNORECASE)),
    (
        "payment",
        re.compile(r"payment|where should the (money|refund)|pay the difference", re.IGNORECASE),
    ),
    ("address", re.compile(r"(?<!mail )address", re.IGNORECASE)),
)
_CONFIRM: Final = re.compile(
    r"yes/no|\(yes|shall i|should i|go ahead|proceed\b|do you (confirm|agree)|would you like me to"
    r"|is (that|this|everything) (right|correct|ok)",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"anything else|something else|any other|further help", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"\b(cannot|can't|can not|unable|not possible|not eligible|not allowed|won't be able)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r",[^,]+,[^,]+,")
"""What people type with care: case in an address is part of it."""
PATIENCE: Final = 2
"""How many turns without a question or a result a customer puts up with."""
MAX_TURNS: Final = 16


@dataclass(slots=True, kw_only=True)
class Turn:
    """What the customer says next."""

    text: str
    consents: bool = False
    """It is the explicit yes to what was read back to them."""
    ends: bool = False


@dataclass(slots=True, kw_only=True)
class Customer:
    """One customer in one conversation."""

    request: Request
    rng: random.Random
    order_pattern: str
    style: str = "plain"
    knows_email: bool = True
    introduces: bool = False
    """Says who they are before being asked."""
    misspells: bool = False
    """Gets their own name wrong the first time they type it."""
    _wish: int = 0
    _asked: dict[str, int] = field(default_factory=dict)
    _revised: set[int] = field(default_factory=set)
    _idle: int = 0
    _turns: int = 0
    _refusal_argued: bool = False

    def open(self) -> Turn:
        """The first thing they say."""
        text = self._wishes().opening
        if self.introduces:
            text = f"{text} {self._email() if self.knows_email else self._name()}"
        greeting = {
            "chatty": "Hi there! I hope you are having a good day.",
            "formal": "Dear support team,",
            "angry": "This is the second time I have to contact you!",
        }.get(self.style, "")
        return Turn(text=self._styled(f"{greeting} {text}".strip()))

    def reply(self, agent: str) -> Turn:
        """What they answer to the agent's text."""
        self._turns += 1
        if self._turns > MAX_TURNS:
            return self._leave()
        questions = _questions(agent)
        if _CONFIRM.search(questions) and not _MORE.search(questions):
            return self._confirm(agent)
        asked = [slot for slot, pattern in QUESTIONS if pattern.search(questions)]
        if "email" in asked and not self.knows_email:
            asked = ["name"]
        if "email" in asked and "name" in asked:
            asked.remove("name")
        if asked and not _MORE.search(questions):
            return self._answer(asked)
        if _MORE.search(questions):
            return self._next(agent)
        return self._wait(agent)

    def _confirm(self, agent: str) -> Turn:
        wish, said = self._wishes(), re.findall(self.order_pattern, agent)
        self._idle = 0
        if said and wish.order_ids and not set(said) & set(wish.order_ids):
            return self._say(f"No, not that one. I mean {wish.order_ids[0]}.")
        if wish.revision and self._wish not in self._revised:
            self._revised.add(self._wish)
            return self._say(wish.revision.text)
        yes = self.rng.choice(("Yes, please.", "Yes, go ahead.", "Yes.", "Yes, that's right."))
        return Turn(text=self._styled(yes), consents=True)

    def _answer(self, asked: list[str]) -> Turn:
        answers = [self._answer_one(slot) for slot in asked]
        self._idle = 0
        if any(self._asked[slot] > 4 for slot in asked):
            return self._leave()
        return self._say(" ".join(dict.fromkeys(answers)))

    def _answer_one(self, slot: str) -> str:
        times = self._asked[slot] = self._asked.get(slot, 0) + 1
        if slot == "email":
            return self._email()
        if slot == "name":
            return self._name()
        wish = self._wishes()
        known = dict(wish.answers)
        if wish.revision and self._wish in self._revised:
            known |= wish.revision.answers
        answers = known.get(slot, ("I don't know that.",))
        return answers[min(times, len(answers)) - 1]

    def _next(self, agent: str) -> Turn:
        wish = self._wishes()
        if wish.refused_reply and not self._refusal_argued and _DENIED.search(agent):
            self._refusal_argued = True
            return self._say(wish.refused_reply)
        if self._wish + 1 < len(self.request.wishes):
            self._wish += 1
            self._asked = {k: v for k, v in self._asked.items() if k in {"email", "name"}}
            self._idle = 0
            return self._say(f"Yes, one more thing. {self._wishes().opening}")
        thanks = self.rng.choice(("No, that's all. Thanks!", "No, thank you. Bye.", "That's it."))
        return Turn(text=self._styled(thanks), ends=True)

    def _wait(self, agent: str) -> Turn:
        self._idle += 1
        if re.search(r"transferr|hand(ing|ed)? .*over|human|colleague", agent, re.IGNORECASE):
            return Turn(text=self._styled("Okay, thank you. Bye."), ends=True)
        if re.search(r"good-?bye|have a (nice|good|great) day", agent, re.IGNORECASE):
            return Turn(text=self._styled("Okay. Bye."), ends=True)
        if self._idle >= PATIENCE:
            return self._leave()
        return self._say("Okay, so is that done now?")

    def _leave(self) -> Turn:
        return Turn(text=self._styled("This is going nowhere, I give up. Bye."), ends=True)

    def _wishes(self) -> Wish:
        return self.request.wishes[self._wish]

    def _email(self) -> str:
        return f"My e-mail is {self.request.identity['email']}."

    def _name(self) -> str:
        first, last = self.request.identity["first_name"], self.request.identity["last_name"]
        tries = self._asked.get("spelling", 0)
        self._asked["spelling"] = tries + 1
        if self.misspells and tries == 0:
            last = _misspelt(last)
        return f"My name is {first} {last}, postcode {self.request.identity['postcode']}."

    def _say(self, text: str) -> Turn:
        return Turn(text=self._styled(text))

    def _styled(self, text: str) -> str:
        if self.style == "lower" and not _ADDRESS.search(text):
            return " ".join(_lowered(word) for word in text.split(" "))
        if self.style == "typos":
            return " ".join(
                TYPOS.get(word, word) if self.rng.random() < 0.5 else word
                for word in text.split(" ")
            )
        if self.style == "angry" and text.endswith("."):
            return f"{text[:-1]}!!"
        return text


def make_customer(request: Request, rng: random.Random, *, order_pattern: str) -> Customer:
    """A customer with a way of speaking, for one conversation."""
    return Customer(
        request=request,
        rng=rng,
        order_pattern=order_pattern,
        style=rng.choice(STYLES),
        knows_email=rng.random() < 0.65,
        introduces=rng.random() < 0.4,
        misspells=rng.random() < 0.25,
    )


def is_denial(text: str) -> bool:
    """Whether a text says that something cannot be done."""
    return _DENIED.search(text) is not None


def _questions(text: str) -> str:
    sentences = re.split(r"(?<=[.!?\n])\s+", text)
    asking = re.compile(r"\?|^(please|could|can|may|kindly)\b|\(yes/no\)", re.IGNORECASE)
    kept = " ".join(sentence for sentence in sentences if asking.search(sentence))
    return re.sub(r"e-?mail address", "e-mail", kept, flags=re.IGNORECASE)


def _lowered(word: str) -> str:
    """Lower case where case carries nothing: ids, addresses and names in capitals keep theirs."""
    return word.lower() if (word.isalpha() and word[1:].islower()) or word in {"I", "I'd"} else word


def _misspelt(name: str) -> str:
    middle = max(1, len(name) // 2)
    return name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]
