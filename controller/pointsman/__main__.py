"""Where the program begins: what Ctrl-C does and where output goes is settled before anything large is imported."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

CTRL_C = 130
STOPPED = "stopped by Ctrl-C\n"
STOPPED_JSON = (
    '{"error": {"kind": "HaltedError", "what": "stopped by Ctrl-C", "where": "", "cure": "", "exit_code": 130}}\n'
)


def main() -> None:
    """Run the command line. Until it is imported nothing is open and nothing moves: Ctrl-C then ends at once."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    _fill_standard_streams()

    from pointsman.cli import main as command_line

    command_line.load(sys.argv[1] if len(sys.argv) > 1 else "")
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, usual)
    command_line.main()


def _end(_number: int, _frame: FrameType | None) -> None:
    """End now: an exception in the midst of an import may be lost, or be taken for something else."""
    if "--json" in sys.argv[1:]:
        _write(sys.stdout.fileno(), STOPPED_JSON)
    _write(sys.stderr.fileno(), STOPPED)
    os._exit(CTRL_C)


def _write(descriptor: int, text: str) -> None:
    try:
        os.write(descriptor, text.encode())
    except OSError:
        os._exit(CTRL_C)  # nobody reads it


def _fill_standard_streams() -> None:
    """Let no port or journal get the number of a standard stream that is closed: what is printed would go there."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - to the end of the program
    told = sys.stdout is not None
    if not told:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if not told:
        sys.exit("standard output is closed: nothing can be told\n  -> run it with an output, if only >/dev/null")


if __name__ == "__main__":
    main()
