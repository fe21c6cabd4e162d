// Invalid machines in device files, and their error messages.

import SimulatedDevices
import Testing

@Suite("Errors in machines")
struct MachineComplaintTests {
  let characteristics = DeviceText.keys([
    "characteristic: fff1, properties: write", "characteristic: fff2, properties: [read, notify]",
    "characteristic: fff3, properties: read, counter: { format: u8 }",
  ])

  /// The errors in a machine of these keys.
  func complaints(_ keys: String) -> [String] {
    DeviceText.complaints(characteristics + "machines:\n- { machine: test, \(keys) }\n")
  }

  /// The errors in a transition of these keys, which has variables of both kinds and a table.
  func ofTransition(_ keys: String) -> [String] {
    complaints(
      "variables: { count: 0, log: { hex: '' } }, tables: { rows: [{ u8: 1 }] }, "
        + "states: { first: { on: { \(keys) } } }"
    )
  }

  @Test(
    "errors in a machine are reported",
    arguments: [
      ("with: {}", "the key 'states' is missing"),
      ("states: {}", "at least one state"), ("states: [a]", "expected a mapping"),
      ("states: { a: {}, b: {} }", "no transition leads to 'b'"),
      ("states: { a: { on: 3 } }", "expected a list of transitions"),
      ("states: { a: {} }, variables: { a-b: 1 }", "'a-b' cannot be a name"),
      ("states: { a: {} }, variables: { written: 1 }", "'written' cannot be a name"),
      ("states: { a: {} }, variables: { mtu: 1 }", "the name 'mtu' is already defined"),
      ("states: { a: {} }, variables: { n: one }", "expected a number, or a value"),
      ("states: { a: {} }, variables: { n: { u9: 1 } }", "unknown format 'u9'"),
      ("states: { a: {} }, variables: { n: 1 }, tables: { n: [] }", "is already defined"),
      ("states: { a: {} }, tables: { t: 3 }", "expected a list of rows"),
      ("states: { a: {} }, tables: { t: { parts: { u8: 1 } } }", "the key 'csv' is missing"),
      ("states: { a: {} }, tables: { t: { csv: none.csv, parts: { u8: 1 } } }", "cannot be read"),
      ("states: { a: {} }, with: { v: { of: fff9 } }", "no characteristic 'fff9'"),
      ("states: { a: {} }, always: { read: fff2, to: b }", "unknown state 'b'"),
    ]
  )
  func machine(keys: String, complaint: String) {
    let found = complaints(keys)
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("device.yaml:") })
  }

  @Test(
    "errors in a transition are reported",
    arguments: [
      ("to: first", "missing trigger"),
      ("write: fff1, read: fff2", "'write' and 'read' exclude each other"),
      ("write: fff2", "'fff2' cannot be written"), ("write: fff9", "no characteristic 'fff9'"),
      ("read: fff1", "'fff1' cannot be read"), ("subscribe: fff1", "'fff1' cannot notify"),
      ("unsubscribe: batery-level", "did you mean 'battery-level'?"),
      ("link: up", "expected down"), ("after: soon", "from 1ms to 24h"),
      ("every: 0s", "from 1ms to 24h"), ("read: fff2, when: { u8: 1 }", "'when' is for a 'write'"),
      ("write: fff1, when: { u8: 1 }, when-like: '01'", "exclude each other"),
      ("write: fff1, when: { u8: 300 }", "300 is more than 255"),
      ("write: fff1, when-like: 0g", "'0g': invalid byte"),
      ("write: fff1, refuse: 0x80, do: { set: written, on: fff2 }", "brings nothing about"),
      ("write: fff1, refuse: nonsense", "unknown error code"),
      ("after: 1s, refuse: 0x80", "only a write or a read"),
      ("write: fff1, if: $count", "a comparison such as"),
      ("write: fff1, if: $cout > 1", "did you mean 'count'?"),
      ("write: fff1, if: ($count + 1 > 1", "unexpected end (expected ')')"),
      ("write: fff1, if: $count & 1", "'$count & 1' is a number"),
      ("write: fff1, if: $log > 1", "'$log' is bytes"),
      ("write: fff1, if: $rows > 1", "'$rows' is a list"),
      ("write: fff1, if: $count.count > 1", "'count' holds a number"),
      ("write: fff1, to: frst", "did you mean 'first'?"),
    ]
  )
  func transition(keys: String, complaint: String) {
    let found = ofTransition(keys)
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("device.yaml:") })
  }

  @Test(
    "errors in an action are reported",
    arguments: [
      ("{ on: fff2 }", "nothing to be done"), ("3", "expected a list of actions"),
      ("{ set: { u8: 1 }, notify: { u8: 1 }, on: fff2 }", "nothing to be done"),
      ("{ set: { u8: 1 }, on: fff3 }", "generates its value"),
      ("{ notify: { u8: 1 }, on: fff3 }", "cannot notify"),
      ("{ notify: { u8: 1 } }", "'fff1' cannot"),
      ("{ set: { u8: 1 }, after: soon }", "from 0s to 1h"),
      ("{ let: { cout: 1 } }", "did you mean 'count'?"),
      ("{ let: { mtu: 1 } }", "unknown name 'mtu'"),
      ("{ let: { count: ($count + 1 * 2 } }", "unexpected end (expected ')')"),
      ("{ let: { count: $count & 0x0g } }", "'0x0g' is not a number"),
      ("{ let: { count: $count ? 2 } }", "a calculation has no '?'"),
      ("{ notify: { u8: '[$count]' }, on: fff2 }", "unexpected '['"),
      ("{ notify: { u8: 1 }, true: fff2 }", "the key 'true' was 'on'"),
      ("{ let: { count: one } }", "did you mean '$one'?"),
      ("{ let: { count: [1] } }", "such as 3 or $size"), ("{ let: { log: 3 } }", "a value such as"),
      ("{ crc32: { log: written } }", "'log' holds bytes"),
      ("{ crc32: { count: $count } }", "'count' holds a number"),
      ("{ let: { count: 1 }, on: fff2 }", "'on' is for 'set' and 'notify'"),
      ("{ disconnect: soon }", "or now"), ("{ restart: now }", "from 0s to 1h"),
      ("{ set: { row: rws, at: 0 }, on: fff2 }", "did you mean 'rows'?"),
      ("{ set: { row: rows }, on: fff2 }", "the key 'at' is missing"),
      ("{ set: { decimal: $log }, on: fff2 }", "'$log' is bytes"),
      ("{ let: { count: crc32($count) } }", "'$count' is a number (expected bytes)"),
      ("{ let: { count: $log.size } }", "'log' has no 'size'"),
    ]
  )
  func action(action: String, complaint: String) {
    let found = ofTransition("write: fff1, do: \(action)")
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("device.yaml:") })
  }

  @Test("an action that no write triggers must name its characteristic")
  func entry() {
    let found = complaints("states: { a: { enter: { set: { u8: 1 } } } }")
    #expect(found.count == 1)
    #expect(found.first?.contains("the key 'on' is missing") == true)
  }
}
