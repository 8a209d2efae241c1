"""Arithmetic as a tool: an expression of numbers, `+ - * /` and brackets in, a text with two decimals at most out."""

import ast
import operator
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Final

from examples.support_desk.backend.errors import ToolRefusalError

_OPERATORS: Final[dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
MAX_LENGTH: Final = 200


def calculate(expression: str) -> str:
    """The value of an arithmetic expression, rounded to two decimals, without trailing zeros."""
    try:
        if len(expression) > MAX_LENGTH:
            raise ToolRefusalError("bad_expression")
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return format(round(value, 2).normalize() + 0, "f")
    except (SyntaxError, ValueError, InvalidOperation, ZeroDivisionError, RecursionError) as error:
        raise ToolRefusalError("bad_expression") from error


def _value(node: ast.expr) -> Decimal:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return Decimal(repr(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left), _value(right))
    raise ToolRefusalError("bad_expression")
