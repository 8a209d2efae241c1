"""What an account of `cloud` holds at the start, and what people ask an operations agent to do: tables, queues, users, secrets, logs.

Comes in: dice. Goes out: the calls that a good agent would make: look something up, act on it, check. Ids that an answer gave
are taken from the answer. Not here: calling the cloud.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Call, Step
from benchmarks.testbeds.invented.scripts import Goals

PEOPLE: Final = ("ada", "bela", "chen", "dora", "emil", "fay", "gil", "hana")
STATES: Final = ("open", "paid", "shipped", "cancelled")
GOODS: Final = ("tea", "soap", "pen", "cup", "lamp")


def told(key: str, otherwise: Any) -> Callable[[Sequence[str]], Any]:  # noqa: ANN401 - JSON
    """What an answer last gave under a key."""

    def value(answers: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
        for content in reversed(answers):
            try:
                found = list(_under(json.loads(content), key))
            except ValueError:
                continue
            if found:
                return found[0]
        return otherwise

    return value


def _under(value: Any, key: str) -> Iterator[Any]:  # noqa: ANN401 - JSON
    if not isinstance(value, dict | list):
        return
    for at, part in value.items() if isinstance(value, dict) else enumerate(value):
        if at == key:
            yield part
        yield from _under(part, key)


def some(job: Callable[[random.Random], list[list[Step]]], rng: random.Random) -> list[Step]:
    """One to three jobs, one after another; `job` draws what all its goals are about."""
    return [step for _ in range(rng.randint(1, 3)) for step in rng.choice(job(rng))]


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


AT_TABLES: Final = Goals("""
    get_item *order; update_item *moved; get_item *order
    get_item *shelf; update_item *taken; get_item *shelf
    get_item *person; update_item *given; get_item *person
    put_item *put; get_item TableName=orders Key=$new
    get_item *order; delete_item *order ReturnValues=ALL_OLD; get_item *order
    scan *filed; update_item *moved; scan *filed
    list_tables; describe_table TableName=orders|stock
    query *asked; get_item *person
    scan TableName=orders Limit=5; scan TableName=orders Limit=5 ExclusiveStartKey=$after
    batch_get_item RequestItems=$both
""")


def tables(rng: random.Random) -> list[list[Step]]:
    """A shop's tables: an order looked up and changed under a condition, stock taken, points given."""
    order, who, goods = f"O-{rng.randint(1001, 1014)}", rng.choice(PEOPLE[:7]), rng.choice(GOODS)
    orders = {"TableName": "orders", "Key": {"id": {"S": order}}}
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
    both = {
        "customers": {"Keys": [{"name": {"S": who}}]},
        "stock": {"Keys": [{"goods": {"S": goods}}]},
    }
    return AT_TABLES.steps(
        rng,
        order=orders,
        shelf=shelf,
        person=person,
        moved=moved,
        taken=taken,
        given=given,
        put=put,
        new={"id": {"S": new}},
        filed=filed,
        asked=asked,
        both=both,
        after=told("LastEvaluatedKey", None),
    )


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


AT_QUEUES: Final = Goals("""
    $length; send_message *at MessageBody=?texts; $length
    $take; delete_message *at ReceiptHandle=$taken; $length
    $take; change_message_visibility *at VisibilityTimeout=0|60 ReceiptHandle=$taken; $take
    get_queue_url QueueName=?names; $length
    list_queues; create_queue QueueName=$new; get_queue_url QueueName=$new
    set_queue_attributes *at Attributes=$seconds;
        get_queue_attributes *at AttributeNames=$one_of_them
    purge_queue *at; $length
    tag_queue *at Tags=?teams; list_queue_tags *at
    list_queues QueueNamePrefix=o|m|x
    delete_queue *at; list_queues; $length
""")


def queues(rng: random.Random) -> list[list[Step]]:
    """Queues of a shop: see what waits, take a message and finish it, send another, set them up."""
    at = {"QueueUrl": _url(rng.choice(NAMES))}
    wanted = rng.choice((["All"], ["ApproximateNumberOfMessages"], ["VisibilityTimeout"]))
    new = rng.choice(("returns", "audit", "invoices"))
    return AT_QUEUES.steps(
        rng,
        take=("receive_message", {**at, "MaxNumberOfMessages": rng.choice((1, 10))}),
        seconds={"VisibilityTimeout": str(rng.choice((30, 60, 120)))},
        at=at,
        length=("get_queue_attributes", {**at, "AttributeNames": wanted}),
        one_of_them=["VisibilityTimeout"],
        taken=told("ReceiptHandle", "none"),
        texts=TEXTS,
        names=(*NAMES, new),
        new=new,
        teams=[{"team": who} for who in PEOPLE[:3]],
    )


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


AT_USERS: Final = Goals("""
    list_groups_for_user $UserName; add_user_to_group $GroupName $UserName;
        list_groups_for_user $UserName
    list_groups_for_user $UserName; remove_user_from_group $GroupName $UserName;
        get_group $GroupName
    list_attached_user_policies $UserName; attach_user_policy $UserName $PolicyArn;
        list_attached_user_policies $UserName
    list_attached_user_policies $UserName; detach_user_policy $UserName $PolicyArn;
        list_attached_user_policies $UserName
    get_user $UserName; list_access_keys $UserName
    create_user UserName=$new; add_user_to_group $GroupName UserName=$new;
        list_groups_for_user UserName=$new
    create_access_key $UserName; list_access_keys $UserName;
        update_access_key $UserName Status=Inactive AccessKeyId=$key; list_access_keys $UserName
    list_access_keys UserName=bela; delete_access_key $UserName AccessKeyId=$key;
        list_access_keys $UserName
    list_users; get_user $UserName
    get_user $UserName; delete_user $UserName; list_users
    list_groups; get_group $GroupName
    list_policies Scope=Local; list_attached_group_policies $GroupName
    update_user $UserName NewUserName=$old; get_user UserName=$old
""")


def users(rng: random.Random) -> list[list[Step]]:
    """Who may do what: join and leave groups, rights given and taken, keys turned over."""
    who = rng.choice(PEOPLE[:7])
    return AT_USERS.steps(
        rng,
        UserName=who,
        GroupName=rng.choice(GROUPS),
        PolicyArn=_right(rng.choice(RIGHTS)),
        new=rng.choice(("ines", "jan", "kim")),
        old=f"{who}-old",
        key=told("AccessKeyId", "none"),
    )


# Secrets

SETTINGS: Final = {
    "/shop/currency": "EUR",
    "/shop/tax": "19",
    "/shop/mail/sender": "shop@example.org",
    "/shop/mail/limit": "200",
    "/bank/url": "https://bank.example.org",
}
WORDS: Final = ("db-main", "db-copy", "bank-key", "mail-key")

SECRETS: Final[tuple[Call, ...]] = (
    *(("put_parameter", {"Name": n, "Value": v, "Type": "String"}) for n, v in SETTINGS.items()),
    *(("create_secret", {"Name": n, "SecretString": f"first-{n}"}) for n in WORDS),
)


AT_SECRETS: Final = Goals("""
    get_parameter $Name; put_parameter *put Overwrite=true; get_parameter $Name
    put_parameter *put; get_parameter $Name
    get_parameters_by_path *path; get_parameter $Name
    describe_parameters; get_parameter $Name
    get_parameter_history $Name; put_parameter *put Overwrite=true
    delete_parameter $Name; get_parameter $Name
    get_parameters Names=?pairs
    get_secret_value $SecretId; put_secret_value $SecretId SecretString=$said;
        get_secret_value $SecretId
    describe_secret $SecretId; update_secret $SecretId Description=$said;
        get_secret_value $SecretId
    list_secrets; describe_secret $SecretId
    delete_secret $SecretId; get_secret_value $SecretId; restore_secret $SecretId;
        get_secret_value $SecretId
    create_secret Name=$SecretId SecretString=$said; get_secret_value $SecretId
    list_secret_version_ids $SecretId
""")


def secrets(rng: random.Random) -> list[list[Step]]:
    """Settings and secrets: look one up, change it, see its history, take it away and bring it back."""
    name = rng.choice((*SETTINGS, "/shop/colour"))
    value = rng.choice(("EUR", "USD", "7", "300", "off"))
    return AT_SECRETS.steps(
        rng,
        Name=name,
        put={"Name": name, "Value": value, "Type": "String"},
        SecretId=rng.choice((*WORDS, "crm-key")),
        said=f"second-{rng.randint(1, 4)}",
        path={
            "Path": rng.choice(("/shop", "/shop/mail", "/bank")),
            "Recursive": rng.random() < 0.5,
        },
        pairs=[[name, other] for other in sorted(SETTINGS)],
    )


# Logs

GROUPS_OF_LOGS: Final = ("/shop/web", "/shop/worker", "/bank/gate")
STREAMS: Final = ("a", "b")
LINES: Final = ("start", "order O-1001 paid", "timeout of bank", "ERROR no stock", "stop")
BEGAN: Final = 1_772_186_400_000


def _put(group: str, stream: str, lines: Sequence[str], since: int) -> Call:
    events = [{"timestamp": since + 1000 * at, "message": said} for at, said in enumerate(lines)]
    return "put_log_events", {"logGroupName": group, "logStreamName": stream, "logEvents": events}


LOGS: Final[tuple[Call, ...]] = (
    *(("create_log_group", {"logGroupName": group}) for group in GROUPS_OF_LOGS),
    *(
        ("create_log_stream", {"logGroupName": group, "logStreamName": stream})
        for group in GROUPS_OF_LOGS
        for stream in STREAMS
    ),
    *(
        _put(group, stream, LINES[at : at + 3], BEGAN)
        for at, group in enumerate(GROUPS_OF_LOGS)
        for stream in STREAMS
    ),
)


AT_LOGS: Final = Goals("""
    filter_log_events *where filterPattern=$word; get_log_events *line startFromHead=true
    get_log_events *line startFromHead=true; $noted; get_log_events *line startFromHead=true
    describe_log_streams *where; create_log_stream *line; describe_log_streams *where
    describe_log_groups $logGroupNamePrefix; put_retention_policy *days;
        describe_log_groups $logGroupNamePrefix
    describe_log_groups; create_log_group *new; describe_log_groups
    delete_log_stream *line; describe_log_streams *where
    delete_log_group *where; describe_log_groups
    delete_retention_policy *where; describe_log_groups $logGroupNamePrefix
    $noted; filter_log_events *where filterPattern=$word
    get_log_events *line startFromHead=true limit=1; get_log_events *line limit=1 nextToken=$token
""")


def logs(rng: random.Random) -> list[list[Step]]:
    """A log of events: what went wrong, a note beside it, how long it is kept."""
    group, stream = rng.choice(GROUPS_OF_LOGS), rng.choice((*STREAMS, "c"))
    where = {"logGroupName": group}
    return AT_LOGS.steps(
        rng,
        word=rng.choice(("ERROR", "order", "stop")),
        logGroupNamePrefix=rng.choice(("/shop", "/bank")),
        new={"logGroupName": rng.choice(("/shop/mail", "/crm/web"))},
        noted=_put(group, stream, [rng.choice(LINES)], BEGAN + 60_000),
        days={**where, "retentionInDays": rng.choice((1, 7, 30))},
        where=where,
        line={**where, "logStreamName": stream},
        token=told("nextForwardToken", "none"),
    )
