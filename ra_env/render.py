"""The text board of Ra, as everybody at the table sees it, and what else there is to see and to tell."""

from ra_env.actions import ACTION_NAMES, DRAW
from ra_env.components import (
    AUCTION_SPACES,
    EPOCHS,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    GOD,
    MAX_SUN,
    NUM_HELD,
    NUM_TILES,
    RA,
    TILE_NAMES,
)
from ra_env.state import (
    AUCTION,
    DISCARD,
    GODS,
    INVOKED,
    INVOKED_ON_FULL_TRACK,
    NOBODY,
    OPTIONS,
    OVER,
    RA_DRAWN,
    TURN,
)
from tabletop.game import options_text
from tabletop.kinds import Array, Record

CAUSES = {
    RA_DRAWN: "drew Ra",
    INVOKED: "invoked Ra",
    INVOKED_ON_FULL_TRACK: "invoked Ra on the full track",
}
ROWS = ((GOD, FIRST_CIVILIZATION), (FIRST_CIVILIZATION, FIRST_MONUMENT), (FIRST_MONUMENT, NUM_HELD))


def state_to_string(state: Record) -> str:
    """Return the board: tracks, then each seat with fame, suns and tiles, then what is asked."""
    lot = tiles_text(state.lot, GOD, NUM_TILES) or "empty"
    track = "R" * int(state.ra_tiles) + "." * int(state.ra_spaces - state.ra_tiles)
    lines = [
        f"epoch {min(int(state.epoch) + 1, EPOCHS)} of {EPOCHS}   Ra track [{track}]   center sun {state.center_sun}"
        f"   bag {state.bag_total}",
        f"lot ({state.lot_size} of {AUCTION_SPACES}): {lot}",
    ]
    for seat in range(int(state.num_players)):
        marker = ">" if seat == state.current and state.phase != OVER else " "
        rows = [tiles_text(state.tiles[seat], first, end) for first, end in ROWS]
        lines.append(
            f"{marker} seat {seat}   fame {state.fame[seat]:3d}   suns {suns_text(int(state.suns_up[seat])) or '-'}"
            f"   face down {suns_text(int(state.suns_down[seat])) or '-'}"
        )
        lines.append("    " + (" | ".join(row for row in rows if row) or "no tiles"))
    lines.append(question(state))
    return "\n".join(lines)


def question(state: Record) -> str:
    """Return one line that says what the game waits for."""
    seat = int(state.current)
    if state.phase == AUCTION:
        bid = (
            "no bid yet" if state.high_bidder == NOBODY else f"seat {state.high_bidder} bids {state.high_bid}"
        )
        return (
            f"auction: seat {state.turn_player} {CAUSES[int(state.cause)]}; {bid}; seat {seat} to bid or pass"
        )
    losses = f"{state.civilization_losses} civilization, {state.monument_losses} monument"
    return {
        TURN: f"seat {seat} to draw, invoke Ra or play a God tile",
        GODS: f"seat {seat} to play another God tile or end the turn",
        DISCARD: f"seat {seat} to discard to disasters: {losses}",
        OVER: "the game is over",
    }[int(state.phase)]


def remarks_for(state: Record, player: int) -> str:
    """Return what the board leaves out, the same for everybody: bag, box, past moves, options."""
    lines = [
        f"turn of seat {state.turn_player}, seat {state.current} asked, after {state.moves} moves",
        f"in the bag: {tiles_text(state.bag, RA, NUM_TILES) or 'nothing'}",
        f"out of the game: {tiles_text(state.discarded, RA, NUM_TILES) or 'nothing'}",
        f"rules: {options_text(state, OPTIONS)}",
    ]
    if state.in_auction == 1 and state.phase == DISCARD:
        lines.append(f"seat {state.turn_player} {CAUSES[int(state.cause)]}; bid {state.high_bid}")
    return "\n".join(lines)


def told(before: Record, action: int, after: Record, player: int) -> str:
    """Return a move and what was drawn by it: everybody sees everything."""
    move = f"{before.current} {ACTION_NAMES[action]}"
    if action != DRAW:
        return move
    return f"{move} {TILE_NAMES[int((before.bag - after.bag).argmax())]}"


def tiles_text(counts: Array, first: int, end: int) -> str:
    """Return the tiles of some kinds as "2 nile, pharaoh"."""
    named = [(int(counts[tile]), TILE_NAMES[tile].replace("_", " ")) for tile in range(first, end)]
    return ", ".join(name if number == 1 else f"{number} {name}" for number, name in named if number > 0)


def suns_text(suns: int) -> str:
    """Return a set of suns, highest first."""
    return " ".join(str(sun) for sun in range(MAX_SUN, 0, -1) if suns >> sun & 1)
