"""Invented apps whose keys, values and habits no list was made for, with the truth of each conversation.

A German meter service, a members' club whose tools answer in Japanese and French, a ferry desk in Chinese and Spanish, and the apps of
`desks`, `kennel` and `forms`: keys outside the lexicon, JSON inside strings, ids inside URLs, people named in the free text of results only, a
note per user, names that no list holds, answers that are no records. Truth is what the generator put in.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Final

from benchmarks.testbeds.people.desks import clinic_talk, lettings_talk, payroll_talk
from benchmarks.testbeds.people.forms import printed_talk, screen_talk, segments_talk
from benchmarks.testbeds.people.kennel import kennel_talk
from benchmarks.testbeds.people.talks import Talk, episode, says, step

GERMAN_FIRST: Final = (
    "Jörg", "Annegret", "Tilman", "Käthe", "Ümit", "Swantje", "Ruprecht", "Ilka", "Wendelin",
    "Mehtap",
)  # fmt: skip
GERMAN_LAST: Final = (
    "Kessler", "Thoma-Reich", "Quadflieg", "Osterloh", "Y\u0131ld\u0131z", "Brüggenkamp",
    "Zwirner", "Vogelpohl",
)  # fmt: skip
STREETS: Final = ("Ahornallee", "Am Wehrgang", "Tannenbergstraße", "Kirchplatz", "Lindenweg")
TOWNS: Final = ("04109 Leipzig", "23552 Lübeck", "70173 Stuttgart", "99084 Erfurt")
FAMILY: Final = ("佐藤", "高橋", "渡辺", "小林", "中村", "山口", "松本", "斎藤", "井上", "木村")
GIVEN: Final = ("美咲", "蓮", "陽菜", "大翔", "結衣", "悠真", "葵", "湊", "さくら", "健一")
FRENCH_FIRST: Final = (
    "Éléonore", "Tiburce", "Maëlle", "Aristide", "Zélie", "Gaspard", "Oriane", "Théodule",
)  # fmt: skip
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
    "小明", "慧敏", "建国", "若曦", "子涵", "志强", "欣怡", "浩然", "雅婷", "凯文", "晓东", "丽娜",
)  # fmt: skip
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
