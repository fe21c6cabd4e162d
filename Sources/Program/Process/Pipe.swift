// A pipe that no child gets by accident.

import Glibc

/// Both ends of a pipe. Each is closed once, by whoever has it.
final class Pipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws(PrivateBus.Failure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let reason = String(cString: strerror(errno))
      throw PrivateBus.Failure(description: "no pipe could be made: \(reason)")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  func closeReading() {
    if reading >= 0 { Glibc.close(reading) }
    reading = -1
  }

  func closeWriting() {
    if writing >= 0 { Glibc.close(writing) }
    writing = -1
  }

  func close() {
    closeReading()
    closeWriting()
  }
}
