"""The recording of one scenario: the messages that a client receives from org.bluez, as data.

A recording is a list of steps, each with a title and its entries in the order in which the client's
connection carried them. An entry is one message, as a dictionary that JSON can hold:

    kind    call, reply, error, signal; request and answer: a call that bluetoothd makes, and what
            we say to it; silence: a call that got no answer in the time given
    stream  which client's connection
    path, interface, member, name (of an error), signature, body: as they apply
    of      of a reply or an error: the call it belongs to, such as "Device1.Connect"
    at      milliseconds since the scenario began; for people, never compared

A body keeps what D-Bus knows of it: octets are {"octets": hex}, variants {"of": signature, "is": …},
dictionaries {"entries": [[key, value], …]} in their order, descriptors {"descriptor": what it is}.
"""
import os
import socket

from dbus_fast import SignatureTree, Variant


def content(signature, body, descriptors=()):
    """A message's body as data that JSON can hold."""
    types = SignatureTree(signature).types
    return [value(kind, each, descriptors) for kind, each in zip(types, body)]


def value(kind, it, descriptors):
    if kind.token == "v":
        inner = SignatureTree(it.signature).types[0]
        return {"of": it.signature, "is": value(inner, it.value, descriptors)}
    if kind.token == "a":
        element = kind.children[0]
        if element.token == "y":
            return {"octets": bytes(it).hex()}
        if element.token == "{":
            keys, values = element.children
            return {"entries": [[value(keys, k, descriptors), value(values, v, descriptors)]
                                for k, v in it.items()]}
        return [value(element, each, descriptors) for each in it]
    if kind.token in "({":
        return [value(each, part, descriptors) for each, part in zip(kind.children, it)]
    if kind.token == "h":
        return {"descriptor": described(descriptors[it])}
    return it


def described(descriptor):
    """The kind and mode of a file descriptor that a client received."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as it:
            kind = it.type.name
    except OSError:
        kind = "no socket"
    return f"{kind}, {'blocking' if os.get_blocking(descriptor) else 'non-blocking'}"


def short(interface):
    return (interface or "").rsplit(".", 1)[-1]


def octets(it):
    return Variant("ay", bytes(it))
