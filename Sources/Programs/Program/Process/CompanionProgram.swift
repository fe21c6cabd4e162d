// Separate programs that implement a command of `blerun`: `blerun-serve` implements `blerun serve`.
//
// They are separate because they need libraries that no other command needs.

import ArgumentParser
import Documents
import Glibc
import Jobs

/// A separate program for one command.
struct CompanionProgram: Sendable {
  /// `blerun-serve`.
  static let serve = CompanionProgram(
    command: "serve",
    source: """
      install the Debian package or the tarball of blerun (a Python wheel does not have it), or swift \
      build --product blerun-serve
      """
  )

  /// The name of the command: `serve`.
  let command: String
  /// The advice on how to install it.
  let source: String

  /// The file name of the program.
  var name: String { "blerun-\(command)" }

  /// Executes the program in place of this process.
  ///
  /// - Throws: ``CommandExit`` if the program is missing or cannot be executed.
  func replaceProcess(_ arguments: [String]) throws(CommandExit) -> Never {
    guard let file else {
      throw CommandExit(
        .unavailable,
        "\(name) is not installed: neither beside this program nor along PATH. Try: \(source)"
      )
    }
    SystemSignals.stop()
    let pointers = ([file] + arguments).map { strdup($0) } + [nil]
    execv(file, pointers)
    let reason = String(cString: strerror(errno))
    throw CommandExit(.unavailable, "\(file) could not be started: \(reason)")
  }

  /// Whether the program is installed. Only then does the help list its commands.
  var isInstalled: Bool { file != nil }

  /// The visibility in the help of options that only this program implements. Manual pages always list them.
  var visibility: ArgumentVisibility { isInstalled ? .default : RareOptions.visibility }

  /// The path of the program: in the folder of this one, else on the PATH.
  private var file: String? {
    let folder = Self.own.flatMap { FolderOfFile($0).path }
    return folder.flatMap { try? ProgramFile.path(of: "\($0)/\(name)", in: $0) }
      ?? (try? ProgramFile.path(of: name, in: "/"))
  }

  /// The path of the running program.
  static var own: String? { FolderOfFile.realPath("/proc/self/exe") }
}
