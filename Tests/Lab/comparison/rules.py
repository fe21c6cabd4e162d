"""Brings what varies between runs of bluetoothd itself into one form, on both sides.

Each rule takes the entries of a step, and gives them back as they are compared.
"""


def by_client(entries):
    """Two clients have two connections: what comes on one is neither before nor after the other."""
    streams = list(dict.fromkeys(each["stream"] for each in entries))
    return [each for stream in sorted(streams) for each in entries if each["stream"] == stream]


def repeats(entry):
    """Whether it is a signal of a stream, which comes again and again."""
    if entry["kind"] != "signal" or entry["member"] != "PropertiesChanged":
        return False
    names = {key for key, _ in entry["body"][1]["entries"]}
    return not entry["body"][2] and bool(names) and names <= STREAMED


STREAMED = {"RSSI", "TxPower", "ManufacturerData", "ServiceData"}


def told_once(entries):
    """Of signals that repeat what is in the air, the first: how many come is a matter of time."""
    found, seen = [], []
    for each in entries:
        if repeats(each):
            what = {**each, "at": None}
            if what in seen:
                continue
            seen.append(what)
        found.append(each)
    return found


def until_stopped(entries):
    """Of a scan that is stopped, without what is heard in the air while the stop is under way: that there is
    anything is a matter of time."""
    found, stopping = [], set()
    for each in entries:
        if each["kind"] == "call" and each["member"] == "StopDiscovery":
            stopping.add(each["stream"])
        elif each.get("of") == "Adapter1.StopDiscovery":
            stopping.discard(each["stream"])
        elif each["stream"] in stopping and repeats(each):
            continue
        found.append(each)
    return found


def numbers(entries):
    """The number that two devices show and compare is drawn anew for each pairing."""
    found = []
    for each in entries:
        if each["kind"] == "request" and each["member"] in ("RequestConfirmation", "DisplayPasskey"):
            each = {**each, "body": [each["body"][0], "a number", *each["body"][2:]]}
        found.append(each)
    return found


def heart_rate(entries):
    """Of a stream of measurements, that there are some: which ones is a matter of time. So is whether one comes
    before the answer to the subscription, or in the instant before the stream is stopped."""
    def has(call):
        return any(each["kind"] == "call" and each["member"] == call for each in entries)
    if has("StopNotify"):
        return [each for each in entries if not is_measurement(each)]
    found, streams = [], set()
    for each in entries:
        if not is_measurement(each):
            found.append(each)
        elif each["stream"] not in streams:
            streams.add(each["stream"])
            found.append({**each, "body": [each["body"][0], "measurements"]})
    if has("StartNotify"):
        found.sort(key=lambda each: each.get("body", [])[1:] == ["measurements"])
    return found


def is_measurement(entry):
    """Whether it is a notification of the lab's heart rate: 06, and the beats."""
    if entry.get("member") != "PropertiesChanged":
        return False
    changed = dict(map(tuple, entry["body"][1]["entries"]))
    octets = changed.get("Value", {}).get("is", {}).get("octets", "")
    return len(octets) == 4 and octets.startswith("06")


RULES = [by_client, until_stopped, told_once, numbers, heart_rate]
