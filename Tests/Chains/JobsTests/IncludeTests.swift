// Included files: their steps, their variables, and what is refused.

import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Included files")
struct IncludeTests {
  @Test("the included steps replace the include, with values for the variables of the file")
  func steps() throws {
    let folder = try FolderOfFiles([
      "main.yaml": """
      variables: { alarm: 2 }
      steps:
      - read: battery-level
        as: battery
      - include: lib/alarm.yaml
      - include: lib/alarm.yaml
        with: { level: "{alarm}" }
      - log: "{last.percent}"
      """,
      "lib/alarm.yaml": """
      name: Sets off an alarm
      variables: { level: { type: integer, default: 1 } }
      steps:
      - write: alert-level
        value: { u8: "{level}" }
      - include: read.yaml
      """,
      "lib/read.yaml":
        "- { read: battery-level, as: last, expect: { percent: '{battery.percent}' } }",
    ])
    let read = "read battery-level as last expect value = {battery.percent}"
    let lines = try folder.plan().steps.map(\.description)
    #expect(
      lines == [
        "read battery-level as battery", "write alert-level u8:1",
        read.replacingOccurrences(of: "value", with: "percent"), "write alert-level u8:2",
        read.replacingOccurrences(of: "value", with: "percent"), "log {last.percent}",
      ]
    )
  }

  @Test("a value may be given to a variable of any name, but not to one that does not exist")
  func names() throws {
    let folder = try FolderOfFiles([
      "main.yaml": "variables: { a: 5 }\nsteps:\n- { include: x.yaml, with: { value: '{a}' } }\n",
      "x.yaml": "variables: { value: 1 }\nsteps: [ { write: 2a06, value: { u8: '{value}' } } ]",
    ])
    #expect(try folder.plan().steps.map(\.title) == ["write alert-level u8:5"])
    let other = try FolderOfFiles([
      "main.yaml": "steps:\n- { include: x.yaml, with: { b: 1 } }\n", "x.yaml": "- connect",
    ])
    #expect(
      other.complaints() == [
        "x.yaml:1:1: unknown variable 'b', given by 'with'; included at main.yaml:2:14 "
          + "(expected a declaration under 'variables')"
      ]
    )
  }

  @Test("an error in an included file lists every place that includes it")
  func complaints() throws {
    let folder = try FolderOfFiles([
      "main.yaml": "steps:\n- include: a.yaml\n",
      "a.yaml": "steps:\n- include: b.yaml\n",
      "b.yaml": "steps:\n- raed: battery-level\n- connect\n",
    ])
    #expect(
      folder.complaints() == [
        "b.yaml:2:3: steps.1: unknown step 'raed'; included at a.yaml:2:12; "
          + "included at main.yaml:2:12 (did you mean 'read'?)"
      ]
    )
  }

  @Test("a circular include is rejected, even under another spelling of the path")
  func circle() throws {
    let folder = try FolderOfFiles([
      "main.yaml": "steps:\n- include: a.yaml\n", "a.yaml": "steps:\n- include: x/../b.yaml\n",
      "b.yaml": "- include: ./a.yaml\n", "x/none": "",
    ])
    #expect(
      folder.complaints() == [
        "x/../b.yaml:1:12: 1.include: './a.yaml' includes itself; included at a.yaml:2:12; "
          + "included at main.yaml:2:12"
      ]
    )
    let own = try FolderOfFiles(["main.yaml": "steps:\n- include: main.yaml\n"])
    #expect(own.complaints() == ["main.yaml:2:12: steps.1.include: 'main.yaml' includes itself"])
  }

  @Test("a file outside the folder of the chain is rejected, even through a symbolic link")
  func outside() throws {
    let other = try FolderOfFiles(["secret.yaml": "steps: [connect]"])
    for name in [
      "\(other.path)/secret.yaml", "../\(other.path.split(separator: "/").last ?? "")/secret.yaml",
    ] {
      let folder = try FolderOfFiles(["main.yaml": "steps:\n- include: \(name)\n"])
      #expect(folder.complaints().count == 1)
      #expect(folder.complaints()[0].contains("the file is not below the folder"), "\(name)")
    }
    let folder = try FolderOfFiles(["main.yaml": "steps:\n- include: link.yaml\n"])
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link.yaml", withDestinationPath: other.path + "/secret.yaml"
    )
    #expect(
      folder.complaints() == [
        "link.yaml: the file is not below the folder of the chain; included at main.yaml:2:12"
      ]
    )
  }

  @Test("a missing file, a path that is not a file, and invalid YAML are reported")
  func unreadable() throws {
    func complaint(_ files: [String: String]) throws -> String {
      try FolderOfFiles(files.merging(["main.yaml": "steps:\n- include: a\n"]) { $1 }).complaints()
        .joined(separator: "\n")
    }
    let end = "; included at main.yaml:2:12"
    #expect(try complaint([:]) == "a: the file cannot be read: No such file or directory" + end)
    #expect(try complaint(["a/b": ""]) == "a: not a regular file" + end)
    #expect(try complaint(["a": "[1"]).contains("invalid YAML"))
    #expect(
      try complaint(["a": "device: { name: x }\nsteps: [connect]"])
        == "a:1:1: device: unknown key 'device'\(end) (expected one of name, variables, names, steps)"
    )
    #expect(
      try complaint(["a": "variables: { level: }\nsteps: [connect]"]).contains(
        "has no value\(end) (expected with: { level: … } at the include, or a default)"
      )
    )
  }

  @Test("nested includes that multiply are stopped at a limit")
  func multiplication() throws {
    var files = ["main.yaml": "steps:\n- include: 0.yaml\n"]
    for level in 0..<12 {
      files["\(level).yaml"] = String(repeating: "- include: \(level + 1).yaml\n", count: 10)
    }
    files["12.yaml"] = "- connect"
    let complaints = try FolderOfFiles(files).complaints()
    #expect(complaints.count == 1)
    #expect(complaints[0].contains("more than 100 files are included"))
    var limits = PlanLimits()
    limits.includedFiles = 1_000_000
    limits.writtenSteps = 1000
    #expect(
      try FolderOfFiles(files).complaints(limits).first?.contains("more than 1000 steps") == true
    )
  }
}

extension FolderOfFiles {
  func plan(_ limits: PlanLimits = PlanLimits()) throws -> Plan {
    try Plan(file: path + "/main.yaml", limits: limits)
  }

  func complaints(_ limits: PlanLimits = PlanLimits()) -> [String] {
    complaints { _ = try plan(limits) }
  }
}
