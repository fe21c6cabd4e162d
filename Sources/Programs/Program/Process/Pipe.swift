// A pipe that no child gets by accident.

import CLinux
import Documents
import Glibc

/// Both ends of a pipe. Each is closed once, by whoever has it.
final class Pipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws(Problem) {
    var ends: [Int32] = [-1, -1]
    // Another thread may start a program between two calls.
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

/// The first line that can be read; nil when none comes, nothing more of it for so long, or a signal.
func firstLine(of descriptor: Int32, patience: Duration) -> String? {
  var line: [UInt8] = []
  var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  var silence = Duration.zero
  // In short pieces: a signal ends the wait.
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
