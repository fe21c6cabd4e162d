"""Differences that KnownDifferences.md states: each names the entry of that page that it is.

An entry of the page is a heading, or the words in bold that a list item begins with. A difference
is permitted by a function of a step's entries, bluetoothd's and the simulator's, that gives them
back without it. One that removes nothing any more fails the run, as does one that is not in the
page; only what bluetoothd does now and then may be needed now and then.
"""
import dataclasses
import re
import typing


@dataclasses.dataclass
class Permitted:
    name: str
    entry: str      # in KnownDifferences.md
    without: typing.Callable
    steps: tuple = ()       # "scenario: step"; all of them without any
    by_chance: bool = False

    def is_for(self, scenario, step):
        return not self.steps or f"{scenario}: {step}" in self.steps

    def apply(self, real, simulated):
        return self.without(real, simulated)


PERMITTED = []


def permitted(entry, *steps, by_chance=False):
    """The function below permits what that entry states, in these steps or in all."""
    def add(function):
        name = function.__name__.replace("_", " ")
        PERMITTED.append(Permitted(name, entry, function, steps, by_chance))
        return function
    return add


def mapped(it, change):
    """A value, or a list of entries, with `change` applied to each text in it, from the inside."""
    if isinstance(it, str):
        return change(it)
    if isinstance(it, list):
        return [mapped(each, change) for each in it]
    if isinstance(it, dict):
        return {name: mapped(each, change) for name, each in it.items()}
    return it


def without_entries(it, is_left_out):
    """Returns a copy without the dictionary entries whose keys are left out."""
    if isinstance(it, list):
        return [without_entries(each, is_left_out) for each in it]
    if not isinstance(it, dict):
        return it
    found = {name: without_entries(each, is_left_out) for name, each in it.items()}
    if "entries" in found:
        found["entries"] = [pair for pair in found["entries"] if not is_left_out(pair[0])]
    return found


# ---- what is there on one side alone -------------------------------------------------------------

# Of the lab's peripheral: Client Supported Features and Database Hash.
GENERIC_ATTRIBUTE = re.compile(r"/service0006/char000[ac]$")
HANDLE = re.compile(r"(service|char|desc)([0-9a-f]{4})")


def shifted(match):
    """A handle behind these two characteristics, which take four, as it would be without them."""
    return f"{match[1]}{moved(int(match[2], 16)):04x}"


@permitted("Generic Attribute")
def further_characteristics_of_generic_attribute(real, simulated):
    def is_one(path):
        return isinstance(path, str) and GENERIC_ATTRIBUTE.search(path) is not None
    real = [each for each in real if not (
        each.get("member") in ("InterfacesAdded", "InterfacesRemoved") and is_one(each["body"][0])
        or is_one(each.get("path", "")))]
    real = without_entries(real, is_one)
    real = mapped(real, lambda text: text.replace('<node name="char000a"/><node name="char000c"/>', "")
                  if "service0006" not in text else text)
    real = with_shifted_handles(mapped(real, lambda text: HANDLE.sub(shifted, text)))
    asked = [each.get("body", [])[-1:] == ["Handle"] for each in real if each["kind"] == "call"]
    if any(asked):
        real = [{**each, "body": [{**each["body"][0], "is": moved(each["body"][0]["is"])}]}
                if each["kind"] == "reply" and each.get("of") == "Properties.Get" else each
                for each in real]
    return real, simulated


def with_shifted_handles(it):
    """Returns a copy in which each `Handle` is as it would be without the two characteristics."""
    if isinstance(it, list):
        return [with_shifted_handles(each) for each in it]
    if not isinstance(it, dict):
        return it
    found = {name: with_shifted_handles(each) for name, each in it.items()}
    if "entries" in found:
        found["entries"] = [
            [key, {**value, "is": moved(value["is"])}] if key == "Handle" else [key, value]
            for key, value in found["entries"]]
    return found


def moved(handle):
    return handle - 4 if handle > 0x0D else handle


# ---- what a device does of its own ---------------------------------------------------------------

def without_answers(entries):
    """A step without what came of its call: its answer, and the value that is told of with it."""
    return [each for each in entries if each["kind"] not in ("reply", "error")
            and not (each["kind"] == "signal" and changes(each, "Value"))]


def changes(entry, name):
    return entry.get("member") == "PropertiesChanged" and any(
        key == name for key, _ in entry["body"][1]["entries"])


@permitted("The peer decides", "writes: a request to one that takes commands",
           "writes: reliably to one that takes commands", "reads: one that only notifies",
           "descriptors: write one that is only read")
def requests_that_the_flags_do_not_offer(real, simulated):
    return without_answers(real), without_answers(simulated)


@permitted("A read from an offset", "reads: from an offset", "reads: from the end",
           "descriptors: from an offset")
def reads_from_an_offset(real, simulated):
    return without_answers(real), without_answers(simulated)


# ---- an adapter that comes -----------------------------------------------------------------------

COMES = [f"{scenario}: {step}" for scenario, step in (
    ("an adapter is pulled out under a device in use", "in again"),
    ("an adapter is pulled out in a scan", "in again"), ("two adapters", "a second one"))]


def come(entries):
    """The entries with adapters that are on from their coming, and nothing told of them twice. What is
    added to an object that has come in this step is added with it, whatever came between; the objects come in
    the order of their paths."""
    found = []
    comings = {}    # of objects that are still there: the places of their signals in `found`
    for each in entries:
        if each.get("member") == "PropertiesChanged" and each["body"][0] == "org.bluez.Adapter1":
            continue
        if each.get("member") == "InterfacesAdded":
            if not each["body"][1]["entries"]:
                continue
            each = mapped_power(each)
            path = each["body"][0]
            if path in comings:
                found[comings[path]] = joined(found[comings[path]], each)
                continue
            comings[path] = len(found)
        elif each.get("member") == "InterfacesRemoved":
            comings.pop(each["body"][0], None)
        found.append(each)
    places = [place for place, each in enumerate(found) if each.get("member") == "InterfacesAdded"]
    for place, each in zip(places, sorted([found[place] for place in places], key=lambda each: each["body"][0])):
        found[place] = each
    return found


def joined(one, other):
    """Two InterfacesAdded of one object as one, its interfaces in the order of their names."""
    path, added = one["body"]
    entries = sorted(added["entries"] + other["body"][1]["entries"], key=lambda pair: pair[0])
    return {**one, "body": [path, {"entries": entries}]}


# What tells of it, off at first and on; bluetoothd 5.66 has the first property alone.
POWER = {"Powered": (False, True), "PowerState": ("off-enabling", "on")}


def mapped_power(entry):
    """An InterfacesAdded in which the adapter is on."""
    path, added = entry["body"]

    def on(key, it):
        off_at_first, powered = POWER.get(key, (None, None))
        return {**it, "is": powered} if key in POWER and it["is"] == off_at_first else it
    added = {"entries": sorted((
        [name, {"entries": [[key, on(key, it)] for key, it in its["entries"]]}]
        for name, its in added["entries"]),
        key=lambda pair: pair[0])}
    return {**entry, "body": [path, added]}


@permitted("The coming of an adapter", *COMES, by_chance=True)
def powered_before_or_after_it_comes(real, simulated):
    return come(real), come(simulated)


# ---- what comes before or after something else, by chance ----------------------------------------

def behind(entries, is_it):
    """The entries with those behind all others."""
    return [each for each in entries if not is_it(each)] + [each for each in entries if is_it(each)]


def permitted_last(entry, name, is_it, *steps):
    """Permits matching entries at any place in these steps, on both sides."""
    def without(real, simulated):
        return behind(real, is_it), behind(simulated, is_it)
    without.__name__ = name
    permitted(entry, *steps, by_chance=True)(without)


def is_coming_of_battery(entry):
    return entry.get("member") == "InterfacesAdded" and \
        [key for key, _ in entry["body"][1]["entries"]] == ["org.bluez.Battery1"]


def is_end_of_adapter(entry):
    return changes(entry, "Powered") or entry.get("of") == "Properties.Set"


permitted_last("Battery1 and kept subscriptions", "battery before or after", is_coming_of_battery)
permitted_last("Battery1 and kept subscriptions", "kept subscription before or after",
               lambda each: changes(each, "ServicesResolved"),
               "a link is made and ended: connect once more")
permitted_last("Two ways from the kernel", "end of links before or after that of the adapter",
               is_end_of_adapter, "the adapter is switched off under a device in use: off")
permitted_last("Two ways from the kernel", "bond before or after the value",
               lambda each: changes(each, "Bonded"), "a protected read pairs: read",
               "errors of reads that have bluetoothd pair: 0x0f")
permitted_last("Discovering", "discovering before or after the answer",
               lambda each: each["kind"] == "reply", "a link in a scan: stop", "a scan: stop")


def paired_last(entries):
    """The entries with all changes of the device behind all others, as one, and then the answer."""
    def is_change(entry):
        return any(changes(entry, name) for name in ("Bonded", "Paired", "ServicesResolved"))
    later = [each for each in entries if is_change(each)]
    if not later:
        return entries
    pairs = sorted((pair for each in later for pair in each["body"][1]["entries"]),
                   key=lambda pair: pair[0])
    one = {**later[0], "body": [later[0]["body"][0], {"entries": pairs}, []]}
    rest = [each for each in entries if not is_change(each)]
    return behind([*rest, one], lambda each: each["kind"] == "reply")


@permitted("Pair without a link", "pairing a device without a link: pair",
           "pairing without an agent: pair", "a number to compare, without a link: pair",
           by_chance=True)
def paired_before_or_after_the_services(real, simulated):
    return paired_last(real), paired_last(simulated)
