// A pipe that children do not inherit unless it is passed to them.

import CLinux
import Documents
import Glibc

/// Both ends of a pipe, with FD_CLOEXEC. Closing an end twice does nothing.
final class Pipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws(Problem) {
    var ends: [Int32] = [-1, -1]
    // Not pipe() and fcntl(): another thread may start a program between the two calls.
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      let reason = String(cString: strerror(errno))
      throw Problem("no pipe could be made: \(reason)")
    }
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

/// Reads the first line; nil if there is none, nothing comes for `patience`, or a signal arrives.
func firstLine(of descriptor: Int32, patience: Duration) -> String? {
  var line: [UInt8] = []
  var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  var silence = Duration.zero
  // Waits in short pieces, because a signal ends the wait.
  while silence < patience, SystemSignals.arrived == nil {
    guard poll(&polled, 1, 20) > 0 else {
      silence += .milliseconds(20)
      continue
    }
    silence = .zero
    var octet: UInt8 = 0
    guard read(descriptor, &octet, 1) == 1, octet != UInt8(ascii: "\n") else { break }
    line.append(octet)
  }
  return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
}
