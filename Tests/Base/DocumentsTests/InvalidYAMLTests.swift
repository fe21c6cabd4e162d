// Error messages for invalid YAML: the line, and the change to make.

import Documents
import Testing

@Suite("Invalid YAML")
struct InvalidYAMLTests {
  private func problems(_ text: String) -> [Problem] {
    do {
      _ = try Document.parse(text, file: "f")
      return []
    } catch {
      return error.problems
    }
  }

  @Test(
    "the message says what to change, and where",
    arguments: [
      (
        "steps:\n  - read: a\n    timeout: 5s\n   retry: 2\n",
        "4:4", "this line is indented less than line 3"
      ),
      (
        "steps:\n  - read: a\n   retry: 2\n",
        "3:4", "this line is indented less than the text after '-' on line 2"
      ),
      (
        "steps:\n  - read: a\n  retry: 2\n",
        "3:3", "this line is indented less than the text after '-' on line 2"
      ),
      (
        "steps:\n  - read: a\n\n# more\n- read: b\n",
        "5:1", "this line is indented less than line 2"
      ),
      (
        "steps:\n  - read: a\n   - read: b\n", "3:4", "this line is indented more than line 2"
      ),
      ("name: x\n  steps:\n", "2:3", "this line is indented more than line 1"),
      ("a: |\n  foo\n bar\n", "3:2", "this line is indented less than line 2"),
      ("name: x: y\n", "1:8", "': ' inside a value (expected quotes around the value)"),
      (
        "a: 1\n---\nb: 2\n", "2:1",
        "a second document begins here; a file holds one document"
      ),
      (
        "a: 1\n...\nb: 2\n",
        "3:1", "text after the end of the document; a file holds one document"
      ),
      ("name: x\nsteps\n  - read: a\n", "2:1", "no ':' follows 'steps' (expected key: value)"),
      (
        "a: - b\n", "1:4",
        "a list begins on the line of its key (expected '- ' on a line of its own)"
      ),
      ("a: [ b\n", "1:4", "the list that begins here is not closed (expected ']')"),
      ("a: [ b\nc: d\n", "2:2", "expected ',' or ']', found ':'"),
      ("a: {b: c, \n", "1:10", "the text ends inside a '[' or '{'"),
      ("a: \"b\nc: [d]\n", "1:4", "the quote that begins here is not closed"),
      ("a: \"b\" c\n", "1:8", "expected the end of the line, found 'c'"),
      ("a: @b\n", "1:4", "a value begins with '@' (expected quotes around it)"),
      ("a: *Lamp*\n", "1:4", "a value begins with '*' (expected quotes around it)"),
      (
        "a: *b\n",
        "1:4",
        "unknown alias '*b' (expected '&b' before it, or quotes around text that begins with '*')"
      ),
      ("a: >= 20\n", "1:4", "a value begins with '>' (expected quotes around it)"),
      (
        "a: \"\\q\"\n",
        "1:5", "unknown escape in double quotes (expected '\\\\', or single quotes)"
      ),
      (
        #"{"a": "\ud83d\ude00", "b": "x\ude00\ud83d"}"# + "\n",
        "1:30",
        #"half of a surrogate pair (expected both halves, such as '\ud83d\ude00', or the "#
          + "character itself)"
      ),
      (
        #"a: "\ud83x""# + "\n", "1:5",
        #"incomplete escape (expected '\u' and 4 digits from 0 to f)"#
      ),
      (
        #"a: "\U00110000""# + "\n",
        "1:5", "the escape is no Unicode character (expected 10ffff at most)"
      ),
      (
        "a: " + String(repeating: "[", count: 2000) + "\n",
        "1:5", "lists and mappings are nested too deeply"
      ),
    ]
  )
  func message(text: String, place: String, message: String) throws {
    let problem = try #require(problems(text).first)
    #expect(problem.description == "f:\(place): invalid YAML: \(message)")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(problem.place).line
    #expect(problem.line == String(lines[line - 1]))
  }

  @Test("a control character is reported with its position")
  func control() throws {
    let problem = try #require(problems("a: 1\nb: x\u{7}y\n").first)
    #expect(problem.place?.description == "f:2:5")
  }

  @Test("a line that may contain a secret is not shown")
  func secrets() throws {
    #expect(try #require(problems("pair: { passkey: 123456\n").first).line == nil)
    #expect(try #require(problems("keys:\n  a: \"00112233\n").first).line == nil)
    for text in ["keys:\n  a: 'x' 00112233\n", "{ \"keys\": { \"a\": \"x\" 00112233 } }"] {
      let problem = try #require(problems(text).first)
      #expect(problem.line == nil)
      #expect(!problem.description.contains("0011"), "\(problem)")
    }
  }
}
