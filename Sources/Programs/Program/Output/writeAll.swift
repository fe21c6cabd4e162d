// Writing to a descriptor, to the end, and only what may be written.
//
// Every output of the program comes here: text from outside is printable by its type.

import Glibc
import Jobs

enum Written {
  case text(PrintableText)
  case lineEnd
  /// Back to the start of the line of a terminal.
  case lineStart
  /// The rest of the line of a terminal becomes empty.
  case clearedRest
  /// So many lines of a terminal up.
  case linesUp(Int)
  /// The terminal becomes empty from here to its end.
  case clearedBelow
  /// The whole terminal becomes empty.
  case clearedScreen
  /// The colour of what follows; nil for the usual one.
  case tone(Tone?)

  private var text: String {
    switch self {
    case .text(let text): text.description
    case .lineEnd: "\n"
    case .lineStart: "\r"
    case .clearedRest: "\u{1b}[K"
    case .linesUp(let count): "\u{1b}[\(count)A"
    case .clearedBelow: "\u{1b}[J"
    case .clearedScreen: "\u{1b}[H\u{1b}[2J"
    case .tone(let tone): "\u{1b}[\(tone?.rendition ?? "0")m"
    }
  }

  /// The octets of the parts, one after the other.
  static func octets(of parts: [Written]) -> [UInt8] { Array(parts.map(\.text).joined().utf8) }

  /// A line, in a colour if it has one.
  static func line(_ text: String, in tone: Tone? = nil) -> [Written] {
    parts(PrintableText(line: text), in: tone) + [.lineEnd]
  }

  /// A text in a colour, if it has one.
  static func parts(_ text: PrintableText, in tone: Tone?) -> [Written] {
    tone.map { [.tone($0), .text(text), .tone(nil)] } ?? [.text(text)]
  }
}

/// Writes everything; returns the error number when it could not.
func writeAll(_ descriptor: Int32, _ parts: [Written]) -> Int32? {
  writeAll(descriptor, Written.octets(of: parts))
}

/// Writes all octets; returns the error number when it could not.
func writeAll(_ descriptor: Int32, _ octets: [UInt8]) -> Int32? {
  var octets = octets[...]
  while !octets.isEmpty {
    let count = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      octets = octets.dropFirst(count)
    } else if errno == EAGAIN {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&polled, 1, 1000)
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}
