"""French for who may do what."""

from __future__ import annotations

TEMPLATES = (
    ("you drive {a_w}, and {b_w} is driven now", "vous conduisez {a_w}, et c'est {b_w} qui est conduite maintenant"),
    ("ask the marshal for {a_w}", "demandez {a_w} au chef de manœuvre"),
    ("ask the one who drives, or the marshal", "demandez à qui conduit, ou au chef de manœuvre"),
)
