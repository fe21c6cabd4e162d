// What is said of steps that are written wrong in a file: their kind, their keys, their values.

import Testing

@testable import Jobs

@Suite("Complaints about steps")
struct StepComplaintTests {
  @Test(
    "about which step it is",
    arguments: [
      (
        "frobnicate: x",
        "2:3: steps.1: there is no step 'frobnicate' (expected one of read, write, notify, exchange, poll, combine, scan, "
          + "sleep, repeat, when, assert, try, include, connect, disconnect, rssi, log, pair, unpair, trust, mtu, "
          + "connection-parameters, services, "
          + "read-descriptor, write-descriptor)"
      ),
      (
        "read",
        "2:3: steps.1: 'read' stands here (expected a step such as 'read: battery-level')"
      ),
      (
        "[]", "2:3: steps.1: a list stands here (expected a step such as 'read: battery-level')"
      ),
      (
        "{ read: battery-level, write: alert-level }",
        "2:3: steps.1: 'read' and 'write' are steps of their own "
          + "(expected one step in each entry of the list)"
      ),
      ("connect: now", "2:12: steps.1.connect: 'now' stands here (expected nothing)"),
    ]
  )
  func verbs(step: String, complaint: String) {
    #expect(Plan.complaint(ofStep: step) == complaint)
  }

  @Test(
    "about reading",
    arguments: [
      (
        "{ read: batery-level }",
        "2:11: steps.1.read: unknown characteristic 'batery-level' (did you mean 'battery-level'?)"
      ),
      (
        "{ read: hart-rate/2a37 }",
        "2:11: steps.1.read: unknown service 'hart-rate' (did you mean 'heart-rate'?)"
      ),
      (
        "{ read: [a] }",
        "2:11: steps.1.read: a list stands here (expected a characteristic such as battery-level)"
      ),
      (
        "{ read: battery-level, fromat: u8 }",
        "2:26: steps.1.fromat: there is no key 'fromat' here (did you mean 'format'?)"
      ),
      (
        "{ read: battery-level, format: u9 }",
        "2:34: steps.1.format: there is no format 'u9' (did you mean 'u8'?)"
      ),
      (
        "{ read: battery-level, as: 1b }",
        "2:30: steps.1.as: '1b' stands here "
          + "(expected a name: a letter, then letters, digits, - and _)"
      ),
      (
        "{ read: battery-level, timeout: 10 }",
        "2:35: steps.1.timeout: '10' stands here (expected a duration above 0 such as 10s)"
      ),
    ]
  )
  func reading(step: String, complaint: String) {
    #expect(Plan.complaint(ofStep: step) == complaint)
  }

  @Test(
    "about writing",
    arguments: [
      ("", "2:3: steps.1: the key 'value' is missing (expected a value such as { u8: 1 })"),
      (", value: 3", "2:32: steps.1.value: '3' stands here (expected \(part))"),
      (
        ", value: { u8: 1, u16: 2 }",
        "2:32: steps.1.value: several formats stand here (expected \(part))"
      ),
      (
        ", value: [{ u8: 1 }, 2]", "2:44: steps.1.value.2: '2' stands here (expected \(part))"
      ),
      (
        ", value: { u8: 300 }",
        "2:38: steps.1.value.u8: 300 is more than 255 (expected a value for u8)"
      ),
      (
        ", value: { u9: 300 }",
        "2:34: steps.1.value.u9: there is no format 'u9' (did you mean 'u8'?)"
      ),
      (
        ", value: { u8: [1] }",
        "2:38: steps.1.value.u8: a list stands here (expected one value)"
      ),
      (
        ", value: { u8: 1 }, kind: requst",
        "2:49: steps.1.kind: 'requst' stands here (did you mean 'request'?)"
      ),
      (
        ", value: { u8: 1 }, as: x",
        "2:43: steps.1.as: there is no key 'as' here (expected one of write, value, kind, offset, delivery, timeout)"
      ),
      (
        ", value: { utf8: '\(String(repeating: "x", count: 513))' }",
        "2:32: steps.1.value: 513 octets, but an attribute has at most 512"
      ),
    ]
  )
  func writing(rest: String, complaint: String) {
    #expect(Plan.complaint(ofStep: "{ write: alert-level\(rest) }") == complaint)
  }

  private static let part =
    "one format with its value, such as { u8: 1 }; a list writes several in a row"

  @Test(
    "about listening",
    arguments: [
      (
        "",
        "13: steps.1.notify: this would listen for ever "
          + "(expected 'until' with a count, or 'for' with a duration)"
      ),
      (
        ", for: 0s",
        "33: steps.1.for: '0s' stands here (expected a duration above 0 such as 10s)"
      ),
      (
        ", for: 10s, timeout: 5s",
        "47: steps.1.timeout: a limit of 5s ends before the 10s of 'for' (expected 10s or more)"
      ),
      (
        ", until: 5",
        "35: steps.1.until: '5' stands here (expected a count such as { count: 5 })"
      ),
      (
        ", until: { count: 0 }",
        "44: steps.1.until.count: '0' stands here (expected how many values, from 1 to 1000000)"
      ),
      (
        ", for: 1s, after: x",
        "44: steps.1.after: 'x' stands here (expected a 'write' and its 'value')"
      ),
      (
        ", for: 1s, after: { write: alert-level }",
        "44: steps.1.after: the key 'value' is missing (expected a value such as { u8: 1 })"
      ),
    ]
  )
  func listening(rest: String, complaint: String) {
    #expect(Plan.complaint(ofStep: "{ notify: battery-level\(rest) }") == "2:\(complaint)")
  }
}
