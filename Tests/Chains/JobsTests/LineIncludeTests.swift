// Included files in the one-line form, and in Swift.

import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Included files in one-line chains")
struct LineIncludeTests {
  private static let alert = """
    variables: { level: { type: integer, default: 1 }, room: hall }
    steps:
    - write: alert-level
      value: { u8: "{level}" }
    - log: "{room}"
    """

  private func folder(_ more: [String: String] = [:]) throws -> FolderOfFiles {
    try FolderOfFiles(["lib/alert.yaml": Self.alert].merging(more) { $1 })
  }

  private func plan(
    _ line: String, in folder: FolderOfFiles, _ bindings: Bindings = Bindings()
  ) throws -> Plan {
    let file = folder.path + "/-e"
    return try Plan.parse(line: line, file: file, with: bindings, includesFiles: true)
  }

  private func complaints(_ line: String, _ more: [String: String] = [:]) throws -> [String] {
    let folder = try folder(more)
    return folder.complaints { _ = try plan(line, in: folder) }
  }

  @Test("an include means the same in a file, in a line and in Swift")
  func forms() throws {
    let text = """
      steps:
      - { read: battery-level, as: b }
      - { include: lib/alert.yaml, with: { level: 2, room: "next = door" } }
      - { repeat: 2, steps: [ { include: lib/more.yaml } ] }
      """
    let more = ["lib/more.yaml": "- log: '{b.percent}'\n- include: alert.yaml"]
    let folder = try folder(more.merging(["main.yaml": text]) { $1 })
    let line = """
      read battery-level as b; include lib/alert.yaml with level=2 with room='next = door'
      repeat 2 { include lib/more.yaml }
      """
    let plan = try plan(line, in: folder)
    #expect(plan == (try Plan(file: folder.path + "/main.yaml")))
    #expect(
      plan.steps.map(\.title) == [
        "read battery-level", "write alert-level u8:2", "log \"next = door\"", "repeat 2",
      ]
    )
  }

  @Test("loading the steps of a file in Swift gives the same steps as including it")
  func swift() throws {
    // Tests run in the folder of the package.
    let name = "build-\(UUID().uuidString).yaml"
    let folder = FileManager.default.currentDirectoryPath + "/.build"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/" + name
    try "variables: { n: 1 }\nsteps: [ { write: 2a06, value: { u8: '{n}' } }, { log: '{b}' } ]"
      .write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let built = try Plan {
      try Step.read("battery-level").captured(as: "b")
      try Step.included(from: ".build/" + name, with: ["n": "7"], after: ["b"])
    }
    let line = "read battery-level as b; write alert-level u8:7; log {b}"
    #expect(built == (try Plan.parse(line: line)))
    #expect(throws: DocumentErrors.self) { try Step.included(from: ".build/" + name) }
    #expect(throws: DocumentErrors.self) { try Step.included(from: "/etc/hostname") }
  }

  @Test("values from the command line set variables of the line and of its included files")
  func variables() throws {
    var bindings = Bindings()
    bindings.bind("level", to: "5", from: "--set", mustBeKnown: true)
    bindings.bind("room", to: "a; unpair", from: "--set", mustBeKnown: true)
    let folder = try folder([
      "x.yaml": "steps: [ { write: 2a06, value: { u8: '{level}' } }, { log: '{room}' } ]"
    ])
    let plan = try plan("include x.yaml; log \"in {room}\"", in: folder, bindings)
    #expect(
      plan.steps.map(\.title) == [
        "write alert-level u8:5", "log \"a; unpair\"", "log \"in a; unpair\"",
      ]
    )
    bindings.bind("other", to: "5", from: "--set", mustBeKnown: true)
    let said = folder.complaints { _ = try self.plan("include x.yaml", in: folder, bindings) }
    #expect(said.count == 1 && said[0].contains("unknown variable 'other', given by --set"))
  }

  @Test("captures are visible across an include: inside it those before, after it its own")
  func captures() throws {
    let more = ["x.yaml": "- { log: '{a.percent}' }\n- { read: battery-level, as: b }"]
    #expect(try complaints("read battery-level as a; include x.yaml; log {b.percent}", more) == [])
    let said = try complaints("include x.yaml; read battery-level as a", more)
    #expect(said.count == 1)
    #expect(said.first?.contains("captures 'a'; included at -e:1:9") == true, "\(said)")
  }

  @Test(
    "a file that cannot be included is an error",
    arguments: [
      ("include", "nothing follows 'include'"),
      ("include lib/none.yaml", "the file cannot be read: No such file"),
      ("include ../x.yaml", "the file cannot be read"),
      ("include /etc/hostname", "is not below the folder of the chain"),
      (
        "include lib/{a}.yaml",
        "expected the path of a file below the folder of the chain, without variables, found 'lib/{a}.yaml'"
      ),
      ("include lib/alert.yaml level=2", "expected with, found 'level=2'"),
      ("include lib/alert.yaml with", "nothing follows 'with'"),
      (
        "include lib/alert.yaml with level",
        "expected a variable of the file with its value, such as level=2, found 'level'"
      ),
      ("include lib/alert.yaml with 1a=2", "found '1a'"),
      ("include lib/alert.yaml with level=high", "found 'high' from 'with'; included at -e:1:9"),
      ("include lib/alert.yaml with colour=2", "unknown variable 'colour', given by 'with'"),
      (
        "read 2a19 as b; include lib/alert.yaml with level={b.percent}",
        "expected a value that is known before the chain runs, found '{b.percent}'"
      ),
      ("include loop.yaml", "'loop.yaml' includes itself"),
      ("try { include lib/alert.yaml } finally { include lib/no }", "the file cannot be read"),
      ("combine { include lib/alert.yaml as a; poll 2a19 every 1s as b } for 1s", "include"),
    ]
  )
  func refused(_ line: String, _ said: String) throws {
    let complaints = try complaints(line, ["loop.yaml": "- include: loop.yaml"])
    #expect(complaints.contains { $0.contains(said) }, "\(complaints)")
  }

  @Test("errors in an included file are all reported, along with those in the rest of the line")
  func all() throws {
    let more = ["x.yaml": "- raed: 2a19\n- slep: 1s"]
    #expect(try complaints("include x.yaml; frobnicate", more).count == 3)
  }

  @Test("a line parsed without a folder does not read included files")
  func none() throws {
    let said = try folder().complaints { _ = try Plan.parse(line: "include lib/alert.yaml") }
    #expect(said.count == 1 && said[0].contains("'lib/alert.yaml' cannot be included"))
  }

  @Test("many includes of large files are rejected before they expand")
  func bounded() throws {
    let step = "- connect\n"
    let folder = try folder(["x.yaml": String(repeating: step, count: 900)])
    let line = Array(repeating: "include x.yaml", count: 60).joined(separator: ";")
    let said = folder.complaints { _ = try plan(line, in: folder) }
    #expect(said.count == 1 && said[0].contains("more than 10000 steps"), "\(said)")
  }
}
