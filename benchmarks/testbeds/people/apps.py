"""Measures redaction on invented apps whose keys, values and habits no list was made for.

A German meter service, a members' club whose
tools answer in Japanese and French, a ferry desk in Chinese and Spanish, and the apps of `redaction_desks`, `redaction_blind` and `redaction_forms`: keys
outside the lexicon, JSON inside strings, ids inside URLs, people named in the free text of results only, a note per user, names that no list
holds, answers that are no records. Truth is what the generator put in: an identifier counts as protected only if no mention of it is left
anywhere in its episode. Besides, what of the product's words is lost, and which values read unlike in two conversations.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.redaction.recordings import SECRET, parsed, recorded, stands_in, texts_of
from benchmarks.testbeds.people.desks import clinic_talk, lettings_talk, payroll_talk
from benchmarks.testbeds.people.forms import printed_talk, screen_talk, segments_talk
from benchmarks.testbeds.people.kennel import kennel_talk
from benchmarks.testbeds.people.talks import Talk, episode, says, step
from dagster_project.privacy.leak_search import is_surrogate
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.audit.leaks import find_leaks
from redact.operators.vault import open_vault
from redact.policy import Policy
from redact.readers.tables import records_in
from redact.records.clean_episode import CleanEpisode

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
        says("system", "Du hilfst Kundinnen und Kunden eines Messdienstes."),
        says("user", f"Guten Tag, {first} {last} hier, es geht um {case}."),
        *step("vorgang_lesen", {"vorgang": case}, json.dumps(answer, ensure_ascii=False), "a"),
        says("assistant", f"Danke, {first} {last}. Ich erreiche Sie unter {direct['phone']}?"),
        says("user", f"Ja. Bitte an {direct['mail']}, Zählwerk {direct['meter']}."),
        *step("stand_melden", {"vorgang": case, "von": handle}, '{"angenommen": true}', "b"),
        says("assistant", f"Erledigt, {last.upper()}, siehe https://portal.zaehler.example/k/{handle}/{case}."),
    ]  # fmt: skip
    return Talk(episode=episode("zaehler", number, steps), direct=direct)


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
        says("user", f"会員番号は {direct['number']} です。{name}です。"),
        *step("引く", {"番": direct["number"]}, json.dumps(outer, ensure_ascii=False), "a"),
        *step("journal", {"url": f"https://club.example/m/{direct['number']}"}, log, "b"),
        says("assistant", f"{name}様、{direct['place']} へお送りします。"),
        says("user", f"電話は {direct['phone']}、旅券は {direct['passport']}。"),
    ]
    return Talk(episode=episode("club", number, steps), direct=direct, third=(guardian,))


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
        says("user", f"我是{name}、证件{direct['document']}。"),
        *step("ver_plaza", {"x": trip, "文": direct["document"]}, json.dumps(shown, ensure_ascii=False), "a"),
        says("assistant", f"{name}您好、{host} le espera en {direct['street']}."),
        says("user", f"打 {direct['phone']} 或 {direct['mail']}、谢谢。"),
    ]  # fmt: skip
    return Talk(episode=episode("ferry", number, steps), direct=direct)


APPS: Final[dict[str, Callable[[int, random.Random], Talk]]] = {
    "meter": meter_talk,
    "club": club_talk,
    "ferry": ferry_talk,
    "clinic": clinic_talk,
    "lettings": lettings_talk,
    "payroll": payroll_talk,
    "kennel": kennel_talk,
    "screen": screen_talk,
    "segments": segments_talk,
    "printed": printed_talk,
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
    meaning: Counter[str] = field(default_factory=Counter)
    """Words of the product that no longer stand in their conversation."""
    apart: Counter[str] = field(default_factory=Counter)
    """Places of calls and results with a value that reads unlike in two conversations."""


def measure(app: str, episodes: int, seed: int, policy: Policy | None = None) -> Counts:
    """Redact so many conversations of one app, learnt from themselves."""
    draw = random.Random(f"{app} {seed}")  # noqa: S311 - invented data
    talks = [APPS[app](number, draw) for number in range(episodes)]
    chosen = policy or Policy()
    raw = [talk.episode for talk in talks]
    learnt = learn(raw, (), policy=chosen)
    vault = open_vault(None, SECRET)
    done = list(scrub(raw, learnt=learnt, vault=vault, policy=chosen))
    counts = Counts()
    for talk, item in zip(talks, done, strict=True):
        left = "\n".join(texts_of(item.clean)).lower()
        counts.direct += len(talk.direct)
        counts.leaked.update(
            kind for kind, value in talk.direct.items() if stands_in(value.lower(), left)
        )
        counts.meaning.update(w for w in talk.meaning if not stands_in(w.lower(), left))
        counts.third += len(talk.third)
        counts.third_left += sum(stands_in(name.lower(), left) for name in talk.third)
        counts.held.update(held.key for held in item.held)
        counts.waiting += bool(item.held)
    counts.apart = apart(raw, [item.clean for item in done])
    texts = [text for item in done for text in texts_of(item.clean)]
    hits = find_leaks([(str(place), text) for place, text in enumerate(texts)], learnt=learnt)
    counts.checked = sum(
        not is_surrogate(vault, raw[0].app, hit, texts[int(hit.where)]) for hit in hits
    )
    return counts


def apart(raw: Sequence[Episode], clean: Sequence[CleanEpisode]) -> Counter[str]:
    """Places (tool, keys) with how many of their values became more than one thing: such a value breaks replay."""
    images: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for before, after in zip(raw, clean, strict=True):
        for one, two in zip(recorded(before), recorded(after), strict=True):
            for left, right in zip(one[1:], two[1:], strict=True):
                for place, value, other in places(left, right, one[0]):
                    images[place, value].add(other)
    return Counter(place for (place, _), found in images.items() if len(found) > 1)


def places(one: object, two: object, at: str) -> Iterator[tuple[str, str, str]]:
    """Place, value and what it became, for every text of a call or result; JSON inside texts is opened."""
    if isinstance(one, str):
        inner = parsed(one)
        if isinstance(inner, dict | list):
            yield from places(inner, parsed(str(two)), at)
        elif "\n" in one:
            yield from places(records_in(one), records_in(str(two)), at)
        else:
            yield at, one, str(two)
    elif isinstance(one, dict) and isinstance(two, dict):
        for (name, left), right in zip(one.items(), two.values(), strict=False):
            yield from places(left, right, f"{at}.{name}")
    elif isinstance(one, list) and isinstance(two, list):
        for left, right in zip(one, two, strict=False):
            yield from places(left, right, at)
