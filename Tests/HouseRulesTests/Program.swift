// Another program, run to its end.

import Foundation

/// What a program printed and how it ended.
struct Program: Sendable {
  let status: Int32
  let output: String
  let errors: String

  /// Runs a program along PATH with nothing on its standard input.
  ///
  /// - Parameters:
  ///   - environment: The whole environment; that of the tests without one.
  init(_ arguments: [String], environment: [String: String]? = nil) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = environment ?? ProcessInfo.processInfo.environment
    process.currentDirectoryURL = ProjectFolder().url
    process.standardInput = FileHandle.nullDevice
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "program-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: neither stream can keep the program waiting.
    let places = [folder.appending(path: "output"), folder.appending(path: "errors")]
    for place in places { try Data().write(to: place) }
    process.standardOutput = try FileHandle(forWritingTo: places[0])
    process.standardError = try FileHandle(forWritingTo: places[1])
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    output = try Self.text(of: places[0])
    errors = try Self.text(of: places[1])
  }
}

extension Program {
  /// What a file holds. Foundation loses memory when it reads an empty one whole.
  private static func text(of place: URL) throws -> String {
    let octets = try FileHandle(forReadingFrom: place).readToEnd() ?? Data()
    return String(decoding: octets, as: UTF8.self)
  }
}

/// The folder that the running tests were built into.
struct BuildFolder: Sendable {
  let url: URL

  init() {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    url = URL(filePath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent()
  }

  init(_ url: URL) { self.url = url }

  func path(_ name: String) -> String { url.appending(path: name).path }
}
