// The arguments of this process.
//
// The only place that asks for them: Swift looks for them in front of the environment. Where a preloaded library
// has moved that (setenv, putenv, clearenv), it finds none.

import Documents

/// The arguments of this process: Swift's list if the kernel's list ends with it, otherwise the
/// kernel's.
package enum ProcessArguments {
  /// The name of the program, and its arguments.
  package static let all: [String] = {
    let octets = try? TextFile.octets("/proc/self/cmdline", limit: longest)
    let found = CommandLine.arguments
    guard let kernel = octets.flatMap(list) else { return found }
    // Where ld.so or an emulator starts this program, the kernel's list has that in front.
    return !found.isEmpty && Array(kernel.suffix(found.count)) == found ? found : kernel
  }()

  /// The most bytes that Linux accepts: `_STK_LIM / 4 * 3` in `fs/exec.c`, for arguments and environment.
  private static let longest = 6 << 20

  /// The arguments in the text of `/proc/PID/cmdline`, each followed by a NUL; nil if there is
  /// none.
  static func list(_ octets: [UInt8]) -> [String]? {
    guard octets.last == 0 else { return nil }
    let parts = octets.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
