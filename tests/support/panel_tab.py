"""A page in a tab of the browser's own window, so that another tab in front of it really hides it.

A page that Playwright opens takes itself for visible and focused whatever stands before it. This one is reached by the
browser's debugging protocol alone.
"""

from __future__ import annotations

import json
import time
from typing import Any

from playwright.sync_api import Browser

WITHIN_S = 60.0


class Tab:
    """See the module. To be closed."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._window = browser.new_browser_cdp_session()
        self._answers: dict[int, dict[str, Any]] = {}
        self._number = 0
        self._opened: list[str] = []
        self._window.on("Target.receivedMessageFromTarget", self._hear)
        self._target = self._open(address)
        attached = self._window.send("Target.attachToTarget", {"targetId": self._target, "flatten": False})
        self._session: str = attached["sessionId"]

    def close(self) -> None:
        """Close it, and what was opened in front of it."""
        found = self._window.send("Target.getTargets")["targetInfos"]
        for target in {one["targetId"] for one in found} & set(self._opened):
            self._window.send("Target.closeTarget", {"targetId": target})
        self._window.detach()

    # ------------------------------------------------------------ what a person does

    def take(self) -> None:
        """Take the throttle, over from whoever has it: press what is offered until the page drives."""
        offered = "document.querySelector('.dialog .main') ?? document.querySelector('#take')"
        press = "(one) => (one?.checkVisibility() && !one.disabled && one.click(), false)"
        self.until(f"document.body.classList.contains('driving') || ({press})({offered})")

    def point_left(self) -> None:
        """Choose the way to the left."""
        self.until("!document.hidden && !document.querySelector('#leave').disabled")
        self.until("((one) => (one.click(), one.ariaPressed === 'true'))(document.querySelector('.ways .way'))")

    def creep(self) -> None:
        """Turn the throttle up to its slowest speed, if it is closed."""
        faster = "document.querySelector('.throttle .big:last-child')"
        self.evaluate(f"document.querySelector('#speed').value === '0' && {faster}.click()")

    def until(self, holds: str) -> None:
        """Wait until an expression holds in the page."""
        until_s = time.monotonic() + WITHIN_S
        while not self.evaluate(holds):
            assert time.monotonic() < until_s, holds

    def evaluate(self, expression: str) -> Any:
        """What an expression is in the page; None while there is no page yet."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        found = answer.get("result", {})
        return None if "exceptionDetails" in found else found.get("result", {}).get("value")

    # ------------------------------------------------------------ what befalls it

    def cover(self) -> None:
        """Open another tab in front of it."""
        self._open("about:blank")

    def uncover(self) -> None:
        """Come back to it."""
        self._window.send("Target.activateTarget", {"targetId": self._target})

    def freeze(self) -> None:
        """Its script stands still; its connections stay open."""
        self.send("Debugger.enable")
        self.send("Debugger.pause")

    def thaw(self) -> None:
        """Its script goes on."""
        self.send("Debugger.resume")

    def crash(self) -> None:
        """Its process ends, and says nothing more."""
        self._post("Page.crash")

    # ------------------------------------------------------------ the protocol

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to the tab, and wait for its answer."""
        number, until_s = self._post(method, **parameters), time.monotonic() + WITHIN_S
        while number not in self._answers:
            assert time.monotonic() < until_s, f"no answer to {method}"
            self._window.send("Browser.getVersion")  # what comes is heard while an answer is waited for
        return self._answers.pop(number)

    def _open(self, address: str) -> str:
        target: str = self._window.send("Target.createTarget", {"url": address})["targetId"]
        self._opened.append(target)
        return target

    def _post(self, method: str, **parameters: Any) -> int:
        self._number += 1
        message = json.dumps({"id": self._number, "method": method, "params": parameters})
        self._window.send("Target.sendMessageToTarget", {"sessionId": self._session, "message": message})
        return self._number

    def _hear(self, said: dict[str, Any]) -> None:
        message = json.loads(said["message"])
        if "id" in message:
            self._answers[message["id"]] = message
