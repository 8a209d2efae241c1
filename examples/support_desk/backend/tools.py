"""The tools as the agent gets them: name, description, parameters, and the function behind each.

`{word}` in a description is a status or kind that the variant words. Not here: the functions' rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from examples.support_desk.backend import after_sale, reads, records, writes
from examples.support_desk.backend.calculator import calculate
from examples.support_desk.backend.names import COUNTRIES
from examples.support_desk.variant import Json, Variant

Kind: TypeAlias = Literal["string", "number", "boolean", "list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool."""

    name: str
    kind: Kind = "string"
    required: bool = True
    choices: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool under its plain name."""

    name: str
    text: str
    parameters: tuple[Parameter, ...]
    run: Callable[..., Json]
    """Takes the database and the arguments by name."""
    writes: bool = False
    timed: bool = False
    """Also takes a `Press`: it makes a record with an id and a time."""


def _text(name: str, text: str = "", choices: tuple[str, ...] = ()) -> Parameter:
    return Parameter(name=name, text=text, choices=choices)


_ADDRESS: Final = (
    _text("street", "Street and house number."),
    _text("city"),
    _text("region", "State, province or county."),
    _text("postcode"),
    _text("country", choices=COUNTRIES),
)
_ORDER: Final = _text("order_id", "The order's number.")
_PAYMENT: Final = _text("payment_id", "Which of the customer's means of payment.")
_ITEMS: Final = Parameter(name="item_ids", kind="list", text="Which lines of the order.")

TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        name="find_customer_by_email",
        text="Finds a customer by e-mail address.",
        parameters=(_text("email"),),
        run=reads.find_customer_by_email,
    ),
    Tool(
        name="find_customer_by_name",
        text="Finds a customer by first name, last name and postcode, when they do not know their e-mail address.",
        parameters=(_text("first_name"), _text("last_name"), _text("postcode")),
        run=reads.find_customer_by_name,
    ),
    Tool(
        name="get_customer",
        text="Everything about a customer: contact, address, means of payment, order numbers.",
        parameters=(_text("customer_id"),),
        run=records.customer_record,
    ),
    Tool(
        name="get_order",
        text="Everything about an order: status, dates, items, payments, returns.",
        parameters=(_ORDER,),
        run=records.order_record,
    ),
    Tool(
        name="get_product",
        text="A product with all its versions, their prices and how many are left.",
        parameters=(_text("product_id"),),
        run=records.product_record,
    ),
    Tool(
        name="get_return",
        text="A return by its number.",
        parameters=(_text("return_id"),),
        run=records.return_record,
    ),
    Tool(
        name="search_products",
        text="Searches the catalogue, cheapest first.",
        parameters=(
            Parameter(name="category", required=False),
            Parameter(name="max_price", kind="number", required=False),
            Parameter(name="text", required=False, text="Words in the product's name."),
            Parameter(name="in_stock", kind="boolean", required=False),
        ),
        run=reads.search_products,
    ),
    Tool(
        name="calculator",
        text="Computes an arithmetic expression of numbers, + - * / and brackets.",
        parameters=(_text("expression"),),
        run=lambda _db, expression: calculate(expression),
    ),
    Tool(
        name="cancel_order",
        text="Cancels an order that is '{pending}'. The money goes back to where it came from.",
        parameters=(_ORDER, _text("reason", choices=writes.CANCEL_REASONS)),
        run=writes.cancel_order,
        writes=True,
    ),
    Tool(
        name="return_items",
        text="Opens a return for items of an order that is '{delivered}'. The money goes to the original means of payment or a gift card.",
        parameters=(_ORDER, _ITEMS, _PAYMENT),
        run=after_sale.return_items,
        writes=True,
        timed=True,
    ),
    Tool(
        name="exchange_items",
        text="Exchanges items of an order that is '{delivered}' for other versions of the same products. Possible once per order.",
        parameters=(
            _ORDER,
            _ITEMS,
            Parameter(name="new_variant_ids", kind="list", text="The new version for each line."),
            _PAYMENT,
        ),
        run=after_sale.exchange_items,
        writes=True,
    ),
    Tool(
        name="change_order_address",
        text="Changes where an order that is '{pending}' is sent.",
        parameters=(_ORDER, *_ADDRESS),
        run=writes.change_order_address,
        writes=True,
    ),
    Tool(
        name="change_customer_address",
        text="Changes a customer's address. Orders already placed keep theirs.",
        parameters=(_text("customer_id"), *_ADDRESS),
        run=writes.change_customer_address,
        writes=True,
    ),
    Tool(
        name="refund",
        text="Pays part of an order that is '{delivered}' back, without a return.",
        parameters=(
            _ORDER,
            _PAYMENT,
            Parameter(name="amount", kind="number"),
            _text("reason", choices=after_sale.REFUND_REASONS),
        ),
        run=after_sale.refund,
        writes=True,
        timed=True,
    ),
    Tool(
        name="hand_over",
        text="Hands the conversation over to a person. Ends your part.",
        parameters=(
            _text("queue", choices=after_sale.QUEUES),
            _text("summary", "What the person needs to know."),
        ),
        run=after_sale.hand_over,
        writes=True,
        timed=True,
    ),
)

BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}


def definitions(variant: Variant) -> list[dict[str, Json]]:
    """The tools as OpenAI tool definitions in a variant's names."""
    return [_definition(tool, variant) for tool in TOOLS]


def _definition(tool: Tool, variant: Variant) -> dict[str, Json]:
    words = {word.replace(" ", "_"): shown for word, shown in variant.values.items()}
    properties: dict[str, Json] = {
        variant.fields[p.name]: _schema(p, variant) for p in tool.parameters
    }
    parameters: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": [variant.fields[p.name] for p in tool.parameters if p.required],
    }
    function: dict[str, Json] = {
        "name": variant.tools[tool.name],
        "description": tool.text.format(**words),
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


def _schema(parameter: Parameter, variant: Variant) -> dict[str, Json]:
    schema: dict[str, Json] = (
        {"type": "array", "items": {"type": "string"}}
        if parameter.kind == "list"
        else {"type": parameter.kind}
    )
    if parameter.choices:
        schema["enum"] = [variant.word(choice) for choice in parameter.choices]
    if parameter.text:
        schema["description"] = parameter.text
    return schema
