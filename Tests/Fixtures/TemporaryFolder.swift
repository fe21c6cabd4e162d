// A folder of a test's own.

import Documents
import Glibc

/// A folder that goes with this object, and everything in it.
package final class TemporaryFolder {
  /// What the system refused.
  package struct Refused: Error {
    package let path: String
    package let errno: Int32
  }

  package let path: String

  package init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/blerun-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Refused(path: base, errno: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    // A folder cannot be unlinked.
    for name in Folder.names(in: path) ?? [] where unlink("\(path)/\(name)") != 0 {
      remove("\(path)/\(name)")
    }
    rmdir(path)
  }

  /// Writes a file.
  ///
  /// - Returns: Its path.
  package func file(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try write(Array(text.utf8), to: file)
    return file
  }

  /// Puts octets in the place of what a file has at an offset.
  package func write(_ octets: [UInt8], to path: String, at offset: Int? = nil) throws {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (offset == nil ? O_TRUNC : 0)
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else { throw Refused(path: path, errno: errno) }
    defer { close(descriptor) }
    guard pwrite(descriptor, octets, octets.count, offset ?? 0) == octets.count else {
      throw Refused(path: path, errno: errno)
    }
  }
}
