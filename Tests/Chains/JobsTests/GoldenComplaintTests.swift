// Diagnostics for invalid chains, batches and names files, as recorded in Tests/Golden/complaints.
//
// A file there is named after what its inputs are. It has an input in each line, `\n` for its line ends, and below it what is
// reported of it, indented: nothing of what is right. `@` begins a template: what follows stands in the place of its `%`.

import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Diagnostics for invalid inputs")
struct GoldenComplaintTests {
  enum Kind: String, CaseIterable {
    case lines, chains, batches, names

    /// The complaints about a text, without its name.
    func complaints(_ text: String) throws -> [String] {
      let folder = try FolderOfFiles(["c": text, "chain.yaml": BatchFileTests.chain])
      let file = folder.path + "/c"
      let complaints = folder.complaints {
        switch self {
        case .lines: _ = try Plan.parse(line: text)
        case .chains: _ = try Plan.parse(text, file: "c")
        case .batches: _ = try Batch.load(path: file)
        case .names: _ = try NamesFile(file)
        }
      }
      let name = self == .lines ? "-e:" : "c:"
      return complaints.map { $0.hasPrefix(name) ? String($0.dropFirst(name.count)) : $0 }
    }
  }

  @Test(
    "each diagnostic matches its recording; UPDATE_GENERATED=1 records them again",
    arguments: Kind.allCases
  )
  func recorded(kind: Kind) throws {
    let url = ChainSchemaTests.docs.deletingLastPathComponent()
      .appending(path: "Tests/Golden/complaints/\(kind.rawValue).txt")
    let text = try String(contentsOf: url, encoding: .utf8)
    var rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    var (template, made, inputs) = ("%", [String](), 0)
    while let line = rest.popFirst() {
      made.append(line)
      if line.isEmpty || line.hasPrefix("# ") { continue }
      if line.hasPrefix("@ ") {
        template = String(line.dropFirst(2))
        continue
      }
      let recorded = rest.prefix { $0.hasPrefix("  ") }
      rest = rest.dropFirst(recorded.count)
      let input = template.replacing("%", with: line).replacing("\\n", with: "\n")
      let found = try kind.complaints(input).map { "  " + $0 }
      if !GeneratedFilesTests.writes { #expect(found == Array(recorded), "\(input)") }
      made += found
      inputs += 1
    }
    #expect(inputs > 10)
    // No message contains a key.
    #expect(!made.contains { $0.hasPrefix("  ") && $0.contains("231d39c1") })
    if GeneratedFilesTests.writes {
      try made.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
    }
  }
}
