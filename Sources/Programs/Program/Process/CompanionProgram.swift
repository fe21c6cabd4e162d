// Programs that carry out a command of `blerun`: `blerun serve` is done by `blerun-serve`.
//
// They are apart because they need libraries that no other command needs.

import ArgumentParser
import Documents
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
  /// - Throws: ``Ending`` when there is no such program, or it cannot be run.
  func replaceProcess(_ arguments: [String]) throws(Ending) -> Never {
    guard let file else {
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
  var isInstalled: Bool { file != nil }

  /// The same for options that only it carries out. The manual pages have them always.
  var visibility: ArgumentVisibility { isInstalled ? .default : RareOptions.visibility }

  /// The program: beside this one, else along PATH.
  private var file: String? {
    let folder = Self.own.flatMap { FolderOfFile($0).path }
    return folder.flatMap { try? ProgramFile.path(of: "\($0)/\(name)", in: $0) }
      ?? (try? ProgramFile.path(of: name, in: "/"))
  }

  /// The path of this program.
  static var own: String? { FolderOfFile.realPath("/proc/self/exe") }
}
