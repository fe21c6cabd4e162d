// The programs that were built beside the tests.

import Foundation

/// The folder that the running tests were built into.
struct BuildFolder: Sendable {
  let url: URL

  init() {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    url = URL(filePath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent()
  }

  func path(_ name: String) -> String { url.appending(path: name).path }
}
