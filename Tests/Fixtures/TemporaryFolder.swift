// A folder of a test's own.

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
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { octets in
          String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name != ".", name != ".." else { continue }
        if entry.pointee.d_type == DT_DIR {
          remove("\(path)/\(name)")
        } else {
          unlink("\(path)/\(name)")
        }
      }
      closedir(folder)
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
