"""Measures redaction on invented apps whose keys, values and habits no list was made for.

Usage: `python -m benchmarks.redaction_unseen [--episodes 1,4,40] [--seed 1]`. A German meter service, a members' club whose
tools answer in Japanese and French, and a ferry desk in Chinese and Spanish that was measured once before anything was mended for it: keys outside the lexicon, JSON inside strings, ids inside URLs, people named in the free
text of results only, a note per user, and names that no list holds beside common ones. Truth is what the generator put in: an
identifier counts as protected only if no mention of it is left anywhere in its episode.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.redaction import SECRET, stands_in, texts_of
from ingest.episode import Episode, Step, ToolCall
from redact.leaks import find_leaks
from redact.learn import learn
from redact.policy import Policy
from redact.scrub import scrub
from redact.vault import open_vault

START: Final = 1_770_000_000 * 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation with its truth."""

    episode: Episode
    direct: dict[str, str]
    """Kind to value: each identifies one person by itself."""
    third: tuple[str, ...] = ()
    """People whom only the free text of a result names; what is found of them is published, not promised."""


GERMAN_FIRST: Final = (
    "Jörg",
    "Annegret",
    "Tilman",
    "Käthe",
    "Ümit",
    "Swantje",
    "Ruprecht",
    "Ilka",
    "Wendelin",
    "Mehtap",
)
GERMAN_LAST: Final = (
    "Kessler",
    "Thoma-Reich",
    "Quadflieg",
    "Osterloh",
    "Y\u0131ld\u0131z",
    "Brüggenkamp",
    "Zwirner",
    "Vogelpohl",
)
STREETS: Final = ("Ahornallee", "Am Wehrgang", "Tannenbergstraße", "Kirchplatz", "Lindenweg")
TOWNS: Final = ("04109 Leipzig", "23552 Lübeck", "70173 Stuttgart", "99084 Erfurt")
FAMILY: Final = ("佐藤", "高橋", "渡辺", "小林", "中村", "山口", "松本", "斎藤", "井上", "木村")
GIVEN: Final = ("美咲", "蓮", "陽菜", "大翔", "結衣", "悠真", "葵", "湊", "さくら", "健一")
FRENCH_FIRST: Final = (
    "Éléonore",
    "Tiburce",
    "Maëlle",
    "Aristide",
    "Zélie",
    "Gaspard",
    "Oriane",
    "Théodule",
)
FRENCH_LAST: Final = ("Vasseur-Lindqvist", "Okombi", "Delacroix", "Ngouabi", "Peltier", "Quéméneur", "Abiteboul")  # fmt: skip


def _step(name: str, arguments: dict[str, Any], answer: str, call_id: str) -> Iterator[Step]:
    call = ToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
    yield Step(role="assistant", tool_calls=(call,))
    yield Step(role="tool", content=answer, call_id=call_id, tool_name=name)


def _says(role: str, text: str) -> Step:
    return Step(role=role, content=text)


def _episode(app: str, number: int, steps: list[Step]) -> Episode:
    return Episode(
        app=app,
        episode_id=f"{app}-{number}",
        conversation_id=None,
        source="chat_log",
        started_at=START + number * 10**9,
        ended_at=None,
        steps=tuple(steps),
        trace_ids=(),
    )


def meter_talk(number: int, draw: random.Random) -> Talk:
    """A reading at a meter service: German keys that name nothing of people, a handle in a URL, a note about the household."""
    first, last = draw.choice(GERMAN_FIRST), draw.choice(GERMAN_LAST)
    plain = f"{first[0]}{last}".lower().replace("ü", "ue").replace("\u0131", "i")
    handle = f"{plain.replace('-', '')}{draw.randrange(100, 999)}"
    place = f"{draw.choice(STREETS)} {draw.randrange(1, 90)}{draw.choice('abc')}"
    town = draw.choice(TOWNS)
    direct = {
        "name": f"{first} {last}",
        "handle": handle,
        "street": place,
        "phone": f"+49 {draw.randrange(300, 999)} 555{draw.randrange(1000, 9999)}",
        "mail": f"{handle}@posteo.example",
        "token": f"{draw.getrandbits(48):012x}",
        "meter": f"1{draw.choice('EL')}{draw.randrange(10**9, 10**10)}",
    }
    case = f"V-{draw.randrange(10000, 99999)}-{draw.choice('KLM')}"
    answer = {
        "vorgang": case,
        "inhaberin": {"anzeige": direct["name"], "kürzel": handle},
        "lage": f"{place}, {town}",
        "erreichbar": [direct["phone"], direct["mail"]],
        "gerät": {"zählwerk": direct["meter"], "stand_kwh": draw.randrange(10**3, 10**5)},
        "tarif": draw.choice(("Grün Fix 24", "Grundversorgung", "Nachtstrom")),
        "verweis": f"https://portal.zaehler.example/k/{handle}/{case}?t={direct['token']}",
        "vermerk": f"{first} {last} bat um Rückruf, {draw.choice(('Hund im Hof', 'Schlüssel beim Nachbarn', 'Klingel defekt'))}",
    }
    steps = [
        _says("system", "Du hilfst Kundinnen und Kunden eines Messdienstes."),
        _says("user", f"Guten Tag, {first} {last} hier, es geht um {case}."),
        *_step("vorgang_lesen", {"vorgang": case}, json.dumps(answer, ensure_ascii=False), "a"),
        _says("assistant", f"Danke, {first} {last}. Ich erreiche Sie unter {direct['phone']}?"),
        _says("user", f"Ja. Bitte an {direct['mail']}, Zählwerk {direct['meter']}."),
        *_step("stand_melden", {"vorgang": case, "von": handle}, '{"angenommen": true}', "b"),
        _says("assistant", f"Erledigt, {last.upper()}, siehe https://portal.zaehler.example/k/{handle}/{case}."),
    ]  # fmt: skip
    return Talk(episode=_episode("zaehler", number, steps), direct=direct)


def club_talk(number: int, draw: random.Random) -> Talk:
    """A members' club: a record as JSON inside JSON with Japanese keys, and a log in French prose that names people."""
    name = f"{draw.choice(FAMILY)} {draw.choice(GIVEN)}"
    guardian = f"{draw.choice(FRENCH_FIRST)} {draw.choice(FRENCH_LAST)}"
    direct = {
        "name": name,
        "number": f"K-{draw.randrange(1000, 9999)}-{draw.randrange(1000, 9999)}",
        "place": f"東京都港区芝{draw.randrange(1, 9)}-{draw.randrange(1, 30)}-{draw.randrange(1, 20)}",
        "phone": f"090-555{draw.randrange(1, 9)}-{draw.randrange(1000, 9999)}",
        "passport": f"TK{draw.randrange(10**6, 10**7)}",
    }
    inner = {
        "会員": {
            "表示": name,
            "番": direct["number"],
            "居": direct["place"],
            "繋": direct["phone"],
            "旅": direct["passport"],
        },
        "店": draw.choice(("銀座", "渋谷", "新宿")),
        "段": draw.choice(("gold", "silver")),
    }
    outer = {"応": json.dumps(inner, ensure_ascii=False), "時": "2026-02-0" + str(1 + number % 9)}
    log = (
        f"Dossier {direct['number']} : {guardian} a rappelé au {direct['phone']} ; "
        f"laisser le colis au gardien, réf. {draw.randrange(100, 999)}."
    )
    steps = [
        _says("user", f"会員番号は {direct['number']} です。{name}です。"),
        *_step("引く", {"番": direct["number"]}, json.dumps(outer, ensure_ascii=False), "a"),
        *_step("journal", {"url": f"https://club.example/m/{direct['number']}"}, log, "b"),
        _says("assistant", f"{name}様、{direct['place']} へお送りします。"),
        _says("user", f"電話は {direct['phone']}、旅券は {direct['passport']}。"),
    ]
    return Talk(episode=_episode("club", number, steps), direct=direct, third=(guardian,))


CHINESE_FAMILY: Final = "王李陈张刘黄赵周吴郑孙马朱胡林郭何高"
CHINESE_GIVEN: Final = (
    "小明",
    "慧敏",
    "建国",
    "若曦",
    "子涵",
    "志强",
    "欣怡",
    "浩然",
    "雅婷",
    "凯文",
    "晓东",
    "丽娜",
)
SPANISH_FIRST: Final = ("Eulalia", "Fermín", "Nuria", "Lisandro", "Íñigo", "Candela")
SPANISH_LAST: Final = ("Etxeberria Luna", "de la Hoz", "Quiroga", "Sanabria Peña", "Ybarra")


def ferry_talk(number: int, draw: random.Random) -> Talk:
    """A ferry desk: rows without keys in a list of lists, Chinese passengers, a Spanish remark under an odd key."""
    name = draw.choice(CHINESE_FAMILY) + draw.choice(CHINESE_GIVEN)
    host = f"{draw.choice(SPANISH_FIRST)} {draw.choice(SPANISH_LAST)}"
    direct = {
        "name": name,
        "host": host,
        "phone": f"+86 139 {draw.randrange(1000, 9999)} {draw.randrange(1000, 9999)}",
        "document": f"E{draw.randrange(10**7, 10**8)}",
        "street": f"Calle {draw.choice(('Olmo', 'Sierpes', 'Mayor'))} {draw.randrange(1, 99)}, 2ºB",
        "mail": f"{host.split(maxsplit=1)[0].lower()}.{draw.randrange(10, 99)}@correo.example",
    }
    trip = f"F{draw.randrange(100, 999)}"
    rows = [
        ["谁", name],
        ["证", direct["document"]],
        ["打", direct["phone"]],
        ["等", draw.choice(("一等", "二等"))],
    ]
    shown = {
        "plaza": {"x": trip, "filas": rows},
        "anfitrión": {"quien": host, "donde": direct["street"], "buzón": direct["mail"]},
        "ojo": f"{host.split(maxsplit=1)[0]} avisa: llega tarde, {draw.choice(('silla de ruedas', 'sin equipaje', 'dos perros'))}",
    }
    steps = [
        _says("user", f"我是{name}、证件{direct['document']}。"),
        *_step("ver_plaza", {"x": trip, "文": direct["document"]}, json.dumps(shown, ensure_ascii=False), "a"),
        _says("assistant", f"{name}您好、{host} le espera en {direct['street']}."),
        _says("user", f"打 {direct['phone']} 或 {direct['mail']}、谢谢。"),
    ]  # fmt: skip
    return Talk(episode=_episode("ferry", number, steps), direct=direct)


APPS: Final[dict[str, Callable[[int, random.Random], Talk]]] = {
    "meter": meter_talk,
    "club": club_talk,
    "ferry": ferry_talk,
}


@dataclass(slots=True)
class Counts:
    """What was counted over one app."""

    direct: int = 0
    leaked: Counter[str] = field(default_factory=Counter)
    third: int = 0
    third_left: int = 0
    held: Counter[str] = field(default_factory=Counter)
    """Withheld leaves by key."""
    waiting: int = 0
    """Episodes with a withheld leaf."""
    checked: int = 0
    """Hits of the leak check on the result."""


def measure(app: str, episodes: int, seed: int, policy: Policy | None = None) -> Counts:
    """Redact so many conversations of one app, learnt from themselves."""
    draw = random.Random(f"{app} {seed}")  # noqa: S311 - invented data
    talks = [APPS[app](number, draw) for number in range(episodes)]
    chosen = policy or Policy()
    raw = [talk.episode for talk in talks]
    learnt = learn(raw, (), policy=chosen)
    done = list(scrub(raw, learnt=learnt, vault=open_vault(None, SECRET), policy=chosen))
    counts = Counts()
    for talk, item in zip(talks, done, strict=True):
        left = "\n".join(texts_of(item.clean)).lower()
        counts.direct += len(talk.direct)
        counts.leaked.update(
            kind for kind, value in talk.direct.items() if stands_in(value.lower(), left)
        )
        counts.third += len(talk.third)
        counts.third_left += sum(stands_in(name.lower(), left) for name in talk.third)
        counts.held.update(held.key for held in item.held)
        counts.waiting += bool(item.held)
    named = [(str(n), text) for n, item in enumerate(done) for text in texts_of(item.clean)]
    counts.checked = len(find_leaks(named, learnt=learnt))
    return counts


def main() -> None:
    """Print a line per app and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", default="1,4,40")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for app in APPS:
        for size in map(int, options.episodes.split(",")):
            found = measure(app, size, options.seed)
            print(
                f"{app}, {size} episodes: {found.leaked.total()} of {found.direct} direct identifiers left "
                f"{dict(found.leaked)}, {found.third_left} of {found.third} third parties left, "
                f"{found.waiting} episodes with a withheld leaf {dict(found.held)}, leak check {found.checked} hits"
            )


if __name__ == "__main__":
    main()
