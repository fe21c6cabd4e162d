// The token in a file, so that it stays the same when the server is started again.

import Glibc
import Jobs
import Program
import WebServer

/// A file with the token, which only this user can read.
struct TokenFile {
  /// The most bytes that are read.
  private static let longest = 1024

  private let path: String

  init(_ path: String) { self.path = path }

  /// Reads the token, or writes a new one if the file is empty or missing.
  ///
  /// - Throws: ``CommandExit`` if other users can read the file, or it cannot be read or written.
  func token() throws(CommandExit) -> SecretText {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw CommandExit(.data, "\(FileFailure(path, "cannot be used"))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw failure("is not a file")
    }
    guard status.st_mode & 0o077 == 0, status.st_uid == getuid() else {
      throw failure("can be read by others: chmod 600")
    }
    var octets = [UInt8](repeating: 0, count: Self.longest)
    let count = read(descriptor, &octets, octets.count)
    guard count >= 0 else { throw CommandExit(.data, "\(FileFailure(path, "cannot be read"))") }
    let text = String(decoding: octets[..<count], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).joined()
    guard text.isEmpty else {
      do {
        return try SecretText(text)
      } catch {
        throw failure("\(error)")
      }
    }
    let token = SecretText.generated()
    let line = Array((token.revealed + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count else {
      throw CommandExit(.data, "\(FileFailure(path, "cannot be written"))")
    }
    return token
  }

  private func failure(_ reason: String) -> CommandExit { CommandExit(.data, "\(path): \(reason)") }
}
