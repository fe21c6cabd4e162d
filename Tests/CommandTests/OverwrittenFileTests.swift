// Reports that would be written over other files of the command.

import Fixtures
import Foundation
import Testing

@Suite("Reports over other files", .blocking)
struct OverwrittenFileTests {
  private let folder: TemporaryFolder
  private let world: String

  init() throws {
    folder = try TemporaryFolder()
    world = try folder.file(
      "world.yaml",
      """
      name: Tag-1
      address: C0:FF:EE:03:00:01
      services:
        - service: battery
          characteristics:
            - characteristic: battery-level
              properties: [read]
              series: { csv: series.csv, parts: [ { u8: { column: level } } ], every: 1s }
      """
    )
    _ = try folder.file("series.csv", "level\n87\n")
    _ = try folder.file("in.csv", "mac\nC0:FF:EE:03:00:01\n")
    _ = try folder.file("part.txt", "steps: [ { read: battery-level } ]\n")
    _ = try folder.file("chain.yaml", "steps: [ { include: part.txt } ]\n")
    _ = try folder.file(
      "batch.yaml",
      "devices: { csv: in.csv, address: mac }\nchain: chain.yaml\n"
    )
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func files() throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let texts = try names.map { try String(contentsOfFile: path($0), encoding: .utf8) }
    return Dictionary(uniqueKeysWithValues: zip(names, texts))
  }

  /// Runs it, expects it refused before anything was touched, and gives what is said.
  private func refusal(_ arguments: String...) throws -> String {
    let before = try files()
    let ended = try RunningProgram(blerun: arguments + ["--simulate", world]).end()
    #expect(ended.status == 2, "\(arguments): \(ended.errors)")
    #expect(try files() == before)
    return ended.errors
  }

  @Test("the table, what the chain includes and the series of a simulated device stay")
  func inputs() throws {
    for name in ["in.csv", "part.txt", "series.csv"] {
      let said = try refusal("batch", path("batch.yaml"), "--report", path(name))
      #expect(said.contains("\(name): that file is read by the command"), "\(said)")
    }
    let chain = ["run", path("chain.yaml"), "-d", "Tag-1", "--report"]
    let said = try refusal(chain[0], chain[1], chain[2], chain[3], chain[4], path("part.txt"))
    #expect(said.contains("part.txt: that file is read by the command"), "\(said)")
  }

  @Test("neither another name of a file nor another way to it is another file")
  func names() throws {
    try FileManager.default.linkItem(atPath: path("in.csv"), toPath: path("hard.csv"))
    try FileManager.default.createSymbolicLink(
      atPath: path("soft.csv"),
      withDestinationPath: "in.csv"
    )
    for name in ["hard.csv", "soft.csv", "./in.csv"] {
      _ = try refusal("batch", path("batch.yaml"), "--report", path(name))
    }
  }

  @Test("a journal and a report, or two reports, are two files, also where none is there yet")
  func outputs() throws {
    let batch = path("batch.yaml")
    let (one, same) = (path("r.xml"), path("./r.xml"))
    let journal = try refusal("batch", batch, "--journal", one, "--report", same)
    #expect(journal.contains("r.xml: that file is the journal"))
    let twice = try refusal("batch", batch, "--report", one, "--report", same)
    #expect(twice.contains("r.xml: that file is another report, too"))
    let log = try refusal("run", "-e", "sleep 1s", "--bus-log", one, "--report", same)
    #expect(log.contains("r.xml: that file is that of --bus-log"))
  }

  @Test("files of their own are written")
  func own() throws {
    let ended = try blerun(
      "batch",
      path("batch.yaml"),
      "--simulate",
      world,
      "--journal",
      path("j.sqlite"),
      "--report",
      path("out.csv"),
      "--report",
      path("out.xml")
    )
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try String(contentsOfFile: path("out.csv"), encoding: .utf8).contains("battery-level"))
  }
}
