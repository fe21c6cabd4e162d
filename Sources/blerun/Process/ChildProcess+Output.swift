// What a short-lived program prints.

import Glibc

extension ChildProcess {
  /// The first line that a program prints; nil when it cannot be run or prints nothing within two
  /// seconds.
  static func firstLine(of arguments: [String]) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let child = try? ChildProcess(arguments, inherited: [(ours: ends[1], theirs: 1)])
    close(ends[1])
    guard let child else { return nil }
    defer { child.end() }
    var line: [UInt8] = []
    var polled = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    var octet: UInt8 = 0
    while poll(&polled, 1, 2000) > 0, read(ends[0], &octet, 1) == 1 {
      if octet == UInt8(ascii: "\n") { break }
      line.append(octet)
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
