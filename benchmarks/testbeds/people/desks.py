"""Invented apps whose answers are no records: CSV and Markdown text, sentences, rows of labels and values.

A clinic's scheduler, a property manager and a payroll bot. Each has people who come back, so that a world can be learnt from some
conversations and replayed on others. Written before redaction was measured on them (docs/redaction.md has the first figures).
"""

from __future__ import annotations

import json
import random
from typing import Final

from benchmarks.testbeds.people.talks import Talk, episode, says, step

PEOPLE: Final = 25
"""How many people an app has at most: some of them come back in 40 conversations."""
LETTERS: Final = "bcdfghjkmnpqrstvwxz"

COUPLES: Final = (
    ("Ana", "Luis", "Prado"),
    ("Grace", "Tunde", "Okonjo"),
    ("Ines", "Mark", "Halloran"),
    ("Bao", "Linh", "Trinh"),
    ("Rosa", "Peter", "Green"),
    ("Nadia", "Omar", "Khoury"),
)
PARTICLES: Final = (
    "Marguerite van den Heuvel", "Otis de la Cruz", "Siobhan O'Rourke-Blum",
    "Ludwig von Aschenbach", "Fatima el Idrissi", "J. R. Castellano", "Wren Holloway",
    "Thandiwe Mkhize", "Pier Paolo della Rovere", "Jean-Luc Saint-Cyr", "May Stone", "Ivo Petrov",
)  # fmt: skip
IBERIAN: Final = (
    "João da Silva Moreira", "Lucía Fernández de Córdoba", "Inês Albuquerque e Castro",
    "Tomás Ibarra Luz", "Conceição dos Santos Rocha", "Graciela Montes del Río", "Xavier Pontes",
    "Benedita Faria Leal", "Abel Rosa", "Pilar Ortega y Gasset",
)  # fmt: skip
SHORT_NAMES: Final = ("brisa", "luz", "rocha", "sol", "jota", "lobo", "nuvem", "zeca", "mar", "pipa", "duna", "faro")  # fmt: skip
MONTHS: Final = ("January", "March", "May", "August", "October")
MESES: Final = ("janeiro", "março", "maio", "agosto", "outubro")


def clinic_talk(number: int, draw: random.Random) -> Talk:
    """A telehealth scheduler: CSV text, ids of three letters, a couple in one note, a name in a file name."""
    who = draw.randrange(PEOPLE)
    of = random.Random(f"clinic {who}")  # noqa: S311 - invented data
    hers, his, last = of.choice(COUPLES)
    short = "".join(of.sample(LETTERS, 3))
    born = f"{of.choice(MONTHS)} {of.randrange(1, 28)}, {of.randrange(1940, 2005)}"
    phone = f"55583{of.randrange(10000, 99999)}"
    member = f"NW{of.randrange(10**8, 10**9)}"
    mail = f"{hers[0].lower()}{last.lower()}{of.randrange(10, 99)}@mailbox.example"
    plan = of.choice(("Northwind Basic", "Northwind Plus", "Self pay"))
    mode, room = (
        draw.choice(("video", "phone", "in person")),
        draw.choice(("3B", "4A", "Blue room")),
    )
    status = draw.choice(("booked", "moved", "waitlisted"))
    doctor = draw.choice(("Dr. Amara Vance", "Dr. Theo Lindqvist"))
    slot = f"S{draw.randrange(100, 130)}"
    file = f"{hers.lower()}_{last.lower()}_referral.pdf"
    sheet = (
        "pid,full,born,cell,member,plan,last_visit\n"
        f'{short},{hers} {last},"{born}",{phone},{member},{plan},2025-11-0{of.randrange(1, 9)}'
    )
    slots = (
        f"slot,clinician,room,mode\n{slot},{doctor},{room},{mode}\nS200,Dr. Amara Vance,3B,video"
    )
    booked = f"{slot} {status} for {hers} and {his} {last} ({mode}, {room}). Forms: https://visits.example/p/{short}/{file}"
    note = f"Patient {hers} {last} ({hers[0]}.{last[0]}.) prefers {mode}; husband {his} {last} calls from {phone}."
    steps = [
        says("system", "You schedule visits for a clinic. Plans: Northwind Basic, Northwind Plus, Self pay."),
        says("user", f"Hi, {hers} {last}, born {born}. My chart code is {short}."),
        *step("chart_sheet", {"pid": short}, sheet, "a"),
        *step("open_slots", {"mode": mode, "day": "2026-02-0" + str(1 + number % 9)}, slots, "b"),
        says("assistant", f"{doctor} has {slot} in {room} by {mode}. Shall I book it for you and {his}?"),
        says("user", f"Yes, for {hers} and {his} {last}. Confirm to {mail} please."),
        *step("take_slot", {"pid": short, "slot": slot, "status": status, "mail": mail}, booked, "c"),
        *step("jot", {"pid": short, "text": note}, "ok", "d"),
        says("assistant", f"Done, {hers}: {slot} is {status}. I attached {file}."),
    ]  # fmt: skip
    direct = {
        "name": f"{hers} {last}",
        "spouse": f"{his} {last}",
        "couple": f"{hers} and {his} {last}",
        "pid": short,
        "born": born,
        "phone": phone,
        "member": member,
        "mail": mail,
        "file": file.partition("_referral")[0],
    }
    return Talk(
        episode=episode("clinic", number, steps),
        direct=direct,
        meaning=(plan, mode, room, status, "last_visit", "referral", "clinician"),
    )


def lettings_talk(number: int, draw: random.Random) -> Talk:
    """A property manager: Markdown tables and sentences with tenants, units and work orders."""
    who = draw.randrange(PEOPLE)
    rooms = [random.Random(f"lettings {(who + n) % PEOPLE}") for n in range(2)]  # noqa: S311 - invented data
    tenants = []
    for place, of in enumerate(rooms):
        name = of.choice(PARTICLES)
        words = name.lower().replace("'", "").replace(".", "").split()
        tenants.append({
            "unit": f"{'ABC'[(who + place) % 3]}-{101 + (who + place) % PEOPLE}",
            "name": name,
            "phone": f"06{of.randrange(10**7, 10**8)}",
            "mail": f"{words[0][0]}.{words[-1]}{of.randrange(1, 99)}@post.example",
            "next": f"{of.randrange(2, 90)} {of.choice(('Larkspur', 'Quarry', 'Foundry'))} {of.choice(('Court', 'Lane', 'Rise'))}",
            "state": of.choice(("current", "in arrears", "notice given")),
            "lease": f"LS-{of.randrange(10**5, 10**6)}",
        })  # fmt: skip
    mine, other = tenants
    colour, trade = draw.choice(("Sage Green", "Stone", "Oyster White")), draw.choice(("plumbing", "electrical", "painting"))  # fmt: skip
    order = f"WO{draw.randrange(1000, 1100)}"
    table = "| Unit | Tenant | Lease | State |\n|---|---|---|---|\n" + "\n".join(
        f"| {one['unit']} | {one['name']} | {one['lease']} | {one['state']} |" for one in tenants
    )
    card = (
        f"Unit {mine['unit']} is let to {mine['name']} ({mine['state']}) under {mine['lease']}. "
        f"Reach them at {mine['phone']} or {mine['mail']}. Forwarding address: {mine['next']}. "
        f"Walls: {colour}."
    )
    opened = f"**{order}** opened: {trade} in {mine['unit']} for {mine['name'].upper()}, status *scheduled*."
    first = mine["name"].split()[0]
    steps = [
        says("user", f"This is {mine['name']} in {mine['unit']}, the {trade} needs a visit."),
        *step("rent_roll", {"floor": (who % 5), "from": mine["unit"]}, table, "a"),
        *step("unit_card", {"unit": mine["unit"]}, card, "b"),
        says("assistant", f"Thanks {first}. Your neighbour {other['name']} reported it too. Is {mine['phone']} still right?"),
        says("user", f"Yes, or write to {mine['mail']}. I like the {colour} walls; keep {colour}."),
        *step("raise_order", {"unit": mine["unit"], "trade": trade, "colour": colour, "who": mine["name"]}, opened, "c"),
        says("assistant", f"{order} is scheduled for {trade}. Post goes to {mine['next']}."),
    ]  # fmt: skip
    direct = {key: mine[key] for key in ("name", "phone", "mail", "lease")}
    direct |= {"next": mine["next"], "neighbour": other["name"], "neighbour lease": other["lease"]}
    return Talk(
        episode=episode("lettings", number, steps),
        direct=direct,
        meaning=(colour, trade, mine["state"], order, "scheduled", "Tenant", "Forwarding address"),
    )


def payroll_talk(number: int, draw: random.Random) -> Talk:
    """A payroll bot: rows of labels and values in JSON inside JSON, Portuguese and Spanish keys, user names that are words."""
    who = draw.randrange(len(SHORT_NAMES))
    of = random.Random(f"payroll {who}")  # noqa: S311 - invented data
    name, user = of.choice(IBERIAN), SHORT_NAMES[who]
    words = name.lower().split()
    cpf = f"{of.randrange(10**10, 10**11)}"
    born = f"{of.randrange(1, 28)} de {of.choice(MESES)} de {of.randrange(1950, 2004)}"
    account = f"ES{of.randrange(10**21, 10**22)}"
    home = f"Rua {of.choice(('das Flores', 'do Sol', 'Augusta'))}, {of.randrange(2, 400)}"
    phone = f"9{of.randrange(10**7, 10**8)}"
    post, state = (
        of.choice(("Analista", "Técnica", "Gerente")),
        of.choice(("ativo", "férias", "licença")),
    )
    scheme = of.choice(("Plano Verde", "Plano Rosa", "Sem plano"))
    pay = of.randrange(1500, 6000)
    month = f"2026-0{draw.randrange(1, 4)}"
    rows = [
        {"label": "Nome", "value": name},
        {"label": "CPF", "value": cpf},
        {"label": "Nascimento", "value": born},
        {"label": "Morada", "value": home},
        {"label": "Telemóvel", "value": phone},
        {"label": "Cargo", "value": post},
        {"label": "Situação", "value": state},
        {"label": "Benefício", "value": scheme},
    ]
    sheet = {"chave": user, "ficha": json.dumps(rows, ensure_ascii=False)}
    slip = f"recibo_{words[0]}_{words[-1]}_{month}.pdf"
    paid = {
        "mes": month,
        "pago": {"cuenta": account, "titular": name.upper(), "importe": pay, "estado": draw.choice(("pagado", "pendiente"))},
        "enlace": f"https://folha.example/u/{user}/{slip}",
        "conceptos": [{"k": "Salario base", "v": pay - 200}, {"k": "Plus transporte", "v": 200}],
    }  # fmt: skip
    steps = [
        says("user", f"Olá, sou {name}, utilizador {user}. Quero o recibo de {month}."),
        *step("consultar_ficha", {"chave": user}, json.dumps(sheet, ensure_ascii=False), "a"),
        *step("recibo", {"chave": user, "mes": month}, json.dumps(paid, ensure_ascii=False), "b"),
        says("assistant", f"{name}, {post.lower()}, {state}: foram pagos {pay} em {account}. Veja {slip}."),
        says("user", f"Mude o benefício para Plano Rosa e a morada, agora {home}. Telefone {phone}."),
        *step(
            "alterar",
            {"chave": user, "campos": json.dumps([{"label": "Benefício", "value": "Plano Rosa"}, {"label": "Morada", "value": home}], ensure_ascii=False)},
            json.dumps({"ok": True, "chave": user, "benefício": "Plano Rosa"}, ensure_ascii=False),
            "c",
        ),
        says("assistant", f"Feito, {words[0].title()}. O plano é agora Plano Rosa."),
    ]  # fmt: skip
    direct = {
        "name": name,
        "user": user,
        "cpf": cpf,
        "born": born,
        "home": home,
        "phone": phone,
        "account": account,
        "file": f"{words[0]}_{words[-1]}",
    }
    return Talk(
        episode=episode("payroll", number, steps),
        direct=direct,
        meaning=(
            post,
            state,
            "Plano Rosa",
            month,
            "Salario base",
            "Plus transporte",
            "Morada",
            "Cargo",
        ),
    )
