// Located documents: values, positions, errors and limits.

import Documents
import Testing

@Suite("Documents")
struct DocumentTests {
  func parsed(_ text: String, limits: DocumentLimits = DocumentLimits()) throws -> Node {
    try Document.parse(text, file: "chain.yaml", limits: limits)
  }

  func complaints(_ text: String, limits: DocumentLimits = DocumentLimits()) -> [String] {
    do {
      _ = try parsed(text, limits: limits)
      return []
    } catch {
      return (error as? DocumentErrors)?.problems.map(\.description) ?? ["\(error)"]
    }
  }

  @Test("values know their position and the keys that lead to them")
  func places() throws {
    let root = try parsed("name: x\nsteps:\n  - read: battery-level\n")
    let steps = try #require(root.mapping?.last?.value.sequence)
    let read = try #require(steps.first?.mapping?.first)
    #expect(read.keyPlace == Place(file: "chain.yaml", line: 3, column: 5))
    #expect(read.value.path == "steps.1.read")
    #expect(read.value.text == "battery-level")
  }

  @Test("each duplicate key is reported at its later position, with the position of the first")
  func duplicates() {
    let text = """
      name: x
      steps:
        - { read: a, as: b, read: c }
        - log: "name: name"
        - repeat: 2
          steps:
            - read: a
              "read": b
              read: c
      name: y
      """
    #expect(
      complaints(text) == [
        "chain.yaml:3:23: duplicate key 'read', first at chain.yaml:3:7",
        "chain.yaml:8:9: duplicate key 'read', first at chain.yaml:7:9",
        "chain.yaml:9:9: duplicate key 'read', first at chain.yaml:7:9",
        "chain.yaml:10:1: duplicate key 'name', first at chain.yaml:1:1",
      ]
    )
    #expect(complaints(#"{"a": [{"b": 1}, {"b": 2, "b": 3}]}"#).count == 1)
    #expect(complaints("a: { b: b }\nb: [a, b, b]\nc: { a: { b: 1 } }\n") == [])
    #expect(
      complaints("&k a: 1\n*k : 2\n") == [
        "chain.yaml:2:1: duplicate key 'a', first at chain.yaml:1:1"
      ]
    )
  }

  @Test(
    "a surrogate pair in double quotes is one character, as in JSON",
    arguments: [
      (#"{"a": "x \ud83d\uDE00\u00e9"}"#, "x \u{1f600}é"),
      (#"{"\ud83d\ude00": 1, "a": "\ud83d\ude00"}"#, "\u{1f600}"),
      (#"a: \ud83d\ude00"#, #"\ud83d\ude00"#), (#"a: '\ud83d\ude00'"#, #"\ud83d\ude00"#),
      (#"a: "\\ud83d\\ude00""#, #"\ud83d\ude00"#),
    ]
  )
  func surrogates(text: String, value: String) throws {
    #expect(try parsed(text).value(of: "a")?.text == value)
  }

  @Test("positions and duplicate keys are correct in a text with surrogate pairs")
  func placesBehindSurrogates() {
    #expect(
      complaints(#"{"\ud83d\ude00": 1, "😀": 2}"#) == [
        "chain.yaml:1:21: duplicate key '😀', first at chain.yaml:1:2"
      ]
    )
  }

  @Test(
    "the error for a tab used as indentation names the tab",
    arguments: ["steps:\n\t- read: x\n", "a:\n  b: 1\n\tc: 2\n", "a:\n  - b: 1\n  \t- c\n"]
  )
  func tabs(text: String) {
    let found = complaints(text)
    #expect(found.count == 1, "\(found)")
    #expect(
      found.first?.hasSuffix("invalid YAML: a tab in the indentation (expected spaces)") == true,
      "\(found)"
    )
    #expect(complaints("a: [b,\n\tc]\nd:\te\n") == [])
  }

  @Test("JSON is read too")
  func json() throws {
    let root = try parsed(#"{"a": [1, 2.5, true, null, "7"]}"#)
    let list = try #require(root.mapping?.first?.value.sequence)
    #expect(list.map(\.integer) == [1, nil, nil, nil, nil])
    #expect(list.map(\.number) == [1, 2.5, nil, nil, nil])
    #expect(list[2].truth == true)
    #expect(list[3].isNull)
    #expect(list[4].text == "7")
  }

  @Test(
    "durations have a number and a unit",
    arguments: [
      ("10s", Duration.seconds(10)), ("500ms", .milliseconds(500)), ("3m", .seconds(180)),
      ("1.5h", .seconds(5400)), ("0s", .zero),
    ]
  )
  func durations(text: String, duration: Duration) {
    #expect(Duration(written: text) == duration)
  }

  @Test(
    "durations are written with the largest unit that divides them",
    arguments: [
      ("0s", Duration.zero), ("90m", .seconds(5400)), ("1h", .seconds(3600)),
      ("1500ms", .milliseconds(1500)), ("0.005ms", .microseconds(5)),
      ("-1.250ms", .microseconds(-1250)),
    ]
  )
  func writtenDurations(text: String, duration: Duration) {
    #expect(duration.written == text)
  }

  @Test(
    "invalid durations are rejected", arguments: ["10", "s", "-1s", "1d", "soon", "1e99h", "infs"]
  )
  func noDurations(text: String) {
    #expect(Duration(written: text) == nil)
  }

  @Test("problems are reported in file order, each once")
  func complaintsOnce() {
    func problem(_ line: Int, _ message: String) -> Problem {
      Problem(message, at: Place(file: "a", line: line, column: 1))
    }
    let errors = DocumentErrors([problem(2, "b"), problem(1, "a"), problem(2, "b")])
    #expect(errors.problems == [problem(1, "a"), problem(2, "b")])
  }

  @Test("all unknown keys are reported at once, each with the nearest known key")
  func mapping() throws {
    let root = try parsed("nam: x\ntimeout: soon\nextra: 1\n")
    var reader = MappingReader(root)
    _ = reader.required("name", expected: "a text") { $0.text }
    _ = reader.optional("timeout", expected: "a duration such as 10s") { $0.duration }
    let found = DocumentErrors(reader.finish()).problems.map(\.description)
    #expect(
      found == [
        "chain.yaml:1:1: the key 'name' is missing (expected a text)",
        "chain.yaml:1:1: nam: unknown key 'nam' (did you mean 'name'?)",
        "chain.yaml:2:10: timeout: expected a duration such as 10s, found 'soon'",
        "chain.yaml:3:1: extra: unknown key 'extra' (expected one of name, timeout)",
      ]
    )
  }

  @Test("a list instead of a mapping is an error")
  func notMapping() throws {
    var reader = MappingReader(try parsed("- 1\n"))
    #expect(
      reader.finish().map(\.description) == [
        "chain.yaml:1:1: expected a mapping, found a list"
      ]
    )
  }

  @Test(
    "an invalid document is an error with its position",
    arguments: [
      "a: [1, 2", "a: b: c", "\t- x", "a: 1\na: 2\n", "", "--- 1\n--- 2\n", "? [a]\n: 1\n",
    ]
  )
  func broken(text: String) {
    let found = complaints(text)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("chain.yaml:") == true)
  }

  @Test("size, depth and expansion of aliases have limits")
  func limits() {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(complaints(deep).first?.contains("are nested deeper than") == true)
    #expect(
      complaints("a: 1", limits: DocumentLimits(octets: 3)).first?.contains("longer than 3") == true
    )
    let bomb = """
      a: &a [x, x, x, x, x, x, x, x, x, x]
      b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
      c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
      d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
      e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
      """
    #expect(complaints(bomb).first?.contains("more than 100000 values") == true)
  }

  @Test(
    "a key of forty bytes that expands to a million million values is rejected",
    .timeLimit(.minutes(1)))
  func keyOfAliases() {
    var text = "a: [&b0 [x, x, x]"
    for level in 1...24 {
      text += ", &b\(level) [*b\(level - 1), *b\(level - 1), *b\(level - 1)]"
    }
    // The anchor is redefined repeatedly, each time in terms of its previous value.
    var shadowed = "- &x [x, x]\n"
    for _ in 0..<40 { shadowed += "- &x [*x, *x]\n" }
    for text in [text + "]\n? *b24\n: c\n", shadowed] {
      let found = complaints(text)
      #expect(found.count == 1)
      #expect(found.first?.contains("more than 100000 values") == true, "\(found)")
    }
  }

  @Test("a long text repeated by an alias, and a long key above many values, are rejected")
  func muchText() {
    let long = String(repeating: "x", count: 100_000)
    let aliases = "- &x \(long)\n" + String(repeating: "- *x\n", count: 1_000)
    let values = "? \(long)\n:\n" + String(repeating: "- 1\n", count: 1_000)
    for text in [aliases, values] {
      let found = complaints(text)
      #expect(found.count == 1)
      #expect(found.first?.contains("expand to too much text") == true, "\(found.first ?? "")")
    }
  }

  @Test("an alias that is used many times expands to its value each time")
  func usedOften() throws {
    let uses = String(repeating: "- { like: *one, and: *two }\n", count: 300)
    let root = try parsed("- &one { a: [b, c] }\n- &two { d: *one }\n" + uses)
    #expect(root.sequence?.count == 302)
  }

  @Test(
    "a key that YAML 1.1 reads as a boolean is reported as it was written",
    arguments: [("true", "on"), ("True", "on"), ("false", "off")]
  )
  func lostKey(key: String, word: String) throws {
    var reader = MappingReader(try Document.parse("\(key): 1", file: "t"))
    _ = (reader.optional("on"), reader.optional("off"))
    #expect(
      reader.finish().map(\.description) == [
        "t:1:1: \(key): the key '\(key)' was '\(word)': programs that read YAML 1.1, such as PyYAML, "
          + "take it for \(key) (expected \"\(word)\" in quotes where such a program reads it)"
      ]
    )
    var other = MappingReader(try Document.parse("\(key): 1", file: "t"))
    _ = other.optional("name")
    #expect(other.finish().first?.message == "unknown key '\(key)'")
  }
}
