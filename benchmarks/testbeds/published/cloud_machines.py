"""What an account of `cloud` holds at the start, and what people ask an operations agent to do with it: secrets, servers, logs.

Comes in: dice. Goes out: the calls that a good agent would make. Not here: tables, queues and users (`cloud_scripts`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Call, Step
from benchmarks.testbeds.published.cloud_scripts import PEOPLE, bound, jobs_of, told

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


def secrets(rng: random.Random) -> list[Step]:
    """Settings and secrets: look one up, change it, see its history, take it away and bring it back."""
    return jobs_of(rng, _at_secrets)


def _at_secrets(rng: random.Random) -> list[Step]:
    name = rng.choice((*SETTINGS, "/shop/colour"))
    see: Call = ("get_parameter", {"Name": name})
    value = rng.choice(("EUR", "USD", "7", "300", "off"))
    put = {"Name": name, "Value": value, "Type": "String"}
    word = rng.choice((*WORDS, "crm-key"))
    secret = {"SecretId": word}
    said = f"second-{rng.randint(1, 4)}"
    read: Call = ("get_secret_value", secret)
    path = {"Path": rng.choice(("/shop", "/shop/mail", "/bank")), "Recursive": rng.random() < 0.5}
    jobs: list[list[Step]] = [
        [see, ("put_parameter", {**put, "Overwrite": True}), see],
        [("put_parameter", put), see],
        [("get_parameters_by_path", path), see],
        [("describe_parameters", {}), see],
        [("get_parameter_history", {"Name": name}), ("put_parameter", {**put, "Overwrite": True})],
        [("delete_parameter", {"Name": name}), see],
        [("get_parameters", {"Names": [name, rng.choice(sorted(SETTINGS))]})],
        [read, ("put_secret_value", {**secret, "SecretString": said}), read],
        [("describe_secret", secret), ("update_secret", {**secret, "Description": said}), read],
        [("list_secrets", {}), ("describe_secret", secret)],
        [("delete_secret", secret), read, ("restore_secret", secret), read],
        [("create_secret", {"Name": word, "SecretString": said}), read],
        [("list_secret_version_ids", secret)],
    ]
    return rng.choice(jobs)


# Servers

KINDS: Final = ("t3.micro", "t3.small", "m5.large")
DUTIES: Final = ("web", "db", "worker", "mail")
IMAGE: Final = "ami-12c6146b"


def _named(name: str, **tags: str) -> list[dict[str, Any]]:
    said = [{"Key": key, "Value": value} for key, value in {"Name": name, **tags}.items()]
    return [{"ResourceType": "instance", "Tags": said}]


def _launch(name: str, kind: str, **tags: str) -> Call:
    return "run_instances", {
        "ImageId": IMAGE,
        "InstanceType": kind,
        "MinCount": 1,
        "MaxCount": 1,
        "TagSpecifications": _named(name, **tags),
    }


SERVERS: Final[tuple[Call, ...]] = (
    *(
        _launch(f"{duty}-{at}", KINDS[at % 3], stage=("live", "test")[at % 2])
        for at, duty in enumerate(DUTIES * 2)
    ),
    ("create_volume", {"AvailabilityZone": "eu-west-1a", "Size": 20}),
    ("create_volume", {"AvailabilityZone": "eu-west-1b", "Size": 100}),
    ("create_security_group", {"GroupName": "shop", "Description": "the shop"}),
)


def servers(rng: random.Random) -> list[Step]:
    """Machines: find one by its name, stop or start or name it, look again."""
    return jobs_of(rng, _at_servers, 2)


def _at_servers(rng: random.Random) -> list[Step]:
    at = rng.randrange(8)
    find: Call = (
        "describe_instances",
        {"Filters": [{"Name": "tag:Name", "Values": [f"{DUTIES[at % 4]}-{at}"]}]},
    )
    state = rng.choice(("running", "stopped", "terminated"))
    by_state: Call = (
        "describe_instances",
        {"Filters": [{"Name": "instance-state-name", "Values": [state]}]},
    )
    stage = rng.choice(("live", "test"))
    by_stage: Call = ("describe_instances", {"Filters": [{"Name": "tag:stage", "Values": [stage]}]})
    health = _some("describe_instance_status")
    owner = [{"Key": "owner", "Value": rng.choice(PEOPLE)}]
    port = rng.choice((22, 80, 443))
    rule = {
        "GroupName": "shop",
        "IpProtocol": "tcp",
        "FromPort": port,
        "ToPort": port,
        "CidrIp": "10.0.0.0/8",
    }
    rules: Call = (
        "describe_security_groups",
        {"Filters": [{"Name": "group-name", "Values": ["shop"]}]},
    )
    jobs: list[list[Step]] = [
        [find, _some("stop_instances"), find],
        [find, _some("start_instances"), health],
        [find, _some("stop_instances"), _some("start_instances"), find],
        [find, _some("reboot_instances"), health],
        [find, _some("terminate_instances"), by_state],
        [find, _some("create_tags", "Resources", Tags=owner), _tags()],
        [by_state, health],
        [by_stage, health],
        [
            _launch(f"extra-{rng.randint(1, 3)}", rng.choice(KINDS)),
            _some("describe_instances"),
            health,
        ],
        [("describe_volumes", {}), ("describe_availability_zones", {})],
        [rules, ("authorize_security_group_ingress", rule), rules],
        [
            find,
            _some("stop_instances"),
            bound(
                "modify_instance_attribute",
                "InstanceId",
                "InstanceId",
                "i-0",
                InstanceType={"Value": rng.choice(KINDS)},
            ),
            find,
        ],
    ]
    return rng.choice(jobs)


def _some(name: str, argument: str = "InstanceIds", **rest: Any) -> Step:  # noqa: ANN401 - JSON
    """A call about the machine that was found last."""

    def step(answers: Sequence[str]) -> Call:
        return name, {argument: [told(answers, "InstanceId", "i-0")], **rest}

    return step


def _tags() -> Step:
    def step(answers: Sequence[str]) -> Call:
        whose = {"Name": "resource-id", "Values": [told(answers, "InstanceId", "i-0")]}
        return "describe_tags", {"Filters": [whose]}

    return step


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


def logs(rng: random.Random) -> list[Step]:
    """A log of events: what went wrong, a note beside it, how long it is kept."""
    return jobs_of(rng, _at_logs)


def _at_logs(rng: random.Random) -> list[Step]:
    group, stream = rng.choice(GROUPS_OF_LOGS), rng.choice((*STREAMS, "c"))
    where = {"logGroupName": group}
    line = {**where, "logStreamName": stream}
    see: Call = ("get_log_events", {**line, "startFromHead": True})
    search: Call = (
        "filter_log_events",
        {**where, "filterPattern": rng.choice(("ERROR", "order", "stop"))},
    )
    all_groups: Call = ("describe_log_groups", {})
    some: Call = ("describe_log_groups", {"logGroupNamePrefix": rng.choice(("/shop", "/bank"))})
    new = {"logGroupName": rng.choice(("/shop/mail", "/crm/web"))}
    noted = _put(group, stream, [rng.choice(LINES)], BEGAN + 60_000)
    days = {**where, "retentionInDays": rng.choice((1, 7, 30))}
    streams: Call = ("describe_log_streams", where)
    jobs: list[list[Step]] = [
        [search, see],
        [see, noted, see],
        [streams, ("create_log_stream", line), streams],
        [some, ("put_retention_policy", days), some],
        [all_groups, ("create_log_group", new), all_groups],
        [("delete_log_stream", line), streams],
        [("delete_log_group", where), all_groups],
        [("delete_retention_policy", where), some],
        [noted, search],
        [
            ("get_log_events", {**line, "startFromHead": True, "limit": 1}),
            bound("get_log_events", "nextForwardToken", "nextToken", "none", **line, limit=1),
        ],
    ]
    return rng.choice(jobs)
