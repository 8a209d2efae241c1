"""What servers of the Model Context Protocol hold at the start, and what people ask an agent to do with them.

Comes in: dice. Goes out: the calls that a good agent would make, and the content that `mcp` puts back for each fresh
backend. Not here: talking to the servers.
"""

# ruff: noqa: S608 - what an agent says to the server, made of our own words
from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Call, Step

REPOSITORY: Final = str(Path(gettempdir()) / "tracegym-outside-mcp" / "repository")
WRITER: Final = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-05T10:00:00+0000"}

PEOPLE: Final = ("Ada", "Bela", "Chen", "Dora", "Emil", "Fay", "Gil", "Hana")
PROJECTS: Final = ("Atlas", "Beacon", "Comet", "Delta")
PLACES: Final = ("Oslo", "Lima", "Cairo")
FACTS: Final = (
    "likes tea",
    "likes coffee",
    "works on Mondays",
    "prefers mail",
    "speaks Polish",
    "is on leave in July",
    "has a budget of 900",
    "reports to Hana",
    "knows Python",
)
BONDS: Final = ("works on", "lives in", "leads", "knows")

PAGES: Final = {
    "README.md": "# Shop\n\nA small shop.\nOpen from nine to five.\n",
    "todo.txt": "call Ada\nbuy stamps\nship A1\n",
    "config.json": '{\n  "currency": "EUR",\n  "tax": 19,\n  "debug": false\n}\n',
    "src/prices.py": "RATE = 19\n\n\ndef gross(net):\n    return net * (100 + RATE) / 100\n",
    "src/mail.py": "SENDER = 'shop@example.org'\n\n\ndef send(text):\n    print(text)\n",
    "notes/monday.md": "- stock is low\n- Chen calls back\n",
    "notes/tuesday.md": "- nothing\n",
    "notes/old/2025.md": "closed\n",
    "data/stock.csv": "item,count\ntea,4\nsoap,9\n",
}
CHANGED: Final = ("README.md", "todo.txt", "src/prices.py")
NEW: Final = "notes/new.md"
EDITS: Final = {
    "todo.txt": (("call Ada", "call Bela"), ("buy stamps", "buy paper"), ("ship A1", "ship A2")),
    "config.json": (('"tax": 19', '"tax": 7'), ('"debug": false', '"debug": true')),
    "src/prices.py": (("RATE = 19", "RATE = 7"),),
    "notes/tuesday.md": (("- nothing", "- Fay is back"),),
}

SCHEMA: Final = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, points INTEGER);
CREATE TABLE products (sku TEXT PRIMARY KEY, title TEXT, price REAL, stock INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, sku TEXT, count INTEGER, state TEXT);
"""
ROWS: Final[dict[str, list[tuple[Any, ...]]]] = {
    "customers": [(n + 1, p, PLACES[n % 3], n * 10) for n, p in enumerate(PEOPLE)],
    "products": [
        ("TEA", "Tea", 4.5, 40),
        ("SOAP", "Soap", 2.0, 9),
        ("PEN", "Pen", 1.25, 120),
        ("CUP", "Cup", 7.0, 12),
    ],
    "orders": [
        (n + 101, n % 8 + 1, ("TEA", "SOAP", "PEN", "CUP")[n % 4], n % 3 + 1, "open")
        for n in range(12)
    ],
}

ZONES: Final = ("Europe/Oslo", "Asia/Tokyo", "America/Lima", "Africa/Cairo", "Etc/UTC")


def graph() -> Iterator[str]:
    """The start of the memory server's file."""
    for at, person in enumerate(PEOPLE):
        known = [FACTS[at % len(FACTS)], FACTS[(at * 3 + 1) % len(FACTS)]]
        yield _line("entity", name=person, entityType="person", observations=known)
    for name in PROJECTS:
        yield _line("entity", name=name, entityType="project", observations=["started in 2025"])
    for at, person in enumerate(PEOPLE):
        bond = {"from": person, "to": PROJECTS[at % 4], "relationType": "works on"}
        yield _line("relation", **bond)


def _line(kind: str, **fields: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps({"type": kind, **fields})


def memory(rng: random.Random) -> list[Step]:
    """A personal assistant's memory: look somebody up, note what was said, correct what was wrong."""
    out: list[Step] = []
    for _ in range(rng.randint(1, 2)):
        person, project, fact = rng.choice(PEOPLE), rng.choice(PROJECTS), rng.choice(FACTS)
        looks: list[Call] = [
            ("open_nodes", {"names": [person]}),
            ("search_nodes", {"query": person}),
        ]
        look = rng.choice(looks)
        noted = {"entityName": person, "contents": [fact]}
        bond = {"from": person, "to": project, "relationType": rng.choice(BONDS)}
        place = {"name": rng.choice(PLACES), "entityType": "city", "observations": ["visited"]}
        job: list[list[Call]] = [
            [("add_observations", {"observations": [noted]})],
            [("create_relations", {"relations": [bond]}), ("open_nodes", {"names": [project]})],
            [("create_entities", {"entities": [place]}), ("search_nodes", {"query": "visited"})],
            [
                (
                    "delete_observations",
                    {"deletions": [{"entityName": person, "observations": [fact]}]},
                ),
                ("search_nodes", {"query": fact}),
            ],
            [("delete_relations", {"relations": [bond]}), ("read_graph", {})],
            [("delete_entities", {"entityNames": [person]}), ("search_nodes", {"query": project})],
        ]
        out += [look, *rng.choice(job), look]
    return out


def files(root: str, rng: random.Random) -> list[Step]:
    """A coding agent's folder: find a file, read it, change it, put another beside it."""
    out: list[Step] = [("list_allowed_directories", {})] if rng.random() < 0.3 else []
    for _ in range(rng.randint(1, 2)):
        edited = f"{root}/{(name := rng.choice(sorted(EDITS)))}"
        old, new = rng.choice(EDITS[name])
        read: Call = ("read_text_file", {"path": f"{root}/{rng.choice(sorted(PAGES))}"})
        page = f"{root}/notes/{rng.choice(('wednesday', 'thursday', 'plan'))}.md"
        said = {"path": page, "content": rng.choice(("- rest\n", "- order soap\n- call Gil\n"))}
        folder = f"{root}/{rng.choice(('drafts', 'notes/new', 'src/lib'))}"
        moved = {"source": f"{root}/todo.txt", "destination": f"{root}/notes/todo.txt"}
        job: list[list[Call]] = [
            [
                ("read_text_file", {"path": edited}),
                ("edit_file", {"path": edited, "edits": [{"oldText": old, "newText": new}]}),
                ("read_text_file", {"path": edited}),
            ],
            [("write_file", said), ("read_text_file", {"path": page})],
            [("create_directory", {"path": folder}), ("list_directory", {"path": root})],
            [("move_file", moved), ("list_directory", {"path": f"{root}/notes"})],
            [
                (
                    "search_files",
                    {"path": root, "pattern": rng.choice(("**/*.md", "**/*.py", "*.txt"))},
                )
            ],
            [("directory_tree", {"path": rng.choice((root, f"{root}/notes", f"{root}/src"))})],
            [("list_directory_with_sizes", {"path": root})],
            [("read_multiple_files", {"paths": [edited, read[1]["path"]]})],
        ]
        start: Call = (
            "list_directory",
            {"path": rng.choice((root, f"{root}/notes", f"{root}/src"))},
        )
        out += [start, read, *rng.choice(job)]
    return out


def git(rng: random.Random) -> list[Step]:
    """A coding agent's repository: what changed, commit some of it, a branch for the rest."""
    at = {"repo_path": REPOSITORY}
    some = rng.sample(CHANGED, rng.randint(1, 2))
    branch = rng.choice(("fix-tax", "new-mail", "cleanup"))
    log: Call = ("git_log", {**at, "max_count": rng.choice((1, 3, 10))})
    jobs: list[list[Call]] = [
        [
            ("git_add", {**at, "files": some}),
            ("git_diff_staged", at),
            ("git_commit", {**at, "message": rng.choice(("Fix the tax", "Say more", "Tidy"))}),
            ("git_status", at),
            log,
        ],
        [
            ("git_create_branch", {**at, "branch_name": branch}),
            ("git_checkout", {**at, "branch_name": branch}),
        ],
        [
            ("git_branch", {**at, "branch_type": "local"}),
            ("git_diff", {**at, "target": rng.choice(("main", "draft", "HEAD"))}),
        ],
        [("git_add", {**at, "files": some}), ("git_reset", at), ("git_status", at)],
        [log, ("git_show", {**at, "revision": rng.choice(("HEAD", "HEAD~1", "draft"))})],
    ]
    look: list[Step] = [("git_status", at), ("git_diff_unstaged", at)]
    return [
        *look[: rng.randint(1, 2)],
        *rng.choice(jobs),
        *(rng.choice(jobs) if rng.random() < 0.4 else []),
    ]


def sql(rng: random.Random) -> list[Step]:
    """A clerk's database, asked in its own language."""
    out: list[Step] = [("list_tables", {})] if rng.random() < 0.5 else []
    table = rng.choice(sorted(ROWS))
    if rng.random() < 0.5:
        out.append(("describe_table", {"table_name": table}))
    for _ in range(rng.randint(1, 3)):
        order, person = rng.randint(101, 112), rng.choice(PEOPLE)
        sku, points = rng.choice(("TEA", "SOAP", "PEN", "CUP")), rng.choice((5, 10, 25))
        seen = f"SELECT * FROM orders WHERE id = {order}"
        whose = f"SELECT name, points FROM customers WHERE name = '{person}'"
        stock = f"SELECT stock FROM products WHERE sku = '{sku}'"
        jobs = [
            (seen, f"UPDATE orders SET state = 'cancelled' WHERE id = {order}", seen),
            (
                whose,
                f"UPDATE customers SET points = points + {points} WHERE name = '{person}'",
                whose,
            ),
            (stock, f"UPDATE products SET stock = stock - 1 WHERE sku = '{sku}'", stock),
            (
                "SELECT COUNT(*) AS n FROM orders WHERE state = 'open'",
                f"DELETE FROM orders WHERE id = {order}",
                "SELECT COUNT(*) AS n FROM orders WHERE state = 'open'",
            ),
            (
                stock,
                f"INSERT INTO orders VALUES ({order + 100}, 1, '{sku}', 1, 'open')",
                f"SELECT id, state FROM orders WHERE sku = '{sku}' ORDER BY id",
            ),
        ]
        before, write, after = rng.choice(jobs)
        out += [
            ("read_query", {"query": before}),
            ("write_query", {"query": write}),
            ("read_query", {"query": after}),
        ]
    return out


def time(rng: random.Random) -> list[Step]:
    """What time it is, here and there."""
    out: list[Step] = []
    for _ in range(rng.randint(2, 4)):
        here, there = rng.sample(ZONES, 2)
        said = f"{rng.randint(0, 23):02d}:{rng.choice((0, 15, 30)):02d}"
        moved = {"source_timezone": here, "time": said, "target_timezone": there}
        out += [("get_current_time", {"timezone": here}), ("convert_time", moved)]
    return out


def calculator(rng: random.Random) -> list[Step]:
    """Sums as a clerk needs them."""
    forms = (
        "{a} + {b}",
        "{a} * {b}",
        "({a} + {b}) / {c}",
        "{a} - {b} * {c}",
        "{a} * 1.19",
        "sqrt({a})",
        "{a} / {d}",
        "{a} ^ 2",
    )
    out: list[Step] = []
    for _ in range(rng.randint(2, 5)):
        numbers = {
            "a": rng.randint(1, 60),
            "b": rng.randint(1, 30),
            "c": rng.randint(2, 6),
            "d": rng.randint(0, 4),
        }
        out.append(("calculate", {"expression": rng.choice(forms).format(**numbers)}))
    return out


def everything(rng: random.Random) -> list[Step]:
    """The protocol's own demonstration: tools that keep nothing."""
    calls: list[Call] = [
        ("echo", {"message": rng.choice((*FACTS, *PEOPLE))}),
        ("get-sum", {"a": rng.randint(1, 90), "b": rng.choice((rng.randint(1, 90), 2.5))}),
        (
            "get-structured-content",
            {"location": rng.choice(("New York", "Chicago", "Los Angeles"))},
        ),
        ("get-annotated-message", {"messageType": rng.choice(("error", "success", "debug"))}),
        ("get-resource-links", {"count": rng.randint(1, 5)}),
    ]
    return [rng.choice(calls) for _ in range(rng.randint(2, 5))]
