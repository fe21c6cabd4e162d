"""Compares what was recorded of bluetoothd with what was recorded of the simulator: pure.

Each step's entries are brought into the form of rules.py on both sides; what then differs is
permitted by an entry of permitted.py, or is a difference.
"""
import collections
import difflib

from lines import lines
from rules import RULES

Difference = collections.namedtuple("Difference", "scenario step lines")


def compared(real, simulated, permitted=()):
    """The differences between two lists of recordings; the first is bluetoothd's."""
    differences = []
    theirs = {each["scenario"]: each["steps"] for each in simulated}
    for each in real:
        name = each["scenario"]
        differences += scenario(name, each["steps"], theirs.pop(name, []), permitted)
    return differences + [Difference(name, "all of it", ["+ played on the simulator alone"])
                          for name in theirs]


def scenario(name, real, simulated, permitted):
    titles, others = [[each["step"] for each in steps] for steps in (real, simulated)]
    if titles != others:
        return [Difference(name, "its steps", difference(titles, others))]
    found = []
    for expected, got in zip(real, simulated):
        failures = [line for each in (expected, got) for entry in each["entries"]
                    if entry["kind"] == "failure" for line in lines(entry)]
        if failures:
            found.append(Difference(name, expected["step"], failures))
            continue
        differing = step(name, expected, got, permitted)
        if differing:
            found.append(Difference(name, expected["step"], differing))
    return found


def step(name, real, simulated, permitted):
    """The lines of a step's difference; none when there is none."""
    sides = [tidied(each["entries"]) for each in (real, simulated)]
    for each in permitted:
        if each.is_for(name, real["step"]):
            sides = each.apply(*sides)
    return difference(*[[text for entry in side for text in lines(entry)] for side in sides])


def tidied(entries):
    for rule in RULES:
        entries = rule(entries)
    return entries


def difference(real, simulated):
    """A unified difference of lines, with all that is around it: `-` bluetoothd, `+` simulator."""
    if real == simulated:
        return []
    lines = difflib.unified_diff(real, simulated, n=1000, lineterm="")
    return [each for each in lines if not each.startswith(("---", "+++", "@@"))]


def unneeded(real, simulated, permitted):
    """The permitted differences without which nothing more differs, except those by chance."""
    before = compared(real, simulated, permitted)
    return [each for each in permitted if not each.by_chance and compared(
        real, simulated, [other for other in permitted if other is not each]) == before]
