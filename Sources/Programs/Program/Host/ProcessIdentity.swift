// Which process it is: a number alone is given again.

import Glibc

/// A process of this host, distinguished from all others that ever ran.
///
/// - Source: proc(5), `/proc/PID/stat` (fields 3 and 22) and `/proc/sys/kernel/random/boot_id`.
struct ProcessIdentity: Hashable, Sendable {
  let process: Int32
  /// When it began, in clock ticks after the boot.
  let start: UInt64
  /// Which boot of the host it belongs to.
  let boot: String

  /// The present boot; "unknown" where the kernel does not report it.
  static var presentBoot: String {
    let text = LockedFile.peek("/proc/sys/kernel/random/boot_id").prefix { !$0.isWhitespace }
    return text.isEmpty ? "unknown" : String(text)
  }

  static var own: ProcessIdentity {
    ProcessIdentity(process: getpid(), start: start(of: "self") ?? 0, boot: presentBoot)
  }

  /// `1234 567890 0f0e…`: number, start, boot.
  var text: String { "\(process) \(start) \(boot)" }

  /// Whether it is still there. One that has ended and that its parent has not asked after is not.
  var isThere: Bool { boot == Self.presentBoot && Self.start(of: "\(process)") == start }

  private static func start(of process: String) -> UInt64? {
    start(in: LockedFile.peek("/proc/\(process)/stat"))
  }

  /// The start in a line of `/proc/PID/stat`; nil for a process that has ended.
  ///
  /// The name of the program stands in brackets and may hold anything, brackets too.
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
  /// Reads what ``text`` writes.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, let process = Int32(parts[0]), let start = UInt64(parts[1]) else {
      return nil
    }
    self.init(process: process, start: start, boot: String(parts[2]))
  }
}
