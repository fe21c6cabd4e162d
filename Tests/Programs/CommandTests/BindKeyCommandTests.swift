// Encrypted advertisements on the command line: the keys of a names file, and that they stay secret
// in all streams and files of a process.

import Fixtures
import Foundation
import Testing

@Suite("Bind keys on the command line", .blocking)
struct BindKeyCommandTests {
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"
  private static let hex = "41a47266c95f730011223378237214"

  private let folder: TemporaryFolder
  private let device: String
  private let names: String

  init() throws {
    folder = try TemporaryFolder()
    device = try folder.file(
      "attic.yaml",
      """
      name: Attic
      address: 54:48:E6:8F:80:A5
      advertisement: { service-data: { fcd2: "\(Self.hex)" } }

      """
    )
    names = try folder.file("names.yaml", "keys: { 54:48:E6:8F:80:A5: \(Self.key) }\n")
  }

  private func blerun(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(
      blerun: arguments + ["--simulate", device],
      environment: ["XDG_CONFIG_HOME": folder.path + "/config"]
    ).end()
  }

  @Test("scan decodes with the bind key, and prints the reason if it is missing or wrong")
  func scan() throws {
    let open = try blerun(["scan", "--names", names])
    #expect(open.status == 0, "\(open.errors)")
    #expect(open.output.hasSuffix("fcd2 [bthome-2 25.06 °C, humidity 50.55 %]\n"), "\(open.output)")
    let json = try blerun(["scan", "--names", names, "--output", "json"])
    let members =
      #""hex":"\#(Self.hex)","format":"bthome-2","value":{"temperature":25.06,"humidity":50.55}"#
    #expect(json.output.contains(members), "\(json.output)")

    let missing = "encrypted; add its key under keys: in a names file"
    let closed = try blerun(["scan"])
    #expect(
      closed.output.hasSuffix("fcd2:\(Self.hex) [bthome-2: \(missing)]\n"), "\(closed.output)"
    )
    let reason = try blerun(["scan", "--output", "json"])
    #expect(
      reason.output.contains(#""hex":"\#(Self.hex)","format":"bthome-2","problem":"\#(missing)""#),
      "\(reason.output)"
    )
    let wrong = try folder.file("wrong.yaml", "keys: { Attic: \(String(Self.key.reversed())) }\n")
    let unfit = try blerun(["scan", "--names", wrong])
    let text = "fcd2:\(Self.hex) [bthome-2: encrypted; the key does not fit]\n"
    #expect(unfit.output.hasSuffix(text), "\(unfit.output)")
  }

  @Test("a scan step also decodes for the journal, and no output or file contains the key")
  func secret() throws {
    let (journal, page) = (folder.path + "/runs.sqlite", folder.path + "/run.html")
    let run = try blerun([
      "run", "-e", "scan for 3s", "--names", names, "--output", "json", "--verbose", "--journal",
      journal, "--report", page, "--bus-log", folder.path + "/bus.txt",
    ]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains(#""format":"bthome-2","value":{"temperature":25.06"#), "\(run.output)"
    )
    let check = try RunningProgram(blerun: ["check", names]).end()
    #expect(check.output == "\(names): 1 key, ok\n")
    let plan = try blerun(["run", "-e", "scan for 3s", "--names", names, "--dry-run"])
    for ended in [run, check, plan] {
      #expect(!(ended.output + ended.errors).contains(Self.key))
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      guard file != "names.yaml", file.contains(".") else { continue }
      let octets = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
      #expect(octets.range(of: Data(Self.key.utf8)) == nil, "\(file)")
    }
  }

  @Test("an invalid key is reported with its place and is not printed")
  func wrong() throws {
    let wrong = try folder.file("wrong.yaml", "keys:\n  Attic: \(Self.key.dropLast())\n")
    let scan = try blerun(["scan", "--names", wrong])
    #expect(scan.status == 65)
    #expect(
      scan.errors == "blerun: \(wrong):2:10: keys: the key has 31 digits "
        + "(expected a key of 16 bytes: 32 hexadecimal digits)\n"
    )
  }
}
