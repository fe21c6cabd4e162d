// Reports that would overwrite other files of the command: it ends with 2, and every file is unchanged.

import Fixtures
import Foundation
import Testing

@Suite("Reports that would overwrite other files", .blocking)
struct OverwrittenFileTests {
  private let folder: TemporaryFolder
  private let world: String

  init() throws {
    folder = try TemporaryFolder()
    world = try folder.tags(1)
    _ = try folder.file("chain.yaml", "steps: [ { read: battery-level } ]\n")
    _ = try folder.file("batch.yaml", "devices: [ Tag-1 ]\nchain: chain.yaml\n")
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func files() throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let texts = try names.map { try String(contentsOfFile: path($0), encoding: .utf8) }
    return Dictionary(uniqueKeysWithValues: zip(names, texts))
  }

  /// Runs the command, expects a refusal before anything is changed, and returns the message.
  private func refusal(_ arguments: String...) throws -> String {
    let before = try files()
    let ended = try blerun(arguments + ["--simulate", world])
    #expect(ended.status == 2, "\(arguments): \(ended.errors)")
    #expect(try files() == before)
    return ended.errors
  }

  @Test("no report overwrites a file named on the command line, however it is spelled")
  func inputs() throws {
    let (chain, batch) = (path("chain.txt"), path("batch.txt"))
    try FileManager.default.moveItem(atPath: path("batch.yaml"), toPath: batch)
    try FileManager.default.copyItem(atPath: path("chain.yaml"), toPath: chain)
    try FileManager.default.createSymbolicLink(
      atPath: path("soft.txt"), withDestinationPath: "batch.txt"
    )
    for name in ["batch.txt", "soft.txt", "./batch.txt"] {
      let said = try refusal("batch", batch, "--report", path(name))
      #expect(said.contains("\(name): that file is read by the command"), "\(said)")
    }
    let said = try refusal("run", chain, "-d", "Tag-1", "--report", chain)
    #expect(said.contains("chain.txt: that file is read by the command"), "\(said)")
  }

  @Test("a journal and reports must be different files, even if none exists yet")
  func outputs() throws {
    let batch = path("batch.yaml")
    let one = path("r.xml")
    let journal = try refusal("batch", batch, "--journal", one, "--report", one)
    #expect(journal.contains("r.xml: that file is the journal"))
    let twice = try refusal("batch", batch, "--report", one, "--report", one)
    #expect(twice.contains("r.xml: that file is another report, too"))
    let log = try refusal("run", "-e", "sleep 1s", "--bus-log", one, "--report", one)
    #expect(log.contains("r.xml: that file is that of --bus-log"))
  }
}
