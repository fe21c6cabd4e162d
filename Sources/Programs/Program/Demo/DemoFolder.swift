// The folder with the files of the tour.

import Documents
import Glibc
import Jobs

struct DemoFolder {
  /// The absolute path.
  let path: String

  /// Creates the folder and its files.
  ///
  /// - Parameter name: The folder; nil for a new one in `$TMPDIR` or `/tmp`.
  /// - Throws: ``CommandExit`` if it cannot be created, or already has one of the files.
  init(_ name: String?) throws(CommandExit) {
    if let name {
      guard mkdir(name, 0o777) == 0 || errno == EEXIST else { throw Self.failure(name) }
    }
    let made = name ?? Self.temporary()
    guard let made, let real = FolderOfFile.realPath(made) else {
      throw Self.failure(name ?? "a folder in \(RuntimeFolder.temporary)")
    }
    path = real
    for (name, text) in Tour.files { try Self.write(text, to: real + "/" + name) }
  }

  private static func temporary() -> String? {
    var template = Array("\(RuntimeFolder.temporary)/blerun-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Creates a file; fails if it exists, so that no file of the user is overwritten.
  private static func write(_ text: String, to path: String) throws(CommandExit) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    if let number = writeAll(descriptor, [.text(PrintableText(lines: text))]) {
      throw failure(path, number)
    }
  }

  private static func failure(_ path: String, _ number: Int32 = errno) -> CommandExit {
    CommandExit(.output, "\(FileFailure(path, "cannot be made", number))")
  }
}
