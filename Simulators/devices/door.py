"""The logic of door.yaml: challenge and response.

A client reads `challenge`, and writes the HMAC-SHA256 of it to `response`. The door opens for five
seconds. A challenge is good for one response; the third wrong one in a row ends the connection.
"""

import hashlib
import hmac
import json
import sys

KEY = b"shared by the door and its app"


class Door:
    """Each method handles the event of its name, and returns its answer."""

    def start(self, event):
        self.seed, self.count, self.wrong = event["seed"], 0, 0
        self.challenge = None
        return {"handles": ["read challenge", "write response"]}

    def read(self, event):
        if event["offset"] == 0 or self.challenge is None:
            self.count += 1
            text = f"{self.seed} {self.count}"
            self.challenge = hashlib.sha256(text.encode()).digest()[:16]
        return {"value": self.challenge.hex()}

    def write(self, event):
        challenge, self.challenge = self.challenge, None
        expected = hmac.digest(KEY, challenge, "sha256") if challenge else b""
        if challenge and hmac.compare_digest(expected, bytes.fromhex(event["value"])):
            self.wrong = 0
            return {"do": [{"notify": "bolt", "value": "00"}, {"wake": "relock", "in": "5s"}]}
        self.wrong = (self.wrong + 1) % 3
        return {"error": 0x80, "do": [] if self.wrong else [{"disconnect": True}]}

    def timer(self, event):
        return {"do": [{"notify": "bolt", "value": "01"}]}


if __name__ == "__main__":
    door = Door()
    for line in sys.stdin:
        event = json.loads(line)
        answer = getattr(door, event["event"])(event)
        print(json.dumps({"id": event["id"], **answer}), flush=True)
