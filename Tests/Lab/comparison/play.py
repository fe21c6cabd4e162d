"""Plays scenarios against the org.bluez of the system bus, and writes the recordings as lines of JSON.

    play.py lab|simulator OUT [--security WORD] [--share N/M] [NAME-PART|=NAME...]

`lab` runs in the lab's guest, `simulator` under `blerun simulate … --control`. With --security the
scenarios of devices that pair so, which is one simulation each; the lab plays all of them. With
--share one of M parts of those that take about as long as each other.
"""
import argparse
import asyncio
import json
import sys
import time
import traceback

import scenarios
from player import Player
from sides import Lab, Simulator

LONGEST = 200   # seconds that a scenario may take


async def play(scenario, side):
    """One scenario's recording; what went wrong with it, if anything did, is an entry of its own."""
    player = Player(side)
    try:
        await side.begin()
        await player.open()
        await side.pair_by(scenario.security)
        await player.without_capability()
        await side.set_echo(b"hello")       # whatever was played before
        await asyncio.wait_for(scenario.function(player), LONGEST)
    except Exception as error:
        player.begin("the scenario failed")
        player.keep({"kind": "failure", "stream": "client", "body": [repr(error)]})
        traceback.print_exc(file=sys.stderr)
    finally:
        player.close()
    return {"scenario": scenario.name, "steps": player.steps}


def is_chosen(scenario, names):
    return not names or any(f"={scenario.name}" == name or name in scenario.name for name in names)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=["lab", "simulator"])
    parser.add_argument("out")
    parser.add_argument("--security")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    side = Lab() if options.side == "lab" else Simulator(options.security)
    await side.open()
    chosen = [each for each in scenarios.ALL
              if options.security in (None, each.security)
              and is_chosen(each, options.names)]
    chosen = scenarios.share(chosen, *map(int, options.share.split("/")))
    with open(options.out, "w") as out:
        for each in chosen:
            began = time.monotonic()
            print(json.dumps(await play(each, side)), file=out, flush=True)
            print(f"{side.name}: {each.name}: {time.monotonic() - began:.1f} s", file=sys.stderr,
                  flush=True)


asyncio.run(main())
