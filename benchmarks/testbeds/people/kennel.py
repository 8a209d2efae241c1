"""An invented app written after the mending of `redaction_desks` and measured once: a kennel that boards animals.

Answers in XML, in lines of `KEY=value`, and in a chat log with signatures; owners with initials, Welsh, Polish and Filipino names,
collar codes, a vet's remark, addresses that are names of houses, birthdays of people and of animals.
"""

from __future__ import annotations

import random
from typing import Final
from xml.sax.saxutils import escape

from benchmarks.testbeds.people.talks import Talk, episode, says, step

OWNERS: Final = (
    "Angharad ap Rhys", "Zbigniew Wąsowski", "Maricel dela Peña-Ocampo", "T. K. Abernethy",
    "Llewellyn Prosser", "Dorota Pszczółkowska", "Reynaldo San Agustin", "Mercy Wood",
    "Cerys Bevan-Hughes", "Isagani Dimaculangan",
)  # fmt: skip
PETS: Final = ("Biscuit", "Daisy", "Oskar", "Pepper", "Rosie", "Juno")
HOUSES: Final = ("Ty Gwyn", "The Old Forge", "Rowan Cottage", "Hillcrest", "Bryn Mawr")
PEOPLE: Final = 22


def kennel_talk(number: int, draw: random.Random) -> Talk:
    """A stay at a kennel: a record in XML, a stay in `KEY=value` lines, a log with initials and a signature."""
    of = random.Random(f"kennel {draw.randrange(PEOPLE)}")  # noqa: S311 - invented data
    owner, pet = of.choice(OWNERS), of.choice(PETS)
    words = [word.strip(".").lower() for word in owner.split()]
    login = f"{words[0][:3]}{words[-1][:3]}"
    chip = f"9{of.randrange(10**13, 10**14)}"
    phone = f"07{of.randrange(10**8, 10**9)}"
    house = f"{of.choice(HOUSES)}, {of.randrange(2, 60)} {of.choice(('Chapel', 'Mill', 'Station'))} Road"
    mail = f"{login}@letters.example"
    policy = f"PET/{of.randrange(1000, 9999)}/{of.choice('QRX')}"
    born = f"{of.randrange(1, 28)} {of.choice(('June', 'April', 'November'))} {of.randrange(1945, 1999)}"
    breed = of.choice(("Border Collie", "Maine Coon", "Jack Russell"))
    wing = draw.choice(("North Wing", "Garden Suite", "Cattery"))
    state = draw.choice(("checked in", "collected", "awaiting vet"))
    stay = f"{draw.randrange(100, 140)}-{draw.choice('KL')}"
    card = (
        f'<card><login>{login}</login><person born="{born}">{escape(owner)}</person><lives>{house}</lives>'
        f'<ring>{phone}</ring><animal chip="{chip}"><called>{pet}</called><breed>{breed}</breed></animal>'
        f"<cover>{policy}</cover></card>"
    )
    lines = f"STAY={stay}\nWING={wing}\nSTATE={state}\nKEEPER={owner}\nNIGHTS={draw.randrange(1, 9)}\nRING={phone}"
    initials = "".join(word[0].upper() for word in words)
    log = (
        f"[08:10] {initials}: dropped {pet} off, back on Friday. [08:40] desk: vet rang {phone}, spoke to {owner} about "
        f"the {breed}. [09:05] desk: see /files/{words[0]}-{words[-1]}/{stay}.jpg. Regards, {owner}"
    )
    steps = [
        says("system", "You answer for a kennel. Wings: North Wing, Garden Suite, Cattery."),
        says("user", f"Hello, {owner} here, login {login}, about {pet} the {breed}."),
        *step("owner_card", {"login": login}, card, "a"),
        *step("stay_lines", {"stay": stay}, lines, "b"),
        *step("day_log", {"stay": stay, "wing": wing}, log, "c"),
        says("assistant", f"{pet} is {state} in the {wing}. Is {phone} still yours, {owner.split()[0]}?"),
        says("user", f"Yes. My address is {house}, my date of birth {born}. Mail {mail}, policy {policy}."),
        *step("set_state", {"stay": stay, "state": state, "for": owner, "mail": mail}, f"{stay} {state}", "d"),
        says("assistant", f"Done. Chip {chip} is on file under {policy}."),
    ]  # fmt: skip
    direct = {
        "name": owner,
        "login": login,
        "born": born,
        "house": house,
        "phone": phone,
        "mail": mail,
        "chip": chip,
        "policy": policy,
        "file": f"{words[0]}-{words[-1]}",
    }
    return Talk(
        episode=episode("kennel", number, steps),
        direct=direct,
        meaning=(breed, wing, state, "WING", "breed", "NIGHTS", "vet rang"),
    )
