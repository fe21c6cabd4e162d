// The files that `make install`, `make dist` and `make deb` put on a system.
//
// Building the package and using it in a clean root is `make test-deb`: it takes minutes.

import Fixtures
import Foundation
import Testing

@Suite("Packaging", .blocking)
struct PackagingTests {
  private let project = ProjectFolder()
  private let build = BuildFolder()

  private var version: String {
    get throws {
      let run = try project.run([build.path("blerun"), "--version"])
      return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  @Test("the program version is semantic and matches the changelog, packages and pages")
  func versions() throws {
    let version = try version
    #expect(version.wholeMatch(of: #/\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?/#) != nil)
    func first(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> Substring? {
      try project.text(file).firstMatch(of: pattern)?.1
    }
    #expect(try first("debian/changelog", #/^blerun \((.+?)\) /#) == version[...])
    #expect(try first("CHANGELOG.md", #/\n## (\S+)/#) == version[...])
    #expect(try first("docs/swift.md", #/blerun[^)\n]*from: "(.+?)"/#) == version[...])
  }

  @Test("uninstalling removes everything installed below a prefix and nothing else")
  func installation() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "blerun-install-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (root, manuals) = (folder.appending(path: "root"), folder.appending(path: "man"))
    try FileManager.default.createDirectory(at: manuals, withIntermediateDirectories: true)
    try "page\n".write(
      to: manuals.appending(path: "blerun-run.1"),
      atomically: true,
      encoding: .utf8
    )
    let own = root.appending(path: "usr/share/doc/blerun/of-the-user.txt")
    let places = [root.path, "/usr", "/usr/lib/systemd/system"]
    let install = ["Packaging/install", build.path("blerun"), manuals.path] + places
    let installed = try project.run(install)
    #expect(installed.status == 0, "\(installed.errors)")
    for file in [
      "bin/blerun", "bin/blerun-serve", "share/man/man1/blerun-run.1",
      "share/bash-completion/completions/blerun",
      "share/zsh/vendor-completions/_blerun", "share/fish/vendor_completions.d/blerun.fish",
      "lib/systemd/system/blerun-batch@.service", "lib/sysusers.d/blerun.conf",
      "share/blerun/schemas/chain.schema.json",
      "share/doc/blerun/examples/chains/thermometer.yaml",
      "share/doc/blerun/examples/devices/thermometer.yaml",
    ] {
      #expect(FileManager.default.fileExists(atPath: root.path + "/usr/" + file), "\(file)")
    }
    let unit = try String(
      contentsOf: root.appending(path: "usr/lib/systemd/system/blerun-batch@.service"),
      encoding: .utf8
    )
    #expect(unit.contains("ExecStart=/usr/bin/blerun batch"))

    try "kept\n".write(to: own, atomically: true, encoding: .utf8)
    let removed = try project.run(["Packaging/uninstall"] + places)
    #expect(removed.status == 0, "\(removed.errors)")
    let left = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
      .filter {
        (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/" + $0)) == nil
      }
    #expect(left == ["usr/share/doc/blerun/of-the-user.txt"])
    #expect(try project.run(["Packaging/uninstall"] + places).status == 1)
  }

  /// The settings of a unit's section Service, each key with its values.
  private func service(_ file: String) throws -> [String: [String]] {
    let lines = try project.text(file).split(separator: "\n").drop { $0 != "[Service]" }.dropFirst()
      .prefix { !$0.hasPrefix("[") }.filter { !$0.hasPrefix("#") }
    let settings = lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    return Dictionary(grouping: settings) { $0[0] }.mapValues { $0.map { $0.dropFirst().joined() } }
  }

  @Test("units of batches and of gateways share user and runtime folder, and are hardened alike")
  func units() throws {
    let batch = try service("Packaging/systemd/blerun-batch@.service")
    let gateway = try service("Packaging/fleet/blerun-gateway@.service")
    // Both use the files in $XDG_RUNTIME_DIR/blerun, which have to belong to the user of the process.
    for unit in [batch, gateway] {
      #expect(unit["User"] == ["blerun"] && unit["DynamicUser"] == nil)
      #expect(unit["RuntimeDirectory"] == ["blerun"] && unit["RuntimeDirectoryPreserve"] == ["yes"])
      #expect(unit["Environment"]?.contains("XDG_RUNTIME_DIR=/run") == true)
      #expect(unit["CapabilityBoundingSet"] == [""] && unit["UMask"] == ["0077"])
      // Swift's threads set priorities: what the filter refuses is an error, and ends no process.
      #expect(unit["SystemCallErrorNumber"] == ["EPERM"])
    }
    let hardening = { (unit: [String: [String]]) in
      unit.filter { key, _ in
        ["Protect", "Private", "Restrict", "SystemCall", "Lock", "Memory"]
          .contains { key.hasPrefix($0) } && key != "RestrictAddressFamilies"
      }
    }
    #expect(hardening(batch) == hardening(gateway) && hardening(batch).count > 12)
    #expect(gateway["EnvironmentFile"]?.first == "/etc/blerun/fleet.env")
    #expect(gateway["ExecStart"]?.first?.contains("@BINDIR@/blerun gateway --name %i") == true)
    // A new gateway runs only the chains that its operator has allowed.
    let allowed = "BLERUN_GATEWAY_ALLOW=--allow battery-level"
    #expect(gateway["Environment"]?.contains("\"\(allowed)\"") == true)
    #expect(gateway["ExecStart"]?.first?.contains("$BLERUN_GATEWAY_ALLOW ") == true)
  }

  @Test("a release lacks no file of its version, and takes none of another")
  func release() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "blerun-release-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let version = try version
    let files = [
      "wheel/blerun-0.0.0-py3-none-any.whl", "wheel/blerun-\(version)-py3-none-any.whl",
      "deb/blerun_\(version)_amd64.deb",
    ]
    for file in files {
      let place = folder.appending(path: file)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true
      )
      try "file\n".write(to: place, atomically: true, encoding: .utf8)
    }
    let made = try project.run([
      "Packaging/release", folder.path, folder.appending(path: "release").path,
    ])
    #expect(made.status == 1)
    #expect(made.errors.hasPrefix("no release: there is no deb/blerun-fleet_\(version)_"))
    let workflow = try project.text(".github/workflows/release.yaml")
    for command in ["run: make release\n", "run: make test-deb test-wheel\n", "tags: [\"v*\"]"] {
      #expect(workflow.contains(command))
    }
  }

  @Test(
    "a tarball has the installed files, lists them for removal, and states its dependencies",
    .onlyInTestAll
  )
  func tarball() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "blerun-dist-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let manuals = folder.appending(path: "man")
    try FileManager.default.createDirectory(at: manuals, withIntermediateDirectories: true)
    try "page\n".write(
      to: manuals.appending(path: "blerun-run.1"), atomically: true, encoding: .utf8
    )
    let made = try project.run(["Packaging/dist", build.path("blerun"), manuals.path, folder.path])
    #expect(made.status == 0, "\(made.errors)")
    let name = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .first { $0.hasPrefix("blerun-\(try version)-linux-") }
    let archive = folder.appending(path: try #require(name)).path
    let listed = try project.run(["tar", "-tzf", archive]).output.split(separator: "\n")
      .map { "/usr/local/" + $0.drop { $0 != "/" }.dropFirst() }
    for file in [
      "bin/blerun", "bin/blerun-serve", "share/man/man1/blerun-run.1",
      "share/zsh/vendor-completions/_blerun", "lib/systemd/system/blerun-batch@.timer",
      "share/doc/blerun/licences/LibYAML", "share/doc/blerun/licences/GPL-3",
      "share/doc/blerun/licences/Apache-2.0", "share/doc/blerun/INSTALL",
    ] {
      #expect(listed.contains("/usr/local/" + file))
    }
    func text(_ file: String) throws -> String {
      try project.run(["tar", "-xzOf", archive, "--wildcards", "*/\(file)"]).output
    }
    let removed = try text("share/blerun/installed").split(separator: "\n").map(String.init)
    #expect(removed.sorted() == listed.sorted())
    #expect(try text("INSTALL").contains("libdbus-1-3"))
  }
}
