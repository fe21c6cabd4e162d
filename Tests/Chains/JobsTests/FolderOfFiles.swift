// Files for one test.

import Documents
import Foundation

/// A folder with files in it, removed with this object.
final class FolderOfFiles {
  let path: String

  init(_ files: [String: String]) throws {
    path = NSTemporaryDirectory() + "chains-\(UUID().uuidString)"
    for name in files.keys.sorted() {
      let url = URL(fileURLWithPath: path + "/" + name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true
      )
      try (files[name] ?? "").write(to: url, atomically: true, encoding: .utf8)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The errors that a parser reports, without the folder.
  func complaints(_ read: () throws -> Void) -> [String] {
    do {
      try read()
      return []
    } catch let error as DocumentErrors {
      return error.problems.map { "\($0)".replacingOccurrences(of: path + "/", with: "") }
    } catch {
      return ["\(error)"]
    }
  }
}
