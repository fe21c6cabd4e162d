"""The comparison itself: rules, permitted differences, and what it says of the rest."""
import pathlib
import re
import unittest

import permitted
import rules
from compare import compared, unneeded
from lines import lines
from permitted import PERMITTED, Permitted

PAGE = pathlib.Path(__file__).resolve().parents[3] / \
    "Sources/Simulator/BlueZSimulator/BlueZSimulator.docc/KnownDifferences.md"


def variant(signature, it):
    return {"of": signature, "is": it}


def changed(path="/dev", stream="client", invalidated=(), **properties):
    return {"kind": "signal", "stream": stream, "path": path, "interface": "Props",
            "member": "PropertiesChanged", "signature": "sa{sv}as",
            "body": ["Device1", {"entries": [[key, it] for key, it in properties.items()]},
                     list(invalidated)]}


def added(path, *interfaces):
    return {"kind": "signal", "stream": "client", "member": "InterfacesAdded", "signature": "",
            "body": [path, {"entries": [[each, {"entries": []}] for each in interfaces]}]}


def reply(of, *body):
    return {"kind": "reply", "stream": "client", "of": of, "signature": "", "body": list(body)}


def played(*steps):
    return [{"scenario": "a scan", "steps": [{"step": title, "entries": list(entries)}
                                             for title, *entries in steps]}]


CONNECTED = changed(Connected=variant("b", True))
RSSI = changed(RSSI=variant("n", -50))


class Comparing(unittest.TestCase):
    def test_equal_recordings_have_no_difference(self):
        both = played(("connect", CONNECTED, reply("Device1.Connect")))
        self.assertEqual(compared(both, both), [])

    def test_times_are_not_compared(self):
        one, other = [played(("connect", {**CONNECTED, "at": at})) for at in (1, 2)]
        self.assertEqual(compared(one, other), [])

    def test_order_is(self):
        answer = reply("Device1.Connect")
        found = compared(played(("connect", CONNECTED, answer)),
                         played(("connect", answer, CONNECTED)))
        self.assertEqual([(each.scenario, each.step) for each in found], [("a scan", "connect")])
        self.assertEqual([line[0] for line in found[0].lines], ["+", " ", "-"])

    def test_types_are_compared_and_not_only_what_is_shown(self):
        one, other = [played(("get", changed(RSSI=variant(kind, 1)))) for kind in "ni"]
        self.assertEqual(len(compared(one, other)), 1)

    def test_the_order_in_a_dictionary_is_compared(self):
        yes, no = variant("b", True), variant("b", False)
        one, other = changed(Paired=yes, Bonded=no), changed(Bonded=no, Paired=yes)
        self.assertEqual(len(compared(played(("pair", one)), played(("pair", other)))), 1)

    def test_what_is_there_once_too_often_differs(self):
        found = compared(played(("connect", CONNECTED)), played(("connect", CONNECTED, CONNECTED)))
        self.assertEqual([line[0] for line in found[0].lines], [" ", "+"])

    def test_other_steps_differ(self):
        found = compared(played(("one",), ("two",)), played(("one",)))
        self.assertEqual((found[0].step, found[0].lines), ("its steps", [" one", "-two"]))

    def test_a_scenario_of_one_side_differs(self):
        self.assertEqual(len(compared(played(("one",)), [])), 1)
        self.assertEqual(len(compared([], played(("one",)))), 1)

    def test_a_failure_of_the_player_on_both_sides_differs(self):
        failed = played(("the scenario failed", {"kind": "failure", "stream": "client"}))
        self.assertEqual([each.step for each in compared(failed, failed)], ["the scenario failed"])

    def test_long_messages_are_shown_line_by_line(self):
        entry = reply("Properties.GetAll", {"entries": [["Name", variant("s", "x")],
                                                       ["Value", variant("ay", {"octets": "01"})]]})
        self.assertEqual(lines(entry), ["reply Properties.GetAll ()", '    Name: s:"x"',
                                        "    Value: ay:0x01"])


class Rules(unittest.TestCase):
    def test_two_clients_are_compared_each_for_itself(self):
        other = {**CONNECTED, "stream": "other"}
        self.assertEqual(rules.by_client([other, CONNECTED, other]), [CONNECTED, other, other])

    def test_a_strength_that_is_told_again_is_told_once(self):
        self.assertEqual(rules.told_once([RSSI, CONNECTED, RSSI]), [RSSI, CONNECTED])

    def test_other_signals_stay_as_often_as_they_come(self):
        self.assertEqual(rules.told_once([CONNECTED, CONNECTED]), [CONNECTED, CONNECTED])

    def test_what_ceases_is_no_repetition(self):
        gone = changed(invalidated=["RSSI"])
        self.assertEqual(rules.told_once([gone, gone]), [gone, gone])

    def test_numbers_to_compare_are_alike(self):
        def asked(number):
            return [{"kind": "request", "stream": "client", "member": "RequestConfirmation",
                     "body": ["/dev", number]}]
        self.assertEqual(rules.numbers(asked(1)), rules.numbers(asked(2)))

    def test_measurements_are_alike_and_other_values_are_not(self):
        def told(octets):
            return changed(Value=variant("ay", {"octets": octets}))
        self.assertEqual(rules.heart_rate([told("063c"), told("063d")]),
                         rules.heart_rate([told("0640")]))
        self.assertEqual(rules.heart_rate([told("01"), told("02")]), [told("01"), told("02")])


class PermittedDifferences(unittest.TestCase):
    def test_a_permitted_difference_is_none(self):
        def without(real, simulated):
            return [each for each in real if each != RSSI], simulated
        rule = Permitted("no strength", "x", without)
        real, simulated = played(("scan", RSSI, CONNECTED)), played(("scan", CONNECTED))
        self.assertEqual(len(compared(real, simulated)), 1)
        self.assertEqual(compared(real, simulated, [rule]), [])

    def test_one_that_permits_nothing_is_not_needed(self):
        def same(real, simulated):
            return real, simulated
        idle, chance = Permitted("idle", "x", same), Permitted("chance", "x", same, by_chance=True)
        both = played(("scan", RSSI))
        self.assertEqual(unneeded(both, both, [idle, chance]), [idle])

    def test_one_for_other_steps_permits_nothing(self):
        rule = Permitted("all", "x", lambda real, simulated: ([], []), steps=("pairing: scan",))
        self.assertEqual(len(compared(played(("scan", RSSI)), played(("scan",)), [rule])), 1)

    def test_each_is_an_entry_of_the_page(self):
        text = PAGE.read_text()
        entries = re.findall(r"^## (.+)$", text, re.M) + re.findall(r"^- \*\*(.+?)\*\*", text, re.M)
        entries = [each.rstrip(".").replace("`", "") for each in entries]
        missing = [each.name for each in PERMITTED if each.entry not in entries]
        self.assertEqual(missing, [])

    def test_handles_behind_what_the_lab_has_more_of_move_up(self):
        path = "/org/bluez/hci0/dev_1/service000e/char0014"
        entry = {"kind": "signal", "stream": "client", "member": "X", "path": path, "body": [path]}
        real, _ = permitted.further_characteristics_of_generic_attribute([entry], [])
        self.assertEqual(real[0]["body"], ["/org/bluez/hci0/dev_1/service000a/char0010"])

    def test_what_is_added_to_an_adapter_that_comes_may_be_added_later(self):
        whole = [added("/hci0", "Adapter1", "LEAdvertisingManager1"), added("/hci0/dev_1", "Device1")]
        late = [added("/hci0", "Adapter1"), added("/hci0/dev_1", "Device1"),
                added("/hci0", "LEAdvertisingManager1")]
        self.assertEqual(permitted.come(late), permitted.come(whole))

    def test_an_adapter_that_comes_is_on_or_about_to_be(self):
        def come(powered, state):
            power = [["Powered", variant("b", powered)], ["PowerState", variant("s", state)]]
            return [{**added("/hci0"), "body": ["/hci0", {"entries": [["Adapter1", {"entries": power}]]}]}]
        self.assertEqual(permitted.come(come(False, "off-enabling")), permitted.come(come(True, "on")))

    def test_a_pairing_without_a_link_may_end_after_its_services(self):
        yes = variant("b", True)
        before = [changed(Bonded=yes), CONNECTED, changed(ServicesResolved=yes, Paired=yes)]
        after = [CONNECTED, changed(ServicesResolved=yes), changed(Bonded=yes, Paired=yes)]
        self.assertEqual(permitted.paired_last(before), permitted.paired_last(after))

    def test_objects_that_come_with_an_adapter_have_no_order(self):
        adapter, other = added("/hci0", "Adapter1"), added("/test", "SimAccessTest1")
        self.assertEqual(permitted.come([other, adapter]), permitted.come([adapter, other]))

    def test_what_is_removed_in_between_comes_anew(self):
        removed = {"kind": "signal", "stream": "client", "member": "InterfacesRemoved",
                   "body": ["/hci0", ["Adapter1"]]}
        entries = [added("/hci0", "Adapter1"), removed, added("/hci0", "Adapter1")]
        self.assertEqual(permitted.come(entries), entries)

    def test_values_of_handle_move_up_with_the_paths(self):
        entry = reply("Properties.GetAll", {"entries": [["Handle", variant("q", 0x14)],
                                                        ["MTU", variant("q", 0x14)]]})
        real, _ = permitted.further_characteristics_of_generic_attribute([entry], [])
        self.assertEqual([value["is"] for _, value in real[0]["body"][0]["entries"]], [0x10, 0x14])


if __name__ == "__main__":
    unittest.main()
