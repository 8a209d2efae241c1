"""The type an asset body returns.

Dagster compares the annotation with the bare class (a subscripted one fails as soon as the asset has a check), mypy
strict wants the argument: one alias serves both.
"""

from typing import TYPE_CHECKING, Any

import dagster as dg

if TYPE_CHECKING:
    AssetResult = dg.MaterializeResult[Any]
else:
    AssetResult = dg.MaterializeResult
