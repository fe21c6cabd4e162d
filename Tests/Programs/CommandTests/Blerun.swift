// The built binary, run as a user runs it.

import Fixtures
import Foundation
import Glibc

/// The state folder of the binary unless a test sets another one; never that of the user.
private let stateFolder = "/tmp/blerun-test-state-\(getpid())"

/// The binary under test: that of the folder `BLERUN_PROGRAMS`, as `make test` sets it, or the one
/// that was built beside the tests.
let binaryPath: String = {
  if let folder = ProcessInfo.processInfo.environment["BLERUN_PROGRAMS"] {
    return folder + "/blerun"
  }
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/blerun"
}()

extension RunningProgram {
  /// Starts the binary.
  ///
  /// - Parameter environment: What is set on top of the environment of the tests.
  convenience init(
    blerun arguments: [String], in folder: String = projectFolder,
    environment: [String: String] = [:], limit: Duration = .seconds(300)
  ) throws {
    try self.init(
      [binaryPath] + arguments, in: folder,
      environment: ProcessInfo.processInfo.environment
        .merging(["XDG_STATE_HOME": stateFolder]) { $1 }.merging(environment) { $1 },
      limit: limit
    )
  }
}

/// Runs the binary to its end.
func blerun(
  _ arguments: String..., in folder: String = projectFolder, environment: [String: String] = [:]
) throws -> RunningProgram.Ended {
  try blerun(arguments, in: folder, environment: environment)
}

func blerun(
  _ arguments: [String], in folder: String = projectFolder, environment: [String: String] = [:]
) throws -> RunningProgram.Ended {
  try RunningProgram(blerun: arguments, in: folder, environment: environment).end()
}

/// Runs a line of bash to its end; `$0` is the binary.
func shell(
  _ line: String, in folder: String = projectFolder, environment: [String: String] = [:]
) throws -> RunningProgram.Ended {
  try RunningProgram(
    ["bash", "-c", line, binaryPath], in: folder,
    environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
    limit: .seconds(300)
  ).end()
}

extension TemporaryFolder {
  /// The text of a file.
  func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// The definition of simulated tags with a battery, from Tag-1 on.
  func tags(_ count: Int) throws -> String {
    try file(
      "world.yaml",
      """
      name: Tag-#
      address: C0:FF:EE:03:00:00
      count: \(count)
      services:
        - service: battery
          characteristics:
            - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
      """
    )
  }
}

/// Waits, at least a minute, until a process has ended.
///
/// - Parameter text: Its number, with a line's end.
/// - Returns: Whether it has ended, also where its parent has not waited for it yet.
func hasEnded(_ text: String) -> Bool {
  guard let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
    return false
  }
  for _ in 0..<6000 {
    let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    if state?.contains(") Z") ?? true { return true }
    poll(nil, 0, 10)
  }
  return false
}
