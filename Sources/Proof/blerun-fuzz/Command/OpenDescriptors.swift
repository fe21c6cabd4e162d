// The file descriptors of this process: how many there are, and how few are left.

import Documents
import Glibc

/// The descriptors that this process has open.
enum OpenDescriptors {
  /// How many there are.
  static var count: Int {
    // The folder itself is one.
    (Folder.names(in: "/proc/self/fd")?.count ?? 1) - 1
  }

  /// Does something while no more than so many can be opened beside those that are.
  static func whileLeft<R>(_ room: Int, _ body: () throws -> R) rethrows -> R {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    // New ones get the lowest free numbers: the last of these is the first that is too many.
    let probes = (0...room).map { _ in dup(0) }
    for probe in probes where probe >= 0 { close(probe) }
    var tight = before
    if let last = probes.last, last >= 0 { tight.rlim_cur = rlim_t(last) }
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &tight)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
    return try body()
  }
}
