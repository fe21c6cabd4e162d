// The arguments of this process.
//
// The only place that asks for them: Swift looks for them in front of the environment. Where a preloaded library
// has moved that (setenv, putenv, clearenv), it finds none.

import Documents

/// The arguments of this process, as the kernel has them.
package enum ProcessArguments {
  /// The name of the program, and its arguments.
  package static let all: [String] = {
    let octets = try? TextFile.octets("/proc/self/cmdline", limit: longest)
    // Without /proc, or before a library has changed anything, Swift's list is right.
    return octets.flatMap(list) ?? CommandLine.arguments
  }()

  /// The most bytes that Linux accepts: `_STK_LIM / 4 * 3` in `fs/exec.c`, for arguments and environment.
  private static let longest = 6 << 20

  /// The arguments in the text of `/proc/PID/cmdline`, each with a NUL behind it; nil where there is none.
  static func list(_ octets: [UInt8]) -> [String]? {
    guard octets.last == 0 else { return nil }
    let parts = octets.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
