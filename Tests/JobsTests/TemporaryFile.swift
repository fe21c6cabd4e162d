// A file for one test.

import Glibc
import Testing

/// A file with some octets in it, which goes away with this object.
final class TemporaryFile {
  let path: String

  init(_ octets: [UInt8]) throws {
    var name = Array("/tmp/jobs-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    try #require(descriptor >= 0)
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { close(descriptor) }
    try #require(write(descriptor, octets, octets.count) == octets.count)
  }

  deinit {
    unlink(path)
  }
}
