"""Why results and certificates are not printed."""

from __future__ import annotations

TEMPLATES = (
    ("there is nobody to print a certificate for", "il n'y a personne pour qui imprimer un diplôme"),
    ("name an entrant", "nommez un participant"),
    ("{a_w} is not in round {b_w}", "{a_w} n'est pas dans la manche {b_w}"),
    ("choose one who is, or another round", "choisissez quelqu'un qui y est, ou une autre manche"),
)
