// The text of a file. The one place of this module that touches the file system.

import Documents
import Glibc

/// Reading a file whole.
enum FileText {
  /// The text at `path`.
  ///
  /// - Parameter limit: How many octets are read at most; one more than that is enough to know that
  ///   there are too many.
  /// - Throws: `DocumentErrors` when it is missing, cannot be read, or is not UTF-8.
  static func read(_ path: String, limit: Int) throws(DocumentErrors) -> String {
    let octets = try octets(path, limit: limit)
    if let text = String(validating: octets, as: UTF8.self) { return text }
    let lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let broken = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    throw error(path, line: (broken ?? 0) + 1, "this is not UTF-8")
  }

  private static func octets(_ path: String, limit: Int) throws(DocumentErrors) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while octets.count <= limit {
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit + 1 - octets.count))
      if count == 0 { break }
      if count > 0 {
        octets += buffer[..<count]
      } else if errno != EINTR {
        throw unreadable(path)
      }
    }
    guard octets.count <= limit else {
      throw error(path, line: 1, "the file is longer than \(limit) octets")
    }
    return octets
  }

  private static func unreadable(_ path: String) -> DocumentErrors {
    error(path, line: 1, "the file cannot be read: \(String(cString: strerror(errno)))")
  }

  private static func error(_ path: String, line: Int, _ message: String) -> DocumentErrors {
    let place = Place(file: path, line: line, column: 1)
    return DocumentErrors([DocumentProblem(place, path: "", message)])
  }
}
