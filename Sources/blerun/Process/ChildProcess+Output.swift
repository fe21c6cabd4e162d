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
    var turns = 0
    // In short pieces: a signal ends the wait.
    while turns < 100, SystemSignals.arrived == nil {
      turns += 1
      guard poll(&polled, 1, 20) > 0 else { continue }
      guard read(ends[0], &octet, 1) == 1, octet != UInt8(ascii: "\n") else { break }
      line.append(octet)
      turns = 0
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
