#!/usr/bin/python3
"""Notifications as fast as a simulated device sends them, with a browser that stops reading.

  Tests/Browser/flood.py PROGRAM [VALUES [EVERY]]

PROGRAM is a built blerun-serve. Four characteristics send a value each millisecond, or in another time,
until 1 000 000 values were received, or another number. The first half has one reader, the second also
one that stops. Ends with 1 when the memory grows, when the device is slowed by the stopped reader, or
when, of 100 000 values and more, that one does not learn what it missed.
"""

import json
import pathlib
import socket
import sys
import tempfile
import threading
import time

from browser import Served

DEVICE = """
name: Flood
address: C0:FF:EE:00:00:0F
advertisement: { services: [heart-rate] }
services:
  - service: heart-rate
    characteristics:
      - characteristic: heart-rate-measurement
        properties: [notify]
        series: { values: [{ hex: "00 48" }, { hex: "00 49" }, { hex: "00 30" }], every: EVERY }
  - service: battery
    characteristics:
      - characteristic: battery-level
        properties: [notify]
        series: { values: [{ u8: 90 }, { u8: 10 }], every: EVERY }
  - service: environmental-sensing
    characteristics:
      - characteristic: humidity
        properties: [notify]
        series: { values: [{ u16: 4000 }, { u16: 5000 }], every: EVERY }
      - characteristic: temperature
        properties: [notify]
        series: { values: [{ u16: 2000 }, { u16: 2200 }, { u16: 2100 }], every: EVERY }
"""
WATCHED = ["-d", "Flood", "heart-rate-measurement", "battery-level", "humidity", "temperature"]


class Reader(threading.Thread):
    """Reads the events of a page, and counts what they say; can stop reading for a time."""

    def __init__(self, server, reads=True):
        super().__init__(daemon=True)
        host, port = server.url.removeprefix("http://").strip("/").split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect((host, int(port)))
        self.socket.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        self.socket.settimeout(60)
        self.reads = threading.Event()
        if reads:
            self.reads.set()
        self.events = self.points = self.octets = self.missed = 0
        self.changed = threading.Event()
        self.start()

    def run(self):
        text = b""
        while True:
            self.reads.wait()
            try:
                piece = self.socket.recv(1 << 16)
            except OSError:
                piece = b""
            if not piece:
                return
            self.octets += len(piece)
            text += piece
            # Chunks of the transfer are between the lines of events.
            *lines, text = text.split(b"\n")
            for line in lines:
                self.take(line.strip())

    def take(self, line):
        if line.startswith(b"data: {\"events\":"):
            self.missed += json.loads(line[6:])["events"]
            self.changed.set()
        elif line.startswith(b"data: "):
            self.events += 1
            self.points += line.count(b"],[")


def memory(server):
    """What the program has of memory, in MiB."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def processor(server):
    """How much of the processor it has used, in seconds."""
    stat = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii")
    fields = stat.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def count(server):
    return next((c["count"] for c in server.snapshot() if c["kind"] == "watch"), 0)


def until(server, values, samples):
    """Waits for so many values: how many come in a second of time, and of the processor."""
    begun, used, before = time.monotonic(), processor(server), count(server)
    while (now := count(server)) < values:
        samples.append(memory(server))
        if time.monotonic() - begun > 3600:
            raise AssertionError(f"{now} values in an hour")
        time.sleep(0.5 if values < 100_000 else 2)
    took = time.monotonic() - begun
    return (now - before) / took, (now - before) / (processor(server) - used)


def flood(program, values=1_000_000, every="1ms"):
    """Checks a flood, and returns its figures."""
    values = int(values)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/flood.yaml", "w", encoding="utf-8") as file:
            file.write(DEVICE.replace("EVERY", every))
        with Served(program, "--simulate", f"{folder}/flood.yaml", *WATCHED) as server:
            reader = Reader(server)
            samples = []
            until(server, values // 10, [])
            alone = until(server, values // 2, samples)
            stopped = Reader(server, reads=False)
            beside = until(server, values, samples)
            # One that stopped for so long that it was disconnected learns by that, and loads again.
            latest = Reader(server, reads=False)
            # Until the queue of the one that reads nothing is full.
            time.sleep(26 if values >= 100_000 else 2)
            for one in [stopped, latest]:
                one.reads.set()
            latest.changed.wait(30 if values >= 100_000 else 0)
            figures = {
                "values": count(server), "values/s": [round(alone[0]), round(beside[0])],
                "values/s of the processor": [round(alone[1]), round(beside[1])],
                "MiB": [round(min(samples), 1), round(samples[0], 1), round(samples[-1], 1),
                        round(max(samples), 1)],
                "read": {"events": reader.events, "points": reader.points, "MiB": round(reader.octets / 2**20, 1),
                         "missed": reader.missed},
                "missed by the stopped one": [stopped.missed, latest.missed],
            }
            status, took = server.end()
            figures["ended"] = [status, round(took, 1)]
    return figures


def check(figures):
    """Says what is wrong with the figures."""
    least, _, last, most = figures["MiB"]
    alone, beside = figures["values/s of the processor"]
    wrong = []
    if most - least > 24 or last - least > 24:
        wrong.append("the memory grows")
    if beside < 0.6 * alone:
        wrong.append("a stopped reader slows the device")
    if figures["values"] >= 100_000 and not any(figures["missed by the stopped one"]):
        wrong.append("the stopped reader does not learn what it missed")
    if figures["read"]["missed"]:
        wrong.append("the other reader missed something")
    if figures["ended"][0] != 143 or figures["ended"][1] > 8:
        wrong.append("it does not end")
    return wrong


if __name__ == "__main__":
    found = flood(*sys.argv[1:])
    print(json.dumps(found))
    problems = check(found)
    print("; ".join(problems), file=sys.stderr)
    sys.exit(1 if problems else 0)
