// Writes complete texts to a descriptor.
//
// All output of the program passes here. The type of the text guarantees that it is printable.

import Glibc
import Jobs

enum Written {
  case text(PrintableText)
  case lineEnd
  /// Moves the cursor to the start of the line.
  case lineStart
  /// Clears from the cursor to the end of the line.
  case clearedRest
  /// Moves the cursor up by a number of lines.
  case linesUp(Int)
  /// Clears from the cursor to the end of the screen.
  case clearedBelow
  /// Clears the screen.
  case clearedScreen
  /// Sets the colour of the following text; nil for the default one.
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

  /// The bytes of the parts, in order.
  static func octets(of parts: [Written]) -> [UInt8] { Array(parts.map(\.text).joined().utf8) }

  /// A line in the colour of a tone.
  static func line(_ text: String, in tone: Tone? = nil) -> [Written] {
    parts(PrintableText(line: text), in: tone) + [.lineEnd]
  }

  /// A text in the colour of a tone.
  static func parts(_ text: PrintableText, in tone: Tone?) -> [Written] {
    tone.map { [.tone($0), .text(text), .tone(nil)] } ?? [.text(text)]
  }
}

/// Writes all parts; returns the error number on failure.
func writeAll(_ descriptor: Int32, _ parts: [Written]) -> Int32? {
  writeAll(descriptor, Written.octets(of: parts))
}

/// Writes all bytes; returns the error number on failure.
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
