"""Who may give the layout an order: the one who drives, the marshal, and while nobody drives whoever may."""

from __future__ import annotations

import pytest

from pointsman.box.rights import Rights, check
from pointsman.errors import RefusedError


@pytest.mark.parametrize(
    ("rights", "holder", "why"),
    [
        (Rights("L"), None, ""),
        (Rights("L"), "ann", ""),
        (Rights("L"), "bob", "bob drives L"),
        (Rights("M"), None, "you drive M, and L is driven now"),
        (Rights(), "bob", "bob drives L"),
        (Rights(), None, ""),
        (Rights(marshal=True), "bob", ""),
    ],
)
def test_while_somebody_drives_nobody_else_gives_orders(rights: Rights, holder: str | None, why: str) -> None:
    if not why:
        check("ann", rights, "L", holder)
        return
    with pytest.raises(RefusedError) as refused:
        check("ann", rights, "L", holder)
    assert (refused.value.what, refused.value.where) == (why, "L")
