// A temporary folder for a test.

import Documents
import Foundation
import Glibc

/// A folder that is removed, with its contents, when this object is freed.
package final class TemporaryFolder {
  /// A refused file system operation.
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
    // `unlink` fails for a folder.
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

  /// Writes bytes to a file: at an offset, or, without one, as its whole content.
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

extension TemporaryFolder {
  /// Writes a scenario with the device of a file, on a host with a release of BlueZ.
  ///
  /// - Returns: Its path.
  package func scenario(ofDevice path: String, bluez release: String) throws -> String {
    let device = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .drop { $0.hasPrefix("#") }.enumerated()
      .map { ($0 == 0 ? "  - " : "    ") + $1 }
    return try file(
      "on-bluez-\(release).yaml",
      "scenario: Older\nhost: { bluez: \"\(release)\" }\ndevices:\n"
        + device.joined(separator: "\n")
    )
  }
}
