"""Test support: a world with its power on, that is driven until something happens."""

from sim_tracks import CLOSED

from pointsman.track.model import Leg, Track
from railsim.hidden import Hidden
from railsim.incidents import Kind, WorldEvent
from railsim.setup import Setup
from railsim.world import World


def powered(track: Track, position: str, seed: int = 1, lie: dict[str, Leg] | None = None, **more: object) -> World:
    setup = Setup.parse(position)
    world = World(track, Setup(setup.segments, {}, lie or dict.fromkeys(track.turnouts, CLOSED)), Hidden(seed))
    world.set_power(True)
    return world


def drive(world: World, forward: bool, step: int, for_s: float, loco: str = "L") -> list[WorldEvent]:
    """Run for a time, then brake to a stand."""
    world.set_throttle(loco, forward, step)
    events = world.advance(world.now_s + for_s)
    world.set_throttle(loco, forward, 0)
    return events + world.advance(world.now_s + 3.0)


def until(world: World, kind: type[WorldEvent], forward: bool, step: int, loco: str = "L") -> list[WorldEvent]:
    """Run until something happens, then brake to a stand."""
    world.set_throttle(loco, forward, step)
    events: list[WorldEvent] = []
    while not any(isinstance(event, kind) for event in events):
        due = world.next_event_s()
        assert due is not None, f"{kind.__name__} never came: {events}"
        events += world.advance(due)
    world.set_throttle(loco, forward, 0)
    return events + world.advance(world.now_s + 3.0)


def kinds(world: World) -> list[Kind]:
    return [incident.kind for incident in world.incidents]


def spot(world: World, vehicle: str) -> tuple[str, float]:
    """Where a vehicle's middle is."""
    for where, vehicles in world.truth().on.items():
        for found in vehicles:
            if found.name == vehicle:
                return where, (found.from_mm + found.to_mm) / 2
    raise AssertionError(f"{vehicle} is lost")


def along_s1(world: World, vehicle: str) -> float:
    """Where a vehicle's middle is, measured from the beginning of s1 (also on the turnout before it)."""
    where, at = spot(world, vehicle)
    return at if where == "s1" else at - 282.0
