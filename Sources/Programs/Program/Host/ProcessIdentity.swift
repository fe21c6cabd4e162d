// The identity of a process. A PID alone is not enough, because it is reused.

import Glibc

/// A process of this host, distinct from all processes before and after it.
///
/// - Source: proc(5), `/proc/PID/stat` (fields 3 and 22) and `/proc/sys/kernel/random/boot_id`.
struct ProcessIdentity: Hashable, Sendable {
  let process: Int32
  /// The start time, in clock ticks after the boot.
  let start: UInt64
  /// The ID of the boot.
  let boot: String

  /// The ID of the present boot; "unknown" if the kernel does not report it.
  static var presentBoot: String {
    let text = LockedFile.peek("/proc/sys/kernel/random/boot_id").prefix { !$0.isWhitespace }
    return text.isEmpty ? "unknown" : String(text)
  }

  static var own: ProcessIdentity {
    ProcessIdentity(process: getpid(), start: start(of: "self") ?? 0, boot: presentBoot)
  }

  /// `1234 567890 0f0e…`: PID, start, boot.
  var text: String { "\(process) \(start) \(boot)" }

  /// Whether the process runs. False for a zombie.
  var isThere: Bool { boot == Self.presentBoot && Self.start(of: "\(process)") == start }

  private static func start(of process: String) -> UInt64? {
    start(in: LockedFile.peek("/proc/\(process)/stat"))
  }

  /// The start time in a line of `/proc/PID/stat`; nil for a process that has ended.
  ///
  /// The name of the program is in parentheses, and may itself have parentheses and spaces.
  static func start(in line: String) -> UInt64? {
    guard let bracket = line.lastIndex(of: ")") else { return nil }
    let fields = line[line.index(after: bracket)...].split(whereSeparator: \.isWhitespace)
    guard fields.count > 19, let state = fields.first, !["Z", "X", "x"].contains(state) else {
      return nil
    }
    return UInt64(fields[19])
  }
}

extension ProcessIdentity {
  /// Parses ``text``.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, let process = Int32(parts[0]), let start = UInt64(parts[1]) else {
      return nil
    }
    self.init(process: process, start: start, boot: String(parts[2]))
  }
}
