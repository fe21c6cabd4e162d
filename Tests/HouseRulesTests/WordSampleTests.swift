// The rules about defaults and words, on samples.

import Foundation
import Testing

@Suite("Rules about defaults and words, on samples")
struct WordSampleTests {
  private func source(_ text: String) -> SourceFile { SourceFile("Sources/Jobs/A.swift", text) }

  // MARK: Defaults

  private static let declaration = """
    enum Shape {
      case round, square(side: Int)
      indirect case pair(Shape, Shape)
      case `default`
    }

    """

  private func defaults(_ body: String) -> [Int] {
    let file = source(Self.declaration + body)
    return DefaultRules.check(file, cases: EnumCases(in: [file])).map(\.line)
  }

  @Test("the cases of an enumeration are known, those of a switch are not taken for declarations")
  func names() {
    let text = "switch x {\ncase .open, .closed: 1\ncase let value: 2\ncase nil: 3\n}\n"
    #expect(
      EnumCases(in: [source(Self.declaration + text)]).names
        == ["round", "square", "pair", "default"]
    )
  }

  @Test(
    "a default beside cases of the project is found",
    arguments: [
      "switch x {\ncase .round: 1\ndefault: 2\n}",
      "switch x {\ncase .square(let side) where side > 1: 1\ncase _: 2\n}",
      "switch (x, y) {\ncase (.pair(\n  let a,\n  let b\n), 1):\n  1\ndefault:\n  2\n}",
      "switch x {\ncase .round:\n  switch y {\n  case 1: 1\n  default: 2\n  }\ndefault: 3\n}",
    ]
  )
  func found(body: String) { #expect(defaults(body).count == 1, "\(defaults(body))") }

  @Test(
    "a default over what is open is right",
    arguments: [
      "switch text {\ncase \".round\": 1\ndefault: 2\n}",
      "switch octet {\ncase UInt8(ascii: \"(\"): 1\ndefault: 2\n}",
      "switch number {\ncase 1...9: 1\ndefault: 2\n}",
      "switch error {\ncase let error as Late: 1\ndefault: 2\n}",
      "switch type {\ncase Codes.round: 1\ndefault: 2\n}",
      "switch signal {\ncase .round: 1\n// open: signals of the system\ndefault: 2\n}",
      "switch signal {\ncase .round: 1\ndefault: 2  // open: signals of the system\n}",
      "let count = counts[word, default: 0]",
    ]
  )
  func open(body: String) { #expect(defaults(body) == [], "\(body)") }

  // MARK: Words

  private func words(_ text: String) throws -> [String] {
    try GlossaryRules().check(source(text)).map { $0.problem.components(separatedBy: "”")[0] }
  }

  @Test(
    "words of the left column are found in comments, strings and names",
    arguments: [
      ("// A failure that may pass.", "“that may pass"), ("// The link falls.", "“link falls"),
      ("/// What is\n/// told.", "“told"), ("let hearers = 1", "“hearers"),
      ("func addHearer() {}", "“hearer"), ("struct BlowSchedule {}", "“blow"),
      ("let x = \"'\\(y)' stands here\"", "“stands here"),
      ("let x = \"at most 512 octets\"", "“octets"),
      ("enum Enough {}", "“enough"), ("// It is taken\n// apart.", "“taken apart"),
      ("let x = \"there is no step '\\(y)'\"", "“there is no step '"),
    ]
  )
  func word(text: String, found: String) throws { #expect(try words(text) == [found]) }

  @Test(
    "right words are left alone",
    arguments: [
      "// There is no more than one.", "// It is no longer than 3 octets.", "let octets = [1]",
      "// Long enough for a value.", "let x = \"octets\"", "let x = \"heard\"",
      "// A storey, an essay, a shear, telltale.", "let spoken = 1",
    ]
  )
  func right(text: String) throws { #expect(try words(text) == []) }
}
