"""What an account of `cloud` holds at the start, and what people ask an operations agent to do with it: tables, queues, users.

Comes in: dice. Goes out: the calls that a good agent would make: look something up, act on it, check. Ids that an answer gave
are taken from the answer. Not here: calling the cloud, its secrets, servers and logs (`cloud_machines`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Call, Step

PEOPLE: Final = ("ada", "bela", "chen", "dora", "emil", "fay", "gil", "hana")
STATES: Final = ("open", "paid", "shipped", "cancelled")
GOODS: Final = ("tea", "soap", "pen", "cup", "lamp")


def told(answers: Sequence[str], key: str, otherwise: Any) -> Any:  # noqa: ANN401 - JSON
    """What an answer last gave under a key."""
    for content in reversed(answers):
        try:
            found = list(_under(json.loads(content), key))
        except ValueError:
            continue
        if found:
            return found[0]
    return otherwise


def _under(value: Any, key: str) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(value, dict | list):
        return
    for at, part in value.items() if isinstance(value, dict) else enumerate(value):
        if at == key:
            yield part
        yield from _under(part, key)


def bound(
    name: str,
    key: str,
    argument: str,
    otherwise: Any,  # noqa: ANN401 - JSON
    **rest: Any,  # noqa: ANN401 - JSON
) -> Step:
    """A call with one argument out of the answers so far."""

    def step(answers: Sequence[str]) -> Call:
        return name, {**rest, argument: told(answers, key, otherwise)}

    return step


def jobs_of(
    rng: random.Random, job: Callable[[random.Random], list[Step]], most: int = 3
) -> list[Step]:
    """Some jobs, one after another."""
    return [step for _ in range(rng.randint(1, most)) for step in job(rng)]


# Tables


def _table(name: str, key: str) -> Call:
    return "create_table", {
        "TableName": name,
        "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _order(number: int, who: str, goods: str, count: int, state: str) -> dict[str, Any]:
    return {
        "id": {"S": f"O-{number}"},
        "customer": {"S": who},
        "goods": {"S": goods},
        "count": {"N": str(count)},
        "state": {"S": state},
    }


TABLES: Final[tuple[Call, ...]] = (
    _table("orders", "id"),
    _table("customers", "name"),
    _table("stock", "goods"),
    *(
        (
            "put_item",
            {
                "TableName": "orders",
                "Item": _order(
                    number,
                    PEOPLE[number % 5],
                    GOODS[number * 3 % 5],
                    number % 4 + 1,
                    STATES[number % 3],
                ),
            },
        )
        for number in range(1001, 1013)
    ),
    *(
        (
            "put_item",
            {
                "TableName": "customers",
                "Item": {
                    "name": {"S": who},
                    "mail": {"S": f"{who}@example.org"},
                    "points": {"N": str(at * 15)},
                    "tags": {"L": [{"S": "new"}] if at % 2 else []},
                },
            },
        )
        for at, who in enumerate(PEOPLE[:6])
    ),
    *(
        ("put_item", {"TableName": "stock", "Item": {"goods": {"S": g}, "left": {"N": str(n)}}})
        for g, n in zip(GOODS, (4, 9, 0, 2, 31), strict=True)
    ),
)


def tables(rng: random.Random) -> list[Step]:
    """A shop's tables: an order looked up and changed under a condition, stock taken, points given."""
    return jobs_of(rng, _at_tables)


def _at_tables(rng: random.Random) -> list[Step]:
    order, who, goods = f"O-{rng.randint(1001, 1014)}", rng.choice(PEOPLE[:7]), rng.choice(GOODS)
    orders = {"TableName": "orders", "Key": {"id": {"S": order}}}
    see: Call = ("get_item", orders)
    person = {"TableName": "customers", "Key": {"name": {"S": who}}}
    shelf = {"TableName": "stock", "Key": {"goods": {"S": goods}}}
    new = f"O-{rng.randint(1020, 1026)}"
    moved = {
        **orders,
        "UpdateExpression": "SET #s = :s",
        "ConditionExpression": "#s = :was",
        "ExpressionAttributeNames": {"#s": "state"},
        "ExpressionAttributeValues": {
            ":s": {"S": rng.choice(STATES[1:])},
            ":was": {"S": rng.choice(STATES[:3])},
        },
        "ReturnValues": "ALL_NEW",
    }
    taken = {
        **shelf,
        "UpdateExpression": "SET #l = #l - :n",
        "ConditionExpression": "#l >= :n",
        "ExpressionAttributeNames": {"#l": "left"},
        "ExpressionAttributeValues": {":n": {"N": str(rng.randint(1, 4))}},
        "ReturnValues": "UPDATED_NEW",
    }
    given = {
        **person,
        "UpdateExpression": "ADD points :n",
        "ExpressionAttributeValues": {":n": {"N": str(rng.choice((5, 10, 25)))}},
        "ReturnValues": "UPDATED_NEW",
    }
    put = {
        "TableName": "orders",
        "Item": _order(int(new[2:]), who, goods, rng.randint(1, 4), "open"),
        "ConditionExpression": "attribute_not_exists(id)",
    }
    filed = {
        "TableName": "orders",
        "FilterExpression": "#s = :s",
        "ExpressionAttributeNames": {"#s": "state"},
        "ExpressionAttributeValues": {":s": {"S": rng.choice(STATES)}},
    }
    asked = {
        "TableName": "orders",
        "KeyConditionExpression": "id = :i",
        "ExpressionAttributeValues": {":i": {"S": order}},
    }
    jobs: list[list[Step]] = [
        [see, ("update_item", moved), see],
        [("get_item", shelf), ("update_item", taken), ("get_item", shelf)],
        [("get_item", person), ("update_item", given), ("get_item", person)],
        [("put_item", put), ("get_item", {"TableName": "orders", "Key": {"id": {"S": new}}})],
        [see, ("delete_item", {**orders, "ReturnValues": "ALL_OLD"}), see],
        [("scan", filed), ("update_item", moved), ("scan", filed)],
        [("list_tables", {}), ("describe_table", {"TableName": rng.choice(("orders", "stock"))})],
        [("query", asked), ("get_item", person)],
        [
            ("scan", {"TableName": "orders", "Limit": 5}),
            bound(
                "scan", "LastEvaluatedKey", "ExclusiveStartKey", None, TableName="orders", Limit=5
            ),
        ],
        [
            (
                "batch_get_item",
                {
                    "RequestItems": {
                        "customers": {"Keys": [{"name": {"S": who}}]},
                        "stock": {"Keys": [{"goods": {"S": goods}}]},
                    }
                },
            )
        ],
    ]
    return rng.choice(jobs)


# Queues

NAMES: Final = ("orders", "mails", "refunds", "orders-dead")
KEPT: Final = {"MessageRetentionPeriod": "1209600"}
TEXTS: Final = ("ship O-1001", "refund O-1004", "mail ada", "check stock", "close day")


def _url(name: str) -> str:
    return f"https://sqs.eu-west-1.amazonaws.com/123456789012/{name}"


QUEUES: Final[tuple[Call, ...]] = (
    *(("create_queue", {"QueueName": name, "Attributes": KEPT}) for name in NAMES),
    *(
        ("send_message", {"QueueUrl": _url(NAMES[at % 2]), "MessageBody": text})
        for at, text in enumerate(TEXTS)
    ),
)


def queues(rng: random.Random) -> list[Step]:
    """Queues of a shop: see what waits, take a message and finish it, send another, set them up."""
    return jobs_of(rng, _at_queues)


def _at_queues(rng: random.Random) -> list[Step]:
    name = rng.choice(NAMES)
    at = {"QueueUrl": _url(name)}
    some = rng.choice((["All"], ["ApproximateNumberOfMessages"], ["VisibilityTimeout"]))
    length: Call = ("get_queue_attributes", {**at, "AttributeNames": some})
    new = rng.choice(("returns", "audit", "invoices"))
    take: Call = ("receive_message", {**at, "MaxNumberOfMessages": rng.choice((1, 10))})
    seconds = str(rng.choice((30, 60, 120)))
    finish = bound("delete_message", "ReceiptHandle", "ReceiptHandle", "none", **at)
    jobs: list[list[Step]] = [
        [length, ("send_message", {**at, "MessageBody": rng.choice(TEXTS)}), length],
        [take, finish, length],
        [
            take,
            bound(
                "change_message_visibility",
                "ReceiptHandle",
                "ReceiptHandle",
                "none",
                **at,
                VisibilityTimeout=rng.choice((0, 60)),
            ),
            take,
        ],
        [("get_queue_url", {"QueueName": rng.choice((*NAMES, new))}), length],
        [
            ("list_queues", {}),
            ("create_queue", {"QueueName": new}),
            ("get_queue_url", {"QueueName": new}),
        ],
        [
            ("set_queue_attributes", {**at, "Attributes": {"VisibilityTimeout": seconds}}),
            ("get_queue_attributes", {**at, "AttributeNames": ["VisibilityTimeout"]}),
        ],
        [("purge_queue", at), length],
        [
            ("tag_queue", {**at, "Tags": {"team": rng.choice(PEOPLE[:3])}}),
            ("list_queue_tags", at),
        ],
        [("list_queues", {"QueueNamePrefix": rng.choice(("o", "m", "x"))})],
        [("delete_queue", at), ("list_queues", {}), length],
    ]
    return rng.choice(jobs)


# Users

GROUPS: Final = ("admins", "support", "billing")
RIGHTS: Final = ("ReadOrders", "WriteOrders", "ReadBills")


def _right(name: str) -> str:
    return f"arn:aws:iam::123456789012:policy/{name}"


def _policy(name: str) -> Call:
    said = {"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [said]})
    return "create_policy", {"PolicyName": name, "PolicyDocument": document}


USERS: Final[tuple[Call, ...]] = (
    *(("create_group", {"GroupName": name}) for name in GROUPS),
    *map(_policy, RIGHTS),
    *(("create_user", {"UserName": who}) for who in PEOPLE[:6]),
    *(
        ("add_user_to_group", {"GroupName": GROUPS[at % 3], "UserName": who})
        for at, who in enumerate(PEOPLE[:5])
    ),
    ("attach_group_policy", {"GroupName": "billing", "PolicyArn": _right("ReadBills")}),
    ("attach_user_policy", {"UserName": "ada", "PolicyArn": _right("WriteOrders")}),
    ("create_access_key", {"UserName": "bela"}),
)


def users(rng: random.Random) -> list[Step]:
    """Who may do what: join and leave groups, rights given and taken, keys turned over."""
    return jobs_of(rng, _at_users)


def _at_users(rng: random.Random) -> list[Step]:
    who, group, right = rng.choice(PEOPLE[:7]), rng.choice(GROUPS), _right(rng.choice(RIGHTS))
    person = {"UserName": who}
    member = {"GroupName": group, "UserName": who}
    new = rng.choice(("ines", "jan", "kim"))
    groups: Call = ("list_groups_for_user", person)
    rights: Call = ("list_attached_user_policies", person)
    both = {"UserName": who, "PolicyArn": right}
    off = bound(
        "update_access_key", "AccessKeyId", "AccessKeyId", "none", **person, Status="Inactive"
    )
    gone = bound("delete_access_key", "AccessKeyId", "AccessKeyId", "none", **person)
    jobs: list[list[Step]] = [
        [groups, ("add_user_to_group", member), groups],
        [groups, ("remove_user_from_group", member), ("get_group", {"GroupName": group})],
        [rights, ("attach_user_policy", both), rights],
        [rights, ("detach_user_policy", both), rights],
        [("get_user", person), ("list_access_keys", person)],
        [
            ("create_user", {"UserName": new}),
            ("add_user_to_group", {"GroupName": group, "UserName": new}),
            ("list_groups_for_user", {"UserName": new}),
        ],
        [
            ("create_access_key", person),
            ("list_access_keys", person),
            off,
            ("list_access_keys", person),
        ],
        [("list_access_keys", {"UserName": "bela"}), gone, ("list_access_keys", person)],
        [("list_users", {}), ("get_user", person)],
        [("get_user", person), ("delete_user", person), ("list_users", {})],
        [("list_groups", {}), ("get_group", {"GroupName": group})],
        [
            ("list_policies", {"Scope": "Local"}),
            ("list_attached_group_policies", {"GroupName": group}),
        ],
        [
            ("update_user", {**person, "NewUserName": f"{who}-old"}),
            ("get_user", {"UserName": f"{who}-old"}),
        ],
    ]
    return rng.choice(jobs)
