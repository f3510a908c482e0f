"""A node with the compiled firmware, wired to a simulated fork."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from loop_bench import LoopBench, loop
from loop_drive import Made
from node_bench import accepted

from pointsman.protocols.node_constants import Setting
from pointsman.protocols.node_messages import Set
from railsim.node_firmware import SOLENOID


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return partial(loop, tmp_path_factory.mktemp("node"))


@pytest.fixture
def bench(node: Made) -> Iterator[LoopBench]:
    with node() as made:
        yield made


@pytest.fixture
def solenoid(node: Made) -> Iterator[LoopBench]:
    """T1 has a solenoid."""
    with node(solenoids=["T1"]) as made:
        assert accepted(made.ask(Set(Setting.MACHINE, 1, SOLENOID)))
        yield made
