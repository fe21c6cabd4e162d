"""What the rules of rules.py leave out of a scan that is stopped, and of measurements."""
import unittest

import rules
from test_compare import CONNECTED, RSSI, changed, reply, variant


def call(member, stream="client"):
    return {"kind": "call", "stream": stream, "member": member, "body": []}


STOP, STOPPED = call("StopDiscovery"), reply("Adapter1.StopDiscovery")


class StoppedScans(unittest.TestCase):
    def test_a_report_before_the_answer_may_come(self):
        self.assertEqual(rules.until_stopped([STOP, RSSI, STOPPED]), [STOP, STOPPED])

    def test_a_report_after_the_answer_may_not(self):
        entries = [STOP, STOPPED, RSSI]
        self.assertEqual(rules.until_stopped(entries), entries)

    def test_what_ceases_and_other_changes_stay(self):
        entries = [STOP, changed(invalidated=["RSSI"]), CONNECTED, STOPPED]
        self.assertEqual(rules.until_stopped(entries), entries)

    def test_a_report_to_another_client_stays(self):
        entries = [STOP, {**RSSI, "stream": "other"}, STOPPED]
        self.assertEqual(rules.until_stopped(entries), entries)


class Measurements(unittest.TestCase):
    MEASURED = changed(Value=variant("ay", {"octets": "063c"}))

    def test_one_may_come_before_the_answer_to_the_subscription(self):
        start, answer = call("StartNotify"), reply("GattCharacteristic1.StartNotify")
        self.assertEqual(rules.heart_rate([start, self.MEASURED, answer]),
                         rules.heart_rate([start, answer, self.MEASURED]))

    def test_elsewhere_one_that_comes_later_differs(self):
        self.assertNotEqual(rules.heart_rate([self.MEASURED, CONNECTED]), rules.heart_rate([CONNECTED, self.MEASURED]))

    def test_none_at_all_differs(self):
        self.assertNotEqual(rules.heart_rate([CONNECTED, self.MEASURED]), rules.heart_rate([CONNECTED]))


if __name__ == "__main__":
    unittest.main()
