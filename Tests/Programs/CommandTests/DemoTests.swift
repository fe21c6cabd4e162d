// `blerun demo`: its commands work when a shell repeats them, and it states what it leaves.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("blerun demo", .blocking)
struct DemoTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func demo(_ arguments: String..., path: String? = nil) throws -> RunningProgram.Ended {
    var environment = ["TMPDIR": folder.path]
    if let path { environment["PATH"] = path }
    return try RunningProgram(
      blerun: ["demo"] + arguments, in: "/", environment: environment, limit: .seconds(300)
    ).end()
  }

  /// The commands of a tour, each with what it printed there and its exit status.
  private func parts(_ tour: RunningProgram.Ended) -> [Part] {
    var parts: [Part] = []
    for line in tour.lines {
      if line.hasPrefix("$ ") {
        parts.append(Part(command: String(line.dropFirst(2))))
      } else if !parts.isEmpty {
        parts[parts.count - 1].printed.append(line)
      }
    }
    return parts
  }

  private struct Part {
    let command: String
    var printed: [String] = []

    var status: Int32 {
      let line = printed.first { $0.hasPrefix("(exit status ") } ?? ""
      return Int32(line.filter(\.isNumber)) ?? 0
    }
  }

  @Test(
    "each command can be repeated from its new folder with the same output and status"
  )
  func repeated() throws {
    let tour = try demo()
    #expect(tour.status == 0, "\(tour.errors)")
    let parts = parts(tour)
    #expect(parts.map(\.status) == [0, 0, 1, 1, 1])
    for part in parts {
      let run = try shell(part.command, in: "/")
      #expect(run.status == part.status, "\(part.command): \(run.errors)")
      #expect(!run.lines.isEmpty)
      #expect(Array(part.printed.prefix(run.lines.count)) == run.lines, "\(part.command)")
    }
    #expect(parts[0].printed.contains { $0.contains("Thermo-2") })
    #expect(parts[1].printed.contains { $0.hasPrefix("ok: 2 steps") })
    #expect(parts[2].printed.contains { $0.contains("expected percent >= 20, got 12") })
    #expect(parts[4].printed.contains { $0.hasPrefix("not ok") })
    let last = try #require(tour.lines.last)
    let made = String(try #require(last.split(separator: " ").last))
    #expect(last.contains("rm -r \(made)"))
    #expect(made.hasPrefix(folder.path + "/blerun-demo-"), "\(made)")
    let names = try FileManager.default.contentsOfDirectory(atPath: made).sorted()
    #expect(names == ["batch.yaml", "check.yaml", "report.html", "thermo-1.yaml", "thermo-2.yaml"])
    let files = names.filter { $0.hasSuffix(".yaml") }.map { made + "/" + $0 }
    let checked = try blerun(["check"] + files)
    #expect(checked.status == 0, "\(checked.errors)")
  }

  @Test("--folder names the folder, whose files are never overwritten")
  func named() throws {
    let place = folder.path + "/a tour's"
    let tour = try demo("--folder", place)
    #expect(tour.status == 0, "\(tour.errors)")
    #expect(
      tour.lines.last == "The files stay. To remove them: rm -r '\(folder.path)/a tour'\\''s'"
    )
    let command = try #require(parts(tour).first).command
    let run = try shell(command, in: "/")
    #expect(run.status == 0, "\(run.errors)")
    let again = try demo("--folder", place)
    #expect(again.status == 74)
    #expect(again.errors.contains("thermo-1.yaml cannot be made: File exists"))
    let nowhere = try demo("--folder", folder.path + "/no/where")
    #expect(nowhere.status == 74)
    #expect(nowhere.output.isEmpty)
  }

  @Test("the commands use the program name if the shell finds it, and its path otherwise")
  func name() throws {
    let bin = folder.path + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/blerun", withDestinationPath: binaryPath
    )
    let found = parts(try demo(path: bin + ":/usr/bin:/bin"))
    #expect(found.allSatisfy { $0.command.hasPrefix("blerun ") })
    let other = parts(try demo(path: "/usr/bin:/bin"))
    #expect(other.allSatisfy { $0.command.hasPrefix("/") }, "\(other.map(\.command))")
  }

  @Test("a closed reader ends the demo")
  func reader() throws {
    let run = try shell(
      "\"$0\" demo | head -2; exit ${PIPESTATUS[0]}", in: "/", environment: ["TMPDIR": folder.path]
    )
    #expect(run.status == 74, "\(run.errors)")
    #expect(run.lines.count == 2)
  }

  @Test("Ctrl-C ends the demo with 130, even if its output is not read")
  func interrupted() throws {
    // A full pipe blocks the demo until the signal.
    let run = try shell(
      """
      mkfifo "$TMPDIR/pipe"; exec 3<>"$TMPDIR/pipe"
      head -c 60000 /dev/zero >&3
      setsid "$0" demo >&3 & demo=$!
      until [ -d "$TMPDIR"/blerun-demo-* ]; do :; done
      kill -INT -$demo; wait $demo; exit $?
      """,
      in: "/",
      environment: ["TMPDIR": folder.path]
    )
    #expect(run.status == 130, "\(run.errors)")
  }
}
