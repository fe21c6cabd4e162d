// A temporary folder for inputs that consist of several files.

import Glibc

/// A folder that is deleted with this object.
final class InputFolder {
  let path: String
  /// The last content of each short file. Long ones are not kept: their memory would look like a
  /// leak.
  private var files: [String: [UInt8]] = [:]

  init() throws {
    // In memory if possible, to keep a million inputs off the disk.
    let usual = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? usual
    var template = Array("\(base)/blerun-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FuzzError("no folder below \(base)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in files.keys.sorted() { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Writes a file, replacing an existing one.
  func write(_ octets: [UInt8], as name: String) throws {
    if !octets.isEmpty, files[name] == octets { return }
    files[name] = octets.count < 2_048 ? octets : []
    let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FuzzError("\(name) cannot be written") }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, octets, octets.count) == octets.count else {
      throw FuzzError("\(name) cannot be written")
    }
  }
}
