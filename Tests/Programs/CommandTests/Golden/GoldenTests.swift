// Compares the output of the built program for the inputs of Tests/Golden with the recorded output.

import Fixtures
import Foundation
import Testing

@Suite("Recorded behaviour", .blocking)
struct GoldenTests {
  @Test("each command of a transcript prints what was recorded", arguments: Transcript.all)
  func transcripts(name: String) throws { try Transcript(name: name).replay() }

  @Test("transcripts exist, and no recorded file lacks a test")
  func complete() throws {
    #expect(Transcript.all.count >= 7)
    let mutated = try FileManager.default
      .contentsOfDirectory(atPath: Transcript.folder + "/recorded/mutated").sorted()
    #expect(mutated == (Self.files.map(\.name) + ["lines"]).map { "\($0).txt" }.sorted())
  }

  /// The inputs that are made wrong, with what checks them.
  static let files: [(name: String, path: String, options: [String])] = [
    ("chain", "chains/every-step.yaml", []),
    ("head", "chains/lamp.yaml", ["--set", "pause=2s"]),
    ("batch", "batches/every-key.yaml", []),
    ("devices", "devices/every-key.yaml", ["--simulate"]),
    ("behaviours", "devices/behaviours.yaml", ["--simulate"]),
    ("machine", "devices/machine.yaml", ["--simulate"]),
    ("scenario", "devices/every-fault.yaml", ["--simulate"]),
    ("suite", "suites/every-operation.xml", []),
    ("macro", "suites/macro.xml", []),
  ]

  @Test(
    "check prints what was recorded for inputs with one error",
    .enabled(if: testsEverything || Transcript.isRecording), arguments: files.indices
  )
  func mutated(index: Int) throws {
    let (name, path, options) = Self.files[index]
    let source = URL(fileURLWithPath: "\(Transcript.folder)/\(path)")
    let text = try String(contentsOf: source, encoding: .utf8)
      .replacing("../../../Simulators", with: "Simulators")
    let mutations = path.hasSuffix(".xml") ? Mutation.ofXML(text) : Mutation.ofYAML(text)
    // A copy of the folder and a link, so that the files are found that the input names. No path in
    // an input depends on where the package is: its length would change the columns.
    let folder = try TemporaryFolder()
    let original = source.deletingLastPathComponent().path + "/."
    let simulators = projectFolder + "/Simulators"
    for command in [["cp", "-r", original, "."], ["ln", "-s", simulators, "."]] {
      try #require(try RunningProgram(command, in: folder.path).end().status == 0)
    }
    var arguments = ["check"]
    for (number, mutation) in mutations.enumerated() {
      let file = Self.marker(number) + "." + source.pathExtension
      _ = try folder.file(file, mutation.text)
      arguments += options.first == "--simulate" ? ["--simulate", file] : [file]
    }
    if options.first != "--simulate" { arguments += options }
    let found = try blerun(arguments, in: folder.path)
    try Transcript(name: "mutated/\(name)").expect(
      Self.report(mutations, found.errors) { line, marker in line.contains(marker + ".") }
    )
  }

  @Test(
    "check prints what was recorded for lines with one wrong word",
    .enabled(if: testsEverything || Transcript.isRecording)
  )
  func mutatedLines() throws {
    let lines = try String(contentsOfFile: Transcript.folder + "/lines.txt", encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let mutations = lines.flatMap(Mutation.ofLine)
    // An error in a line does not quote the line, so an unknown step before each one identifies it.
    let arguments = mutations.enumerated().flatMap { number, mutation in
      ["-e", Self.marker(number), "-e", mutation.text]
    }
    let found = try blerun(["check"] + arguments)
    let problems = Self.report(mutations, found.errors) { $0.contains("'\($1)'") }
    try Transcript(name: "mutated/lines").expect(problems)
  }

  private static func marker(_ number: Int) -> String { "m\(10_000 + number)" }

  /// The complaints about each mutation that has one of a kind that none before it has, under its
  /// label: what is recorded is what can be said, each once with its place.
  ///
  /// - Parameter begins: Whether a line is the first about the mutation with this marker.
  private static func report(
    _ mutations: [Mutation], _ errors: String, begins: (String, String) -> Bool
  ) -> String {
    var problems = mutations.map { _ in [String]() }
    var present = -1
    // Below a complaint about a line is the line itself.
    for line in errors.split(separator: "\n").map(String.init) where line.hasPrefix("blerun: ") {
      let isMarked = { begins(line, marker($0)) }
      if let next = (max(present, 0)..<mutations.count).first(where: isMarked) {
        present = next
        if line.contains("'\(marker(next))'") { continue }
      }
      guard present >= 0 else { continue }
      let text = String(line.trimmingPrefix("blerun: "))
        .replacing(marker(present), with: "FILE").replacing(projectFolder, with: "$PACKAGE")
      problems[present].append(text)
    }
    var kinds: Set<String> = []
    return zip(mutations, problems).filter { _, problems in
      // Each is inserted: a filter that stopped at the first new one would print the others again.
      problems.map { kinds.insert(kind(of: $0)).inserted }.contains(true)
    }.map { mutation, problems in
      "# \(mutation.label)\n" + problems.map { "  \($0)\n" }.joined()
    }.joined()
  }

  /// A complaint without its place, and without what it quotes.
  private static func kind(of problem: String) -> String {
    String(problem.replacing(/^(FILE|-e)\S* (\S+: )?/, with: "").replacing(/'[^']*'/, with: "'…'"))
  }
}
