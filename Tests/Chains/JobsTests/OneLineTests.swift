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
    "a step prints the line that it was parsed from",
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
    "alternative spellings parse to the same step",
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

  @Test("semicolons and line breaks separate steps, and later steps can use captured values")
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
    "quoted text is parsed back unchanged, even with a combining mark after a special character",
    arguments: [
      "a\"\u{301}b", "\u{301}x y", "a \u{301}b", "\\\u{301}", ";\u{301}", "it's", "", "a\\",
    ]
  )
  func marks(_ text: String) throws {
    let steps = try LineWords.steps(of: Quoting.quoted(text), file: "-e")
    let words = try #require(steps.first)
    #expect(words.count == 1)
    #expect(words.first?.text.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    let template = MessageTemplate(literal: "{\u{301}" + text)
    let again = try #require(MessageTemplate(template.description))
    #expect(
      again.constant?.unicodeScalars.elementsEqual(("{\u{301}" + text).unicodeScalars) == true)
  }

  @Test("the key may precede a value that could stand alone")
  func keyNames() throws {
    for (long, short) in [
      ("write 2a06 u8:1 kind command", "write 2a06 u8:1 command"),
      ("command ./key arguments a arguments b", "command ./key with a with b"),
    ] {
      #expect(try Plan.parse(line: long).lines == Plan.parse(line: short).lines)
    }
    #expect(throws: DocumentErrors.self) { try Plan.parse(line: "write 2a06 u8:1 kind no") }
  }
}
