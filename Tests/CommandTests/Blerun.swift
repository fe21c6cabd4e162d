// The built binary, run as a user runs it.

import Fixtures
import Foundation

/// The folder of the package.
let packageFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

/// The binary that was built beside the tests.
let binaryPath: String = {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/blerun"
}()

extension RunningProgram {
  /// Starts the binary.
  ///
  /// - Parameter environment: What is set on top of the environment of the tests.
  convenience init(
    blerun arguments: [String],
    in folder: String = packageFolder,
    environment: [String: String] = [:]
  ) throws {
    try self.init(
      [binaryPath] + arguments,
      in: folder,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      limit: .seconds(60)
    )
  }
}

/// Runs the binary to its end.
func blerun(
  _ arguments: String...,
  in folder: String = packageFolder,
  environment: [String: String] = [:]
) throws -> RunningProgram.Ended {
  try RunningProgram(blerun: arguments, in: folder, environment: environment).end()
}

/// A folder that is removed with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/blerun-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
