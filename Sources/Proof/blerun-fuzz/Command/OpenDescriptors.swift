// Counts the open file descriptors of this process, and temporarily limits how many more it can
// open.

import Documents
import Glibc

enum OpenDescriptors {
  /// The number of open descriptors.
  static var count: Int {
    // The listing itself opens one.
    (Folder.names(in: "/proc/self/fd")?.count ?? 1) - 1
  }

  /// Runs `body` while at most `limit` further descriptors can be opened.
  static func withLimit<R>(_ limit: Int, _ body: () throws -> R) rethrows -> R {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    // New descriptors get the lowest free numbers: the last of these is the first that must not be
    // opened.
    let probes = (0...limit).map { _ in dup(0) }
    for probe in probes where probe >= 0 { close(probe) }
    var tight = before
    if let last = probes.last, last >= 0 { tight.rlim_cur = rlim_t(last) }
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &tight)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
    return try body()
  }
}
