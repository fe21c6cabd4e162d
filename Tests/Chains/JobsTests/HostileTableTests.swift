// Hostile tables of devices: very wide ones, and cells with control characters.

import Documents
import Testing

@testable import Jobs

@Suite("Hostile tables of devices")
struct HostileTableTests {
  private func batch(_ table: String) throws -> Batch {
    let folder = try FolderOfFiles([
      "batch.yaml": """
      name: "Lamps\\n\\e[2J"
      devices: { csv: t.csv, name: device }
      variables: { room: x }
      steps: [ { log: "{room}" } ]
      """,
      "t.csv": table,
    ])
    return try Batch.load(path: folder.path + "/batch.yaml")
  }

  // With a linear search for names, this takes minutes.
  @Test("a table may have tens of thousands of columns", .timeLimit(.minutes(1)))
  func wide() throws {
    let names = (1...40_000).map { "c\($0)" }.joined(separator: ",")
    let cells = Array(repeating: "1", count: 40_000).joined(separator: ",")
    let batch = try batch("device,\(names)\nLamp-1,\(cells)\nLamp-2,\(cells)\n")
    #expect(batch.extent == "2 devices")
  }

  @Test("a duplicate column is reported wherever it is")
  func twice() {
    let found = Result { () throws(DocumentErrors) in
      try CSVTable.parse("a,b,c,b\n1,2,3,4\n", file: "t.csv")
    }
    guard case .failure(let errors) = found else {
      Issue.record("it is taken")
      return
    }
    #expect(errors.problems.map(\.description) == ["t.csv:1:7: duplicate column 'b'"])
  }

  @Test("control characters in names and cells are escaped when the plan is printed")
  func visible() throws {
    let lines = try batch("device,room\n\"Lamp\n1\",\"in\n \u{1b}[2J\"\n").lines
    #expect(lines.first == "batch     Lamps\\u{a}\\u{1b}[2J")
    #expect(lines.contains("for       Lamp\\u{a}1"))
    #expect(lines.contains("1     log \"in\\u{a} \\u{1b}[2J\""))
  }

  @Test("the last value given for a name wins")
  func bindings() {
    var bindings = Bindings()
    for (name, text) in [("a", "1"), ("b", "2"), ("a", "3")] {
      bindings.bind(name, to: text, from: "--set")
    }
    #expect(bindings.all.map { "\($0.name)=\($0.text)" } == ["a=3", "b=2"])
    #expect(bindings["b"]?.text == "2" && bindings["c"] == nil)
    var other = Bindings()
    other.bind("b", to: "4", from: "row")
    other.bind("c", to: "5", from: "row")
    let both = bindings.overridden(by: other)
    #expect(both.all.map { "\($0.name)=\($0.text)" } == ["a=3", "b=4", "c=5"])
  }
}
