"""What one phone is told; no sentence too often."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.errors import PointsmanError
from pointsman.protocols.withrottle_messages import Alert, Information, ToPhone

SAID_AGAIN_S = 2.0
"""The same sentence is not said again sooner: a slider says a hundred times what is refused once."""


class Voice:
    """``say`` sends a message; ``clock`` counts seconds; ``said`` puts a sentence into the language of its person."""

    def __init__(
        self, say: Callable[[ToPhone], None], clock: Callable[[], float], said: Callable[[str], str] = str
    ) -> None:
        self.say = say
        self._clock = clock
        self._in_words = said
        self._said: dict[str, float] = {}

    def alert(self, text: str) -> None:
        """A sentence that its person has to see."""
        if self._is_new(text):
            self.say(Alert(self._in_words(text)))

    def inform(self, text: str) -> None:
        """A sentence that its person may want to see."""
        if self._is_new(text):
            self.say(Information(self._in_words(text)))

    def refusal(self, error: PointsmanError) -> None:
        """Why not, and what to do."""
        what, cure = self._in_words(error.what), self._in_words(error.cure)
        text = f"{error.where}: {what}" if error.where else what
        text = f"{text} ({cure})" if cure else text
        if self._is_new(text):
            self.say(Alert(text))

    def _is_new(self, text: str) -> bool:
        now = self._clock()
        self._said = {old: at_s for old, at_s in self._said.items() if now - at_s < SAID_AGAIN_S}
        if text in self._said:
            return False
        self._said[text] = now
        return True
