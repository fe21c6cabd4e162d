// Errors in the steps of a file: their kind, their keys, their values.

import Documents
import Testing

@testable import Jobs

@Suite("Complaints about steps")
struct StepComplaintTests {
  @Test(
    "about which step it is",
    arguments: [
      (
        "frobnicate: x",
        "2:3: steps.1: unknown step 'frobnicate' (expected one of "
          + "\(Step.verbs.joined(separator: ", ")))"
      ),
      (
        "read",
        "2:3: steps.1: expected a characteristic such as battery-level, found nothing"
      ),
      ("disconect", "2:3: steps.1: unknown step 'disconect' (did you mean 'disconnect'?)"),
      (
        "log",
        "2:3: steps.1: expected a text, with captured values in braces: 'it is {reading.celsius}', "
          + "found nothing"
      ),
      (
        "two words",
        "2:3: steps.1: expected a step such as 'read: battery-level', found 'two words'"
      ),
      (
        "[]", "2:3: steps.1: expected a step such as 'read: battery-level', found an empty list"
      ),
      (
        "{ read: battery-level, write: alert-level }",
        "2:3: steps.1: 'read' and 'write' are separate steps "
          + "(expected one step in each entry of the list)"
      ),
      ("connect: now", "2:12: steps.1.connect: expected no value, found 'now'"),
    ]
  )
  func verbs(step: String, complaint: String) {
    #expect(Plan.complaint(ofStep: step) == complaint)
  }

  @Test(
    "words of other programs have a suggestion, in both forms",
    arguments: [
      ("if", "when"), ("wait", "sleep"), ("subscribe", "notify"), ("print", "log"),
      ("loop", "repeat"), ("bond", "pair"), ("forget", "unpair"), ("Read", "read"),
    ]
  )
  func synonyms(word: String, verb: String) throws {
    let message = "unknown step '\(word)' (did you mean '\(verb)'?)"
    #expect(Plan.complaint(ofStep: "{ \(word): x }") == "2:5: steps.1: \(message)")
    #expect(throws: (any Error).self) { try Plan.parse(line: "\(word) x") }
    do {
      _ = try Plan.parse(line: "\(word) x")
    } catch {
      #expect(error.problems.map(\.description) == ["-e:1:1: \(message)"])
    }
  }

  @Test("no word means two steps, and none that is a step is another one's synonym")
  func synonymsApart() {
    let words = Step.entries.flatMap { $0.synonyms }
    #expect(Set(words).count == words.count)
    #expect(Set(words).isDisjoint(with: Step.verbs))
  }

  @Test(
    "about reading and scanning",
    arguments: [
      (
        "{ scan: 1s, service: [battery, [x]] }",
        "2:34: steps.1.service.2: expected a service such as battery, or a UUID, found a list"
      ),
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
        "2:11: steps.1.read: expected a characteristic such as battery-level, found a list"
      ),
      (
        "{ read: battery-level, format: [] }",
        "2:34: steps.1.format: expected a format such as u16, found an empty list"
      ),
      (
        "{ read: battery-level, fromat: u8 }",
        "2:26: steps.1.fromat: unknown key 'fromat' (did you mean 'format'?)"
      ),
      (
        "{ read: battery-level, format: u9 }",
        "2:34: steps.1.format: unknown format 'u9' (did you mean 'u8'?)"
      ),
      (
        "{ read: battery-level, as: 1b }",
        "2:30: steps.1.as: expected a name of letters, digits, - and _ that begins with a letter, found '1b'"
      ),
      (
        "{ read: battery-level, timeout: 10 }",
        "2:35: steps.1.timeout: expected a duration above 0 such as 10s, found '10' (did you mean '10s'?)"
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
      (", value: 3", "2:32: steps.1.value: expected \(part), found '3'"),
      (
        ", value: { u8: 1, u16: 2 }",
        "2:32: steps.1.value: expected \(part), found several formats"
      ),
      (
        ", value: [{ u8: 1 }, 2]", "2:44: steps.1.value.2: expected \(part), found '2'"
      ),
      (
        ", value: { u8: 300 }",
        "2:38: steps.1.value.u8: 300 is more than 255 (expected a value for u8)"
      ),
      (
        ", value: { u9: 300 }",
        "2:34: steps.1.value.u9: unknown format 'u9' (did you mean 'u8'?)"
      ),
      (
        ", value: { u8: [1] }",
        "2:38: steps.1.value.u8: expected one value, found a list"
      ),
      (
        ", value: { u8: 1 }, kind: requst",
        "2:49: steps.1.kind: unknown word 'requst' (did you mean 'request'?)"
      ),
      (
        ", value: { u8: 1 }, as: x",
        "2:43: steps.1.as: unknown key 'as' (expected one of write, value, kind, offset, "
          + "delivery, name, expect, timeout, attempts, backoff, on-failure)"
      ),
      (
        ", value: { utf8: '\(String(repeating: "x", count: 513))' }",
        "2:32: steps.1.value: 513 bytes, but an attribute has at most 512"
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
        "33: steps.1.for: expected a duration above 0 such as 10s, found '0s'"
      ),
      (
        ", for: 10s, timeout: 5s",
        "47: steps.1.timeout: a limit of 5s ends before the 10s of 'for' (expected 10s or more)"
      ),
      (
        ", until: 5",
        "35: steps.1.until: expected a count such as { count: 5 }, found '5'"
      ),
      (
        ", until: { count: 0 }",
        "44: steps.1.until.count: expected a number of values, from 1 to 1000000, found '0'"
      ),
      (
        ", for: 1s, after: x",
        "44: steps.1.after: expected a 'write' and its 'value', found 'x'"
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
