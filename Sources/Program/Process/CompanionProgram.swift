// Programs that carry out a command of `blerun`: `blerun serve` is done by `blerun-serve`.
//
// They are apart because they need libraries that no other command needs.

import ArgumentParser
import Glibc
import Jobs

/// A program beside this one.
struct CompanionProgram: Sendable {
  /// `blerun-serve`.
  static let serve = CompanionProgram(
    command: "serve",
    source: """
      install the Debian package or the tarball of blerun (a Python wheel does not have it), or swift \
      build --product blerun-serve
      """
  )

  /// The word of the command: `serve`.
  let command: String
  /// Where it comes from, as advice.
  let source: String

  /// The name of its file.
  var name: String { "blerun-\(command)" }

  /// Replaces this process by the program: it is looked for in the folder of this one, then along
  /// PATH.
  ///
  /// - Parameter arguments: Those of the program.
  /// - Throws: ``Ending`` when there is no such program, or it cannot be run.
  func replaceProcess(_ arguments: [String]) throws(Ending) -> Never {
    guard let file = file(in: Self.folders) else {
      throw Ending(
        .unavailable,
        "\(name) is not installed: neither beside this program nor along PATH. Try: \(source)"
      )
    }
    SystemSignals.stop()
    let pointers = ([file] + arguments).map { strdup($0) } + [nil]
    execv(file, pointers)
    let reason = String(cString: strerror(errno))
    throw Ending(.unavailable, "\(file) could not be started: \(reason)")
  }

  /// Whether the program is installed: help lists its commands only then.
  var isInstalled: Bool { file(in: Self.folders) != nil }

  /// The same for options that only it carries out. The manual pages have them always.
  var visibility: ArgumentVisibility { isInstalled ? .default : RareOptions.visibility }

  /// The program in the first folder that has it.
  func file(in folders: [String]) -> String? {
    folders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// The folder of this program, and those of PATH.
  private static var folders: [String] {
    let along = RuntimeFolder.variable("PATH") ?? "/usr/bin:/bin"
    return (ownFolder.map { [$0] } ?? [])
      + along.split(separator: ":").map { String($0) }
  }

  private static var ownFolder: String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    let file = String(cString: path)
    return file.lastIndex(of: "/").map { String(file[..<$0]) }
  }
}
