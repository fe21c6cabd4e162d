// Errors in expectations and variables that do not match their values.

import Testing

@testable import Jobs

@Suite("Complaints about expectations and variables")
struct ValueComplaintTests {
  @Test("a comparison in the one-line form is refused in a file, unless 'is' makes it a text")
  func asOnOneLine() {
    let end = "is in the one-line form (expected a mapping such as"
    for text in ["percent > 20", "value != 3", "u8 & 0x0f = 0x05", "hex ~ 01*"] {
      let said = Plan.complaint(ofStep: "{ read: battery-level, expect: '\(text)' }")
      #expect(said.contains("'\(text)' \(end)"), "\(said)")
    }
    for text in ["chest", "a > b", "percent > ", "percent in use here"] {
      #expect(Plan.complaint(ofStep: "{ read: 2a29, expect: '\(text)' }") == "", "\(text)")
    }
    #expect(
      Plan.complaint(ofStep: "{ read: 2a29, expect: { value: { is: 'value > 3' } } }") == ""
    )
  }

  @Test(
    "about expectations",
    arguments: [
      (
        "{ precent: 3 }",
        "42: steps.1.expect.precent: the value has no 'precent' (did you mean 'percent'?)"
      ),
      (
        "{ celsius: 3 }",
        "42: steps.1.expect.celsius: the value has no 'celsius' (expected one of percent, value, "
          + "u8, u16, u24, u32, u64, i8, i16, i24, i32, i64, f32, f64, u16be, u24be, u32be, u64be, "
          + "i16be, i24be, i32be, i64be, f32be, f64be, utf8, hex)"
      ),
      ("[1]", "40: steps.1.expect: expected \(fields), found a list"),
      ("", "41: steps.1.expect: expected \(fields), found nothing"),
      (
        "{ percent: { betwen: [1, 2] } }",
        "53: steps.1.expect.percent.betwen: unknown comparison 'betwen' "
          + "(did you mean 'between'?)"
      ),
      (
        "{ percent: { equals: 3 } }",
        "53: steps.1.expect.percent.equals: unknown comparison 'equals' "
          + "(expected one of is, not, min, max, above, below, between, in, mask, like, counter)"
      ),
      (
        "{ percent: { between: [3, 2] } }",
        "62: steps.1.expect.percent.between: expected two numbers, the smaller first, found "
          + "a list"
      ),
      (
        "{ percent: { min: x } }",
        "58: steps.1.expect.percent.min: expected a number, found 'x'"
      ),
      (
        "{ percent: { in: 3 } }",
        "57: steps.1.expect.percent.in: expected a list of values, found '3'"
      ),
      (
        "{ percent: { in: [] } }",
        "57: steps.1.expect.percent.in: expected a list of values, found an empty list"
      ),
      (
        "{ percent: {} }",
        "51: steps.1.expect.percent: expected "
          + "a value or a comparison such as { min: 10 }, found an empty mapping"
      ),
      (
        "{ percent: { is: [3] } }",
        "57: steps.1.expect.percent.is: expected a single value, found a list"
      ),
      (
        "{ percent: [3] }",
        "51: steps.1.expect.percent: expected "
          + "a value or a comparison such as { min: 10 }, found a list"
      ),
    ]
  )
  func expectations(expect: String, complaint: String) {
    let text = "steps: [{ read: battery-level, expect: \(expect) }]"
    #expect(Plan.complaints(text) == ["c:1:\(complaint)"])
  }

  @Test(
    "a comparison that no value passes is an error, with what to write instead",
    arguments: [
      (
        "notify: ff01, until: { value: 1 }",
        "the value is bytes, and never 1 (expected hex: 01, u8: 1, or a 'format' of the step)"
      ),
      (
        "read: ff01, expect: { value: { min: 20 } }",
        "the value is bytes, and never compared with a number "
          + "(expected hex: 01ff, u8: { min: 1 }, or a 'format' of the step)"
      ),
      (
        "read: ff01, expect: { hex: 1 }",
        "hex is bytes, and never 1 (expected pairs of hex digits such as 01ff)"
      ),
      (
        "read: battery-level, expect: { percent: '>= 20' }",
        "percent is a number, and not the text '>= 20' (expected { min: 20 })"
      ),
      (
        "read: battery-level, expect: { percent: '20' }",
        "percent is a number, and never the text '20' (expected 20 without quotes)"
      ),
      (
        "read: battery-level, expect: full",
        "the value is a number, and never the text 'full' "
          + "(expected a number, or a comparison such as { min: 20 })"
      ),
      ("read: ff01, expect: { u8: 300 }", "u8 is never 300: 300 is more than 255"),
      ("read: ff01, expect: { u8: 1.5 }", "u8 is never 1.5 (expected a whole number)"),
      ("scan: 1s, expect: { count: 1.5 }", "count is never 1.5 (expected a whole number)"),
      (
        "read: battery-level, expect: { percent: { in: [1.5, 2.5] } }",
        "percent is never one of these (expected a whole number)"
      ),
      (
        "notify: heart-rate-measurement, for: 1s, expect: { contact: 1 }",
        "contact is yes or no, and never 1 (expected yes or no)"
      ),
      (
        "read: body-sensor-location, expect: { value: { above: 1 } }",
        "the value is a text, and never compared with a number "
          + "(expected a text, or a pattern such as { like: 'a*' })"
      ),
      (
        "notify: battery-level, for: 1s, expect: { count: many }",
        "count is a number, and never the text 'many' "
          + "(expected a number, or a comparison such as { min: 20 })"
      ),
      (
        "read: body-sensor-location, expect: chst",
        "the value is never 'chst' (did you mean 'chest'?)"
      ),
      (
        "read: current-time, expect: { day: Tusday }",
        "day is never 'Tusday' (did you mean 'Tuesday'?)"
      ),
      (
        "read: current-time, expect: { time: '2024-13-01 00:00:00' }",
        "time is a date and time, and never '2024-13-01 00:00:00' "
          + "(expected one such as 2026-01-31 23:59:00)"
      ),
      (
        "read: battery-level, expect: { percent: { min: 101 } }",
        "percent is from 0 to 100, and never >= 101"
      ),
      (
        "read: battery-level, expect: { percent: { in: [101, 200] } }",
        "percent is from 0 to 100, and never in 101,200"
      ),
      (
        "read: battery-level, expect: { percent: { min: 90, max: 20 } }",
        "nothing is both >= 90 and <= 20"
      ),
      (
        "read: battery-level, expect: { percent: { mask: [0x0f, 0xf0] } }",
        "no value passes '& 0x0f = 0xf0': it has bits outside the mask"
      ),
      (
        "read: ff01, format: u8, expect: { value: 256 }",
        "the value is from 0 to 255, and never = 256"
      ),
      ("read: ff01, expect: { u8: { above: 255 } }", "u8 is from 0 to 255, and never > 255"),
      (
        "notify: battery-level, until: { count: 3 }, expect: { count: 5 }",
        "count is from 0 to 3, and never = 5"
      ),
      ("scan: 1s, expect: { count: { below: 0 } }", "count is at least 0, and never < 0"),
      (
        "notify: battery-level, for: 1s, expect: { rate: { max: -1 } }",
        "rate is at least 0, and never <= -1"
      ),
      ("rssi: , expect: { rssi: { above: 100 } }", "rssi is from -127 to 20, and never > 100"),
      ("mtu: , expect: { value: 22 }", "the value is from 23 to 65535, and never = 22"),
      (
        "assert: { b.percent: '> 20' }",
        "b.percent is a number, and not the text '> 20' (expected { above: 20 })"
      ),
      (
        "assert: { b.percent: abc }",
        "b.percent is a number, and never the text 'abc' "
          + "(expected a number, or a comparison such as { min: 20 })"
      ),
      (
        "when: { b.percent: { min: 101 } }, steps: [connect]",
        "b.percent is from 0 to 100, and never >= 101"
      ),
      ("when: { b: 101 }, steps: [connect]", "b is from 0 to 100, and never = 101"),
      (
        "assert: { p: 1 }",
        "p is bytes, and never 1 "
          + "(expected pairs of hex digits such as 01, or a 'format' of the step that captures it)"
      ),
      (
        "assert: { 'p[0:2]': { min: 1 } }",
        "p[0:2] is bytes, and never compared with a number "
          + "(expected pairs of hex digits such as 01ff, or a 'format' of the step that captures it)"
      ),
      ("assert: { n: 256 }", "n is from 0 to 255, and never = 256"),
      ("assert: { s: wirst }", "s is never 'wirst' (did you mean 'wrist'?)"),
      ("assert: { w.count: 5 }", "w.count is from 0 to 3, and never = 5"),
      ("assert: { c.level.percent: 101 }", "c.level.percent is from 0 to 100, and never = 101"),
      ("assert: { twice: { max: -1 } }", "twice is from 0 to 255, and never <= -1"),
    ]
  )
  func impossible(step: String, complaint: String) {
    let said = Plan.complaints("steps: [\(Self.captures), { \(step) }]")
    #expect(said.count == 1 && said[0].hasSuffix(": \(complaint)"), "\(said)")
  }

  /// Steps that capture values of each kind.
  private static let captures = """
    { read: battery-level, as: b }, { read: ff01, as: p }, { read: ff01, format: u8, as: n }, \
    { read: body-sensor-location, as: s }, { read: temperature-measurement, as: u }, \
    { notify: battery-level, until: { count: 3 }, as: w }, \
    { combine: [{ notify: battery-level, as: level }, { notify: ff01, as: raw }], for: 1s, as: c }, \
    { read: ff01, format: u8, as: twice }, { read: battery-level, as: twice }
    """

  @Test(
    "a comparison that a value may pass is none",
    arguments: [
      "read: ff01, expect: { value: 01 FF }", "read: ff01, expect: { hex: 0x01 }",
      "read: ff01, expect: { u8: 255 }", "read: battery-level, expect: { percent: { min: 100 } }",
      "read: body-sensor-location, expect: { value: { in: [chest, neck] } }",
      "read: current-time, expect: { time: 2024-12-01 00:00:00, day: Sunday }",
      "read: battery-level, expect: { percent: { above: 19, below: 20, mask: [0x0f, 0x05] } }",
      "notify: battery-level, until: { count: 3 }, expect: { count: { min: 3 } }",
      "read: ff01, format: u8, expect: 1",
      "read: ff01, format: utf8, expect: '>= 20'", "read: ff01, expect: { value: { not: 1 } }",
      "read: battery-level, expect: { percent: { in: [full, 3] } }",
      "mtu: , expect: { value: 185 }", "read: temperature-measurement, expect: { celsius: never }",
      "scan: 1s, expect: { count: { min: 0, max: 0 } }", "rssi: , expect: { rssi: -127 }",
      "assert: { b.percent: 100, b: 100, p: 01, 'p[0:2]': 01ff, n: 255, s: wrist, w.count: 3 }",
      "assert: { b: '{n}', p: '{p[0:1]}', u.celsius: never, w.silence: { max: 1s } }",
      "assert: { twice: 200 }", "assert: { c.level.percent: 100, c.count: { min: 7 } }",
    ]
  )
  func possible(step: String) {
    #expect(Plan.complaints("steps: [\(Self.captures), { \(step) }]") == [])
  }

  private static let fields = "a value, fields with what they must be, or { error: not-permitted }"

  @Test(
    "about variables: they are captured by an earlier step, and have the fields of its value",
    arguments: [
      (
        "{ log: '{x}' }",
        "41: steps.2.log: no earlier step captures 'x' (expected one of level, other)"
      ),
      ("{ log: '{levl}' }", "41: steps.2.log: no earlier step captures 'levl' \(meant("level"))"),
      (
        "{ when: { level.precent: 1 }, steps: [connect] }",
        "44: steps.2.when.level.precent: 'level' has no field 'precent' \(meant("percent"))"
      ),
      (
        "{ when: { 1x: 1 }, steps: [connect] }",
        "44: steps.2.when.1x: expected a name of letters, digits, - and _ that begins with a letter, found '1x'"
      ),
      ("{ log: '{other.x}' }", "41: steps.2.log: 'other' has no fields (expected 'other' alone)"),
      ("{ log: '{x' }", "41: steps.2.log: expected \(MessageTemplate.shape), found '{x'"),
      (
        "{ when: { level: { abov: 1 } }, steps: [connect] }",
        "53: steps.2.when.level.abov: unknown comparison 'abov' \(meant("above"))"
      ),
      (
        "{ when: level, steps: [connect] }",
        "42: steps.2.when: expected "
          + "captured values with what they must be: { b.percent: { below: 20 } }, found 'level'"
      ),
    ]
  )
  func variables(step: String, complaint: String) {
    let text = """
      steps:
      - { repeat: 2, steps: [{ read: battery-level, as: level }, { read: 2a29, as: other }] }
      -                                \(step)
      - { read: battery-level, as: later }
      """
    #expect(Plan.complaints(text) == ["c:3:\(complaint)"])
  }

  private static func meant(_ word: String) -> String { "(did you mean '\(word)'?)" }

  @Test("a variable of the same step or a later one is none yet")
  func tooEarly() {
    let text = "steps: [{ log: '{b}' }, { read: battery-level, as: b }]"
    #expect(
      Plan.complaints(text) == [
        "c:1:16: steps.1.log: no earlier step captures 'b' "
          + "(expected a step before this one with 'as')"
      ]
    )
  }
}
