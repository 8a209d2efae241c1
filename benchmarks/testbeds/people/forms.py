"""Three invented apps whose tools answer in forms that nothing parses: a terminal screen, segments of a message, a printed object.

In: a number and a draw. Out: a conversation with its truth. Written before the rules for text of unknown form (log 0118).
"""

from __future__ import annotations

import random
import unicodedata
from typing import Final

from benchmarks.testbeds.people.talks import Talk, episode, says, step

FIRST: Final = ("Hannelore", "Detlef", "Swantje", "Gundolf", "Chidi", "Maeve", "Delroy", "Ottoline")
LAST: Final = ("Vogt", "Kluth", "Siebenhaar", "Oltmanns", "Okafor", "Treloar", "Fenwick", "Marchetti")  # fmt: skip
PEOPLE: Final = 24


def _person(app: str, draw: random.Random) -> tuple[random.Random, str, str]:
    of = random.Random(f"{app} person {draw.randrange(PEOPLE)}")  # noqa: S311 - invented data
    return of, of.choice(FIRST), of.choice(LAST)


def _digits(of: random.Random, count: int) -> str:
    return str(of.randrange(1, 10)) + "".join(str(of.randrange(10)) for _ in range(count - 1))


def _plain(word: str) -> str:
    spelt = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in spelt if letter.isascii() and letter.isalpha())


def screen_talk(number: int, draw: random.Random) -> Talk:
    """An insurer's terminal: fields at fixed columns, in capitals."""
    of, first, last = _person("screen", draw)
    account = _digits(of, 10)
    born = f"{of.randrange(1, 28):02d}.{of.randrange(1, 12):02d}.{of.randrange(1945, 2001)}"
    phone = f"0{_digits(of, 3)}/{_digits(of, 7)}"
    policy = f"{_digits(of, 3)} {_digits(of, 4)}-{_digits(of, 1)}"
    street = f"{of.choice(('LINDENSTR', 'AM ANGER', 'HAFENWEG'))} {of.randrange(2, 99)}"
    tariff, state = draw.choice(("HAUSRAT PLUS", "RECHTSSCHUTZ")), draw.choice(("AKTIV", "RUHEND"))
    shown = "\n".join([
        "VTR2010        VERTRAGSAUSKUNFT                SEITE 01 VON 01",
        f" PARTNER NR {account}   {last.upper()}, {first.upper():<16} GEB {born}",
        f" ANSCHR     {street}",
        f" TEL        {phone:<20} VSNR KV {policy}",
        f" TARIF      {tariff:<20} STATUS {state:<10}",
        " 001  02.01.26  BEITRAG                84,20",
        "PF3=ENDE  PF8=VOR   KEINE WEITEREN DATEN",
    ])  # fmt: skip
    locked = f"DFS3650I {account} {last.upper()} GESPERRT DURCH OP{_digits(of, 3)}"
    steps = [
        says("user", f"Suche Vertrag von {first} {last}, geboren {born}"),
        *step("maske", {"txn": "VTR2010", "eingabe": account}, shown, "a"),
        says("assistant", f"{last} hat {tariff} ({state}), Vertrag {policy}, Telefon {phone}."),
        *step("maske", {"txn": "VTR2011", "eingabe": f"{account};{last.upper()}"}, locked, "b"),
    ]
    direct = {
        "name": f"{last.upper()}, {first.upper()}",
        "last": last,
        "account": account,
        "born": born,
        "phone": phone,
        "policy": policy,
        "street": street,
    }
    meaning = (tariff, state, "VERTRAGSAUSKUNFT", "BEITRAG", "84,20")
    return Talk(episode=episode("screen", number, steps), direct=direct, meaning=meaning)


def segments_talk(number: int, draw: random.Random) -> Talk:
    """A laboratory's results in segments cut by bars and carets."""
    of, first, last = _person("segments", draw)
    record, account = _digits(of, 7), f"{_digits(of, 3)}-{_digits(of, 2)}-{_digits(of, 4)}"
    born = f"{of.randrange(1940, 1999)}{of.randrange(1, 12):02d}{of.randrange(1, 28):02d}"
    phone = f"({_digits(of, 3)}){_digits(of, 3)}-{_digits(of, 4)}"
    street = (
        f"{of.randrange(2, 900)} {of.choice(('Quarry', 'Hollins'))} {of.choice(('Row', 'Bank'))}"
    )
    cover, value = f"{of.choice('XWQ')}{_digits(of, 8)}", draw.choice(("4.1", "139", "13.2"))
    message = "\r".join([
        f"MSH|^~\\&|LAB|NORTH|EHR|EAST|20260203101{draw.randrange(10, 59)}||ORU^R01|{number}|P|2.3",
        f"PID|1||{record}^^^NORTH^MR||{last}^{first}||{born}|F|||{street}^^Leeds||{phone}|||||{account}",
        f"IN1|1|HMO7|{cover}",
        f"OBX|1|NM|K^Chem^L||{value}|mmol/L|3.5-5.1|N|||F",
    ])  # fmt: skip
    steps = [
        says("user", f"Any results for {first} {last}? Record {record}."),
        *step("fetch_message", {"sel": f"PID-3={record}"}, message, "a"),
        says("assistant", f"{first} {last}: {value}, final. Phone on file {phone}."),
        *step("ack", {"msg": f"MSA|AA|{record}|{last}^{first}"}, f"MSA|AA|{record}|stored", "b"),
    ]
    direct = {
        "first": first,
        "last": last,
        "record": record,
        "account": account,
        "born": born,
        "phone": phone,
        "street": street,
        "cover": cover,
    }
    return Talk(
        episode=episode("segments", number, steps),
        direct=direct,
        meaning=(value, "mmol/L", "3.5-5.1", "ORU"),
    )


def printed_talk(number: int, draw: random.Random) -> Talk:
    """A car rental whose tools print their program's objects and log lines."""
    of, first, last = _person("printed", draw)
    born = f"{of.randrange(1948, 2002)}, {of.randrange(1, 12)}, {of.randrange(1, 28)}"
    licence = f"{_plain(last)[:5].upper():9<5}{_digits(of, 6)}{first[0]}9{of.choice('ABC')}X"
    handle = f"{_plain(first)}_{_plain(last)}"
    north, west = f"{of.uniform(50, 58):.5f}", f"-{of.uniform(0.2, 4):.5f}"
    car, gear = draw.choice(("Estate", "Van")), draw.choice(("manual", "automatic"))
    shown = (
        f"[Rental(drv=Driver(nm='{first} {last}', brn=datetime.date({born}), lic='{licence}', hndl='{handle}'), "
        f"car=Car(cls='{car}', gear='{gear}', pos=Pos(lat={north}, lon={west})), price=Decimal('84.00'))]"
    )
    log = f'ts=2026-02-01T06:11:07Z lvl=warn msg="door opened" usr={handle} lic={licence}'
    steps = [
        says("user", f"Where is my car? {first} {last}, licence {licence}"),
        *step("find_rental", {"by": {"lic": licence}}, shown, "a"),
        says("assistant", f"{first}, your {car} ({gear}) is at {north}, {west}."),
        *step("unlock", {"h": handle}, log, "b"),
    ]
    direct = {
        "name": f"{first} {last}",
        "born": born,
        "licence": licence,
        "handle": handle,
        "north": north,
        "west": west,
    }
    return Talk(
        episode=episode("printed", number, steps),
        direct=direct,
        meaning=(car, gear, "door opened", "84.00"),
    )
