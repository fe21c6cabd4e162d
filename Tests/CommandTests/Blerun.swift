// The built binary, run as a user runs it.

import Foundation
import Glibc
import Testing

/// One run of the binary: what it printed and how it ended.
struct BinaryRun {
  let output: String
  let errors: String
  let status: Int32

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// The folder of the package.
let packageFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

/// The binary that was built beside the tests.
let binaryPath: String = {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/blerun"
}()

/// A running binary, whose output is read as it comes.
final class RunningBinary {
  let process = Process()
  private let outputPipe = Pipe()
  private let errorPipe = Pipe()
  private var output = Data()

  init(
    _ arguments: [String],
    in folder: String = packageFolder,
    environment: [String: String] = [:]
  ) throws {
    process.executableURL = URL(fileURLWithPath: binaryPath)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    try process.run()
    killLater(process.processIdentifier, seconds: 60)
  }

  /// Reads standard output until `text` was seen; fails when it ends before.
  func waitForOutput(_ text: String) throws {
    while !String(decoding: output, as: UTF8.self).contains(text) {
      let more = outputPipe.fileHandleForReading.availableData
      try #require(!more.isEmpty, "ended before it printed '\(text)'")
      output.append(more)
    }
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Stops reading, as `head` does.
  func closeOutput() { try? outputPipe.fileHandleForReading.close() }

  /// Waits for the end.
  func end() throws -> BinaryRun {
    let errors = errorPipe.fileHandleForReading
    let collected = Collected()
    let reader = Thread { collected.set(errors.readDataToEndOfFile()) }
    reader.start()
    if let rest = try? outputPipe.fileHandleForReading.readToEnd() { output.append(rest) }
    process.waitUntilExit()
    let status =
      process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
    return BinaryRun(
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: collected.get(), as: UTF8.self),
      status: status
    )
  }

  /// What one thread read for another.
  private final class Collected: @unchecked Sendable {
    // `data` is handed over by the semaphore.
    private var data = Data()
    private let ready = DispatchSemaphore(value: 0)

    func set(_ data: Data) {
      self.data = data
      ready.signal()
    }

    func get() -> Data {
      ready.wait()
      return data
    }
  }
}

/// A run that hangs is killed, so that the tests end.
private func killLater(_ process: pid_t, seconds: UInt32) {
  let watchdog = Thread {
    var left = timespec(tv_sec: Int(seconds), tv_nsec: 0)
    nanosleep(&left, nil)
    kill(process, SIGKILL)
  }
  watchdog.start()
}

/// Runs the binary to its end.
func blerun(
  _ arguments: String...,
  in folder: String = packageFolder,
  environment: [String: String] = [:]
) throws -> BinaryRun {
  try RunningBinary(arguments, in: folder, environment: environment).end()
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
