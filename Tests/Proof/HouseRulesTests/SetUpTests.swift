// The set-up script, on simulated machines: each has a PATH with stand-ins for Swift and the
// package tools.

import Fixtures
import Foundation
import Testing

@Suite("Set-up", .blocking)
struct SetUpTests {
  /// A folder that is the whole PATH, gone with its owner.
  private final class Machine {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "set-up-\(ProcessInfo.processInfo.globallyUniqueString)")

    /// - Parameters:
    ///   - swift: The version that `swift --version` prints; none installed without one.
    ///   - installed: The Debian packages that are there.
    init(swift: String? = "6.3.1", system: String = "debian 12", installed: [String]) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for tool in ["bash", "cat", "env", "head", "sed", "sort"] {
        try FileManager.default.createSymbolicLink(
          at: folder.appending(path: tool), withDestinationURL: URL(filePath: "/usr/bin/\(tool)")
        )
      }
      if let swift { try add("swift", "echo 'Swift version \(swift) (swift-RELEASE)'") }
      let there = installed.joined(separator: "|")
      try add("dpkg-query", "case $4 in \(there)) printf installed ;; *) exit 1 ;; esac")
      try add("apt-get", "echo apt-get \"$@\" >>'\(folder.path)/log'")
      try add("id", "echo 0")
      let words = system.split(separator: " ")
      let release = "ID=\(words[0])\nVERSION_ID=\"\(words[1])\"\n"
      try release.write(to: folder.appending(path: "os"), atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Lets a separate program write the script. If this process wrote it, a child that another test
    /// starts meanwhile could hold it open, and a file that is open for writing cannot be executed.
    private func add(_ name: String, _ script: String) throws {
      let writing = #"printf '%s\n' '#!/bin/bash' "$2" >"$1" && chmod 755 "$1""#
      let run = try ProjectFolder().run(
        ["/bin/bash", "-c", writing, "add", folder.appending(path: name).path, script],
        environment: ["PATH": "/usr/bin:/bin"]
      )
      try #require(run.status == 0, "\(run.errors)")
    }

    /// Runs the script for these packages.
    func setUp(_ packages: [String]) throws -> Int32 {
      let script = ProjectFolder().url.appending(path: ".ci/set-up").path
      let environment = [
        "PATH": folder.path, "OS_RELEASE": folder.appending(path: "os").path,
      ]
      return try ProjectFolder().run([script] + packages, environment: environment).status
    }

    /// The calls to apt-get.
    var installations: String {
      (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
    }
  }

  @Test("it installs only what is missing, and nothing if everything is present")
  func missing() throws {
    let machine = try Machine(installed: ["git"])
    #expect(try machine.setUp(["git"]) == 0)
    #expect(machine.installations == "")
    #expect(try machine.setUp(["dbus", "git", "gcc"]) == 0)
    #expect(machine.installations.hasSuffix(" install -y --no-install-recommends dbus gcc\n"))
  }

  @Test(
    "without a recent Swift, or on a system other than Debian 12, it installs nothing",
    arguments: [
      (nil, "debian 12", 1), ("5.10", "debian 12", 1), ("6.1.2", "debian 12", 1),
      ("6.3.1", "ubuntu 24.04", 1), ("6.3.1", "debian 11", 1), ("6.2", "debian 12", 0),
      ("6.10", "debian 12", 0), ("7.0.1", "debian 13", 0),
    ] as [(String?, String, Int32)]
  )
  func versions(swift: String?, system: String, status: Int32) throws {
    let machine = try Machine(swift: swift, system: system, installed: ["git"])
    #expect(try machine.setUp(["gcc"]) == status)
    #expect(machine.installations.isEmpty == (status != 0))
  }
}
