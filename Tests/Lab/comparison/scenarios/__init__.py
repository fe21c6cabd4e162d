"""The scenarios that are played on both sides, by name, each with how its device pairs."""
import collections

Scenario = collections.namedtuple("Scenario", "name function security seconds")
ALL = []


def scenario(name, security="just-works", seconds=5):
    """`seconds` is about how long it takes, where that is long."""
    def add(function):
        ALL.append(Scenario(name, function, security, seconds))
        return function
    return add


def share(chosen, number, count):
    """The scenarios of one of several players, who take about as long as each other."""
    loads = [[] for _ in range(count)]
    for each in sorted(chosen, key=lambda it: -it.seconds):
        min(loads, key=lambda load: sum(it.seconds for it in load)).append(each)
    return [each for each in chosen if each in loads[number - 1]]


from . import (scan, objects, links, attributes, subscriptions, pairing, adapters,  # noqa: E402, F401
               descriptors, services)
