// `blerun serve` from the shell: where it listens, who can read the token, what it may run: sockets, file modes,
// exit statuses.

import Fixtures
import Foundation
import Testing

@Suite("blerun serve", .blocking)
struct ServeCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let battery = ["serve", "--simulate", "Simulators/devices/battery.yaml"]

  private func serve(_ arguments: String...) throws -> RunningProgram.Ended {
    try RunningProgram(
      blerun: Self.battery + ["--for", "500ms"] + arguments, limit: .seconds(300)
    ).end()
  }

  @Test(
    "a token file is private, keeps its token, and is rejected if others can read it"
  )
  func tokenFile() throws {
    let path = folder.path + "/token"
    let text = { try String(contentsOfFile: path, encoding: .utf8) }
    let begun = try serve("--listen", "0", "--token-file", path)
    #expect(begun.status == 0, "\(begun.errors)")
    let first = try text()
    #expect(first.count == 33 && !begun.errors.contains(first.dropLast()))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try serve("--listen", "0", "--token-file", path).status == 0)
    #expect(try text() == first)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let refused = try serve("--listen", "0", "--token-file", path)
    #expect(refused.status == 65 && refused.errors.contains("chmod 600"), "\(refused.errors)")
  }

  @Test("serve listens on a socket, which is removed afterwards")
  func socket() throws {
    let path = folder.path + "/serve.sock"
    let ended = try serve("--listen", "unix:\(path)")
    #expect(ended.status == 0 && ended.errors.contains("unix:\(path)"), "\(ended.errors)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a journal that cannot be read is reported once, and so is that it can be read again")
  func unreadableJournal() throws {
    let path = try folder.file("journal.sqlite", String(repeating: "not a journal. ", count: 400))
    let serving = try RunningProgram(
      blerun: Self.battery + ["--listen", "0", "--journal", path], limit: .seconds(300)
    )
    try serving.waitForErrors("the journal \(path)")
    // It is read every 500 ms.
    poll(nil, 0, 1_200)
    try FileManager.default.removeItem(atPath: path)
    try serving.waitForErrors("the journal can be read again")
    serving.send(SIGTERM)
    let ended = serving.end()
    #expect(ended.status == 143, "\(ended.errors)")
    let reports = ended.errors.split(separator: "\n").filter { $0.contains("the journal \(path)") }
    #expect(reports.count == 1 && reports[0].contains("Try: "), "\(ended.errors)")
  }

  @Test("invalid options end serve before it listens")
  func wrongOptions() throws {
    for (arguments, status) in [
      (["--listen", "nowhere:1"], 2), (["--listen", "0", "--allow-run", "/nowhere"], 2),
      (["--listen", "0", "--host", "not a name"], 2),
    ] {
      let ended = try blerun(
        ["serve", "--simulate", "Simulators/devices/battery.yaml", "--for", "500ms"]
          + arguments
      )
      #expect(ended.status == Int32(status), "\(arguments): \(ended.errors)")
      #expect(!ended.errors.contains("the dashboard is at"))
    }
  }
}
