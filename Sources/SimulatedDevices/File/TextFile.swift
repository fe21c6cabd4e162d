// The text of a small file.

import Documents
import Glibc

/// Reading a file whole, within the bounds of a document.
enum TextFile {
  /// A file as another one names it: from that one's folder on, unless it is absolute.
  static func path(_ name: String, beside file: String) -> String {
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
    return file[...slash] + name
  }

  /// The file's text.
  ///
  /// - Throws: ``DocumentErrors`` that says why there is none. Of a file that is too long, a little
  ///   more than the limit is read, for the document's own complaint.
  static func read(_ path: String) throws(DocumentErrors) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    let limit = DocumentLimits().octets + 1
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while octets.count < limit {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path, errno) }
      if count == 0 { break }
      octets += buffer[..<count]
    }
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw problem(path, "the file is no UTF-8")
    }
    return text
  }

  private static func unreadable(_ path: String, _ code: Int32) -> DocumentErrors {
    problem(path, "the file cannot be read: \(String(cString: strerror(code)))")
  }

  private static func problem(_ path: String, _ message: String) -> DocumentErrors {
    DocumentErrors([DocumentProblem(Place(file: path, line: 1, column: 1), path: "", message)])
  }
}
