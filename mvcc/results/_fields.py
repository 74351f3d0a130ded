"""What the parts of ``clustering.json`` are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_ROUNDING = 1e-9  # a mean of shares may end so far above 1

Count = Annotated[int, Field(strict=True, ge=0, le=2**53)]
Positive = Annotated[int, Field(strict=True, ge=1, le=2**53)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1 + _ROUNDING)]


class Facts(BaseModel):
    """What a later version adds is not shown, but nothing to refuse."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())
