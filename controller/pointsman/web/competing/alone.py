"""What a competition without a layout has besides: a first page, and a sign of life."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import RedirectResponse

from pointsman.web.front import LIMITED
from pointsman.web.schemas import HealthView

router = APIRouter(responses=LIMITED)


@router.get("/", include_in_schema=False)
async def page() -> RedirectResponse:
    """Here is nothing but the competition."""
    return RedirectResponse("/competition")


@router.get("/healthz")
async def healthz() -> HealthView:
    """Whether the server answers, and what goes on."""
    return HealthView(status="ok", mode="competition", version=version("pointsman"))
