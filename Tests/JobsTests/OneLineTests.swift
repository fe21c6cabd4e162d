// Chains on one line.

import Documents
import Testing

@testable import Jobs

@Suite("Chains on one line")
struct OneLineTests {
  func steps(_ line: String) throws -> [String] {
    try Plan.parse(line: line).steps.map(\.description)
  }

  @Test(
    "a step is written as it was read",
    arguments: [
      "connect", "disconnect within 3s", "sleep 500ms", "sleep 0s", #"log "a \"b\" \\ c""#,
      "log word", #"log """#, "read battery-level", "read @0x0012 format u16be as x within 1h",
      "read battery/battery-level#1 as b expect percent in 10..40 expect value = 12",
      "read battery-level expect percent > 20", "read battery-level expect percent >= 0.5",
      "read battery-level expect percent != 3 expect percent < 2 expect i8 <= -1",
      #"read body-sensor-location expect value = "ear lobe""#,
      #"read 6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40 format utf8 expect utf8 = "72""#,
      #"read body-sensor-location expect value in chest,"ear lobe","a,b","1..2""#,
      "write alert-level u8:1", #"write alert-level u16be:300 f32:1.5 utf8:"two words" hex:01ff"#,
      #"write alert-level utf8:"" command within 2s"#, "write alert-level u8:1 reliable",
      "notify heart-rate-measurement until 5x",
      "notify heart-rate-measurement until 5x for 3s format hex as h expect count = 5 within 1m",
    ]
  )
  func roundTrip(line: String) throws {
    let plan = try Plan.parse(line: line)
    #expect(plan.steps.map(\.description) == [line])
    #expect(try Plan.parse(line: plan.steps[0].description) == plan)
  }

  @Test(
    "other ways to write the same",
    arguments: [
      ("notify 2a37 until count 3", "notify heart-rate-measurement until 3x"),
      ("notify 2a37 until 3", "notify heart-rate-measurement until 3x"),
      ("read 2a19 expect percent>=3", "read battery-level expect percent >= 3"),
      ("read 2a19 expect percent >3", "read battery-level expect percent > 3"),
      ("read 2a19 expect percent= 3", "read battery-level expect percent = 3"),
      ("read 2a19 expect percent in 1, 2,3", "read battery-level expect percent in 1,2,3"),
      ("read 2a19 within 5s as b", "read battery-level as b within 5s"),
      (#"write 2a06 utf8:'it "is"'"#, #"write alert-level utf8:"it \"is\"""#),
      (#"write 2a06 utf8:two\ words"#, #"write alert-level utf8:"two words""#),
      (#"write 2a06 'utf'8:a"b; c"d"#, #"write alert-level utf8:"ab; cd""#),
      (#"log 'a\b'"#, #"log "a\\b""#), ("  read\t2a19  ", "read battery-level"),
    ]
  )
  func alternatives(line: String, canonical: String) throws {
    #expect(try steps(line) == [canonical])
  }

  @Test("steps are parted by semicolons and line ends; what is captured is known afterwards")
  func several() throws {
    let line = """
      read temperature-measurement as t; log "it is {t.celsius}; hot";
      write alert-level u8:1

      ; sleep 1s;
      """
    #expect(
      try steps(line) == [
        "read temperature-measurement as t", #"log "it is {t.celsius}; hot""#,
        "write alert-level u8:1", "sleep 1s",
      ]
    )
  }

  @Test(
    "an error is reported with its column, what was expected, and what was probably meant",
    arguments: [
      ("", "1:1: there are no steps (expected a step such as read battery-level)"),
      (" ; ", "1:1: there are no steps (expected a step such as read battery-level)"),
      ("raed 2a19", "1:1: unknown step 'raed' (did you mean 'read'?)"),
      (
        "frobnicate",
        "1:1: unknown step 'frobnicate' "
          + "(expected one of \(Step.verbs.joined(separator: ", ")))"
      ),
      (
        "include a",
        "1:9: 'a' cannot be included (expected the path of a file below the folder of the chain, "
          + "without variables)"
      ),
      (
        "read", "1:1: nothing follows 'read' (expected a characteristic such as battery-level)"
      ),
      (
        "read batery-level",
        "1:6: unknown characteristic 'batery-level' (did you mean 'battery-level'?)"
      ),
      (
        "read 2a19 foo",
        "1:11: expected one of offset, format, name, as, expect, within, attempts, backoff, on-failure, "
          + "found 'foo'"
      ),
      ("read 2a19 exect percent > 3", "1:11: unknown word 'exect' (did you mean 'expect'?)"),
      (
        "read 2a19 as 1x",
        "1:14: expected a name of letters, digits, - and _ that begins with a letter, found '1x'"
      ),
      ("read 2a19 format u9", "1:18: unknown format 'u9' (did you mean 'u8'?)"),
      (
        "read 2a19 within 0s",
        "1:18: expected a duration above 0 such as 10s, found '0s'"
      ),
      (
        "read 2a19 expect precent>3",
        "1:18: the value has no 'precent' (did you mean 'percent'?)"
      ),
      (
        "read 2a19 expect percent ^ 3",
        "1:26: expected one of =, !=, <, <=, >, >=, in, &, ~, counts, found '^'"
      ),
      ("read 2a19 expect percent > x", "1:28: expected a number, found 'x'"),
      ("read 2a19 expect percent >", "1:26: nothing follows '>' (expected a number)"),
      (
        "read 2a19 expect percent in 5..3",
        "1:29: expected two numbers such as 10..40, the smaller first, found '5..3'"
      ),
      ("write 2a06", "1:7: the value is missing (expected a value such as u8:1)"),
      ("write 2a06 u8:300", "1:15: 300 is more than 255 (expected a value for u8)"),
      ("write 2a06 u9:3", "1:12: unknown format 'u9' (did you mean 'u8'?)"),
      (
        "write 2a06 u8:1 reqest",
        "1:17: expected a value such as u8:1, automatic, request, command, reliable, offset, delivery, "
          + "name, expect, within, attempts, backoff, or on-failure, "
          + "found 'reqest' (did you mean 'request'?)"
      ),
      (
        "notify 2a19",
        "1:8: this would listen for ever "
          + "(expected 'until' with a count, or 'for' with a duration)"
      ),
      (
        "notify 2a19 until 0x",
        "1:19: expected a number of values such as 5x, from 1x to 1000000x, found '0x'"
      ),
      (
        "notify 2a19 for 5s within 3s",
        "1:27: a limit of 3s ends before the 5s of 'for' (expected 5s or more)"
      ),
      ("sleep 3", "1:7: expected a duration such as 500ms, found '3' (did you mean '3s'?)"),
      ("sleep 3s now", "1:10: expected one of name, on-failure, found 'now'"),
      (
        "log \"{x}\"",
        "1:5: no earlier step captures 'x' (expected a step before this one with 'as')"
      ),
      ("log 'abc", "1:5: the quote is not closed (expected ' at the end)"),
      (#"log abc\"#, #"1:5: nothing follows the \ at the end"#),
      (
        "connect now",
        "1:9: expected one of name, expect, within, attempts, backoff, on-failure, found 'now'"
      ),
    ]
  )
  func wrong(line: String, complaint: String) {
    #expect(throws: DocumentErrors.self) { try Plan.parse(line: line) }
    do {
      _ = try Plan.parse(line: line)
    } catch {
      #expect(error.description == "-e:" + complaint)
    }
  }

  @Test("each step that is wrong is complained of, with its line and column")
  func severalWrong() {
    do {
      _ = try Plan.parse(line: "read 2a19 as b foo; log \"{b.x} {other}\"\n  sleep 3", file: "line")
      Issue.record("it was taken")
    } catch {
      #expect(
        error.problems.map(\.description) == [
          "line:1:16: expected one of offset, format, name, as, expect, within, attempts, backoff, "
            + "on-failure, found 'foo'",
          "line:1:25: no earlier step captures 'other' (expected b)",
          "line:2:9: expected a duration such as 500ms, found '3' (did you mean '3s'?)",
        ]
      )
    }
  }
}
