"""smpmgr and blerun update the same device, and their requests are compared."""

import hashlib
import struct
import subprocess
import sys
from typing import NamedTuple

import cbor2

ADDRESS = "C0:FF:EE:04:00:09"
SMP = "da2e7828-fbce-4e01-ae9e-261174997c48"
BUFFER = 1024

# The requests of smpmgr and those of blerun, in order; data after the first as one. Where they differ, the reason.
REQUESTS = [
    ("read buffers", "read buffers", None),
    (None, "read images", "an image that runs, or is complete, is not uploaded again"),
    (
        "write upload: data, image 0, len 5072, off 0, sha of the file, upgrade False",
        "write upload: data, len 5072, off 0, sha of the file",
        "a server assumes image 0 and no comparison of versions",
    ),
    ("write upload: data, off", "write upload: data, off", None),
    (None, "read images", "only an image that the device lists is marked"),
    (
        "write images: confirm True, hash of the image",
        "write images: confirm False, hash of the image",
        "smpmgr --confirm keeps the image before it has run; blerun tests it first",
    ),
    ("write reset", "write reset", None),
    (None, "read images", "the image that runs is compared"),
    (None, "write images: confirm True, hash of the image", "it runs, and is confirmed"),
]

COMMANDS = {(0, 5): "reset", (0, 6): "buffers", (1, 0): "images", (1, 1): "upload"}
OPERATIONS = {0: "read", 1: "read response", 2: "write", 3: "write response"}


class Image(NamedTuple):
    content: bytes
    hash: bytes

    @property
    def sha(self):
        return hashlib.sha256(self.content).digest()


def make_image(major, size):
    """An image of MCUboot without a signature."""
    header = struct.pack("<IIHHIIBBHII", 0x96F3B83D, 0, 32, 0, size, 0, major, 0, 0, 0, 0)
    signed = header + bytes(29 * place % 256 for place in range(size))
    hash = hashlib.sha256(signed).digest()
    return Image(signed + struct.pack("<HHHH", 0x6907, 40, 0x10, 32) + hash, hash)


class Frame(NamedTuple):
    name: str
    version: int
    length: int
    body: dict

    def described(self, image):
        """The frame with its keys; values that are the same for every image and client."""
        if self.body.get("off"):
            return f"{self.name}: " + ", ".join(sorted(self.body))
        known = {("hash", image.hash): "hash of the image", ("sha", image.sha): "sha of the file"}
        parts = [
            key if key == "data" else known.get((key, value), f"{key} {value}")
            for key, value in sorted(self.body.items())
        ]
        return self.name + (": " if parts else "") + ", ".join(parts)


def frames(packets):
    octets = b"".join(packets)
    while octets:
        flags, _, length, group, _, number = struct.unpack(">BBHHBB", octets[:8])
        command = COMMANDS.get((group, number), f"{group}.{number}")
        name = f"{OPERATIONS[flags & 7]} {command}"
        yield Frame(name, flags >> 3, 8 + length, cbor2.loads(octets[8 : 8 + length]))
        octets = octets[8 + length :]


def requests(room):
    return list(frames(room["Bootloader-1"].written("mcumgr-smp")))


def smpmgr(*arguments):
    command = [sys.executable, "-m", "smpmgr", "--ble", ADDRESS, "--timeout", "20", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def slots(room):
    """The images as the device lists them after its restart."""
    since = room.log()[-1].number
    smpmgr("image", "state-read")
    sent = [e.value for e in room.log(since) if (e.event, e.attribute) == ("notified", SMP)]
    images = list(frames(sent))[-1].body["images"]
    return [
        [image["version"], *(key for key in ("active", "confirmed", "pending") if image[key])]
        for image in images
    ]


def check(asked, image, expected):
    """Checks the requests of an update; all data arrives once, in order, in frames as long as the buffer."""
    described = [frame.described(image) for frame in asked]
    assert [
        each
        for place, each in enumerate(described)
        if place == 0 or "upload" not in each or each != described[place - 1]
    ] == [each for each in expected if each]
    data = [frame for frame in asked if "data" in frame.body]
    offset = 0
    for frame in data:
        assert frame.body["off"] == offset
        offset += len(frame.body["data"])
    assert b"".join(frame.body["data"] for frame in data) == image.content
    assert all(BUFFER - 16 <= frame.length <= BUFFER for frame in data[:-1])
    assert {frame.version for frame in asked} == {1}


def test_asks_what_blerun_asks_except_for_known_differences(simulated_bluez, blerun_run, tmp_path):
    image = make_image(2, 5000)
    (tmp_path / "app.bin").write_bytes(image.content)
    chain = tmp_path / "update.yaml"
    chain.write_text(f"device: {ADDRESS}\nsteps:\n  - firmware: app.bin\n")

    first = simulated_bluez("bootloader.yaml")
    smpmgr("upgrade", "--confirm", str(tmp_path / "app.bin"))
    check(requests(first), image, [row[0] for row in REQUESTS])
    after_smpmgr = slots(first)

    second = simulated_bluez("bootloader.yaml")
    blerun_run(chain)
    check(requests(second), image, [row[1] for row in REQUESTS])

    assert [row for row in REQUESTS if (row[0] == row[1]) != (row[2] is None)] == []
    assert after_smpmgr == slots(second) == [["2.0.0", "active", "confirmed"], ["1.0.0"]]
