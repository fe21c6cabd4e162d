// Reads the text of a file. The parsers themselves do not use the file system.

import Glibc

/// Reads complete files, within a bound.
public enum TextFile {
  /// The path of a file named in another file: absolute, or relative to the folder of that file.
  ///
  /// ```swift
  /// let table = TextFile.path("devices.csv", beside: "batches/fleet.yaml")  // batches/devices.csv
  /// ```
  public static func path(_ name: String, beside file: String) -> String {
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
    return file[...slash] + name
  }

  /// Whether a path leads to a regular file, which, unlike a pipe, can be read again.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The text at `path`, without a byte order mark.
  ///
  /// ```swift
  /// let text = try TextFile.read("soil.yaml", limit: 1 << 16)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The maximum length in bytes. At most one byte more is read, to detect a longer
  ///     file.
  /// - Throws: ``DocumentErrors`` if the file is missing, cannot be read, is too long, or is not
  ///   UTF-8; then with the line of the first invalid byte.
  public static func read(
    _ path: String, limit: Int = DocumentLimits().octets
  ) throws(DocumentErrors) -> String {
    var octets = try octets(path, limit: limit)
    if octets.starts(with: [0xef, 0xbb, 0xbf]) { octets.removeFirst(3) }
    if let text = String(validating: octets, as: UTF8.self) { return text }
    let lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let broken = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    let place = Place(file: path, line: (broken ?? 0) + 1, column: 1)
    throw DocumentErrors([Problem("the file is not valid UTF-8", at: place)])
  }

  /// The bytes at `path`. Errors are those of `read`, except for UTF-8.
  package static func octets(_ path: String, limit: Int) throws(DocumentErrors) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while octets.count <= limit {
      waitForOctets(descriptor)
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit + 1 - octets.count))
      if count == 0 { break }
      if count > 0 {
        octets += buffer[..<count]
      } else if errno != EINTR, errno != EAGAIN {
        throw unreadable(path, errno)
      }
    }
    guard octets.count <= limit else {
      throw problem(path, "the file is longer than \(limit) bytes")
    }
    return octets
  }

  /// Waits until a pipe or a terminal is readable. All signals are unblocked meanwhile, so that the
  /// user can interrupt the wait for a missing writer.
  private static func waitForOctets(_ descriptor: Int32) {
    guard descriptor < FD_SETSIZE else { return }
    var awaited = fd_set()
    withUnsafeMutableBytes(of: &awaited) { $0[Int(descriptor) / 8] = 1 << (descriptor % 8) }
    var none = sigset_t()
    sigemptyset(&none)
    pselect(descriptor + 1, &awaited, nil, nil, nil, &none)
  }

  private static func unreadable(_ path: String, _ code: Int32) -> DocumentErrors {
    if path.isEmpty { return DocumentErrors([Problem("the name of a file is empty")]) }
    return problem(path, "the file cannot be read: \(String(cString: strerror(code)))")
  }

  private static func problem(_ path: String, _ message: String) -> DocumentErrors {
    DocumentErrors([Problem(message, at: Place(file: path))])
  }
}
