// The files with the events of a gateway's runs.
//
// What they contain is decided by EventLog.

import Documents
import Fleet
import Glibc
import Jobs
import Program
import Signals

/// The folder with the events of a gateway's runs.
final class GatewayEvents: EventFiles {
  private let folder: String

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``CommandExit`` if it cannot be created.
  init(_ folder: String) throws(CommandExit) {
    self.folder = folder
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw CommandExit(.output, "\(FileFailure(folder, "cannot be made"))")
    }
  }

  private func path(_ nonce: String) -> String { "\(folder)/\(nonce).jsonl" }

  func append(_ line: String, toFileOf nonce: String) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    let descriptor = open(path(nonce), flags, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let octets = Array((line + "\n").utf8)
    return write(descriptor, octets, octets.count) == octets.count
  }

  func read(fileOf nonce: String, _ body: (String) -> Bool) {
    guard let file = fopen(path(nonce), "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    defer { free(line) }
    var size = 0
    while getline(&line, &size, file) > 0, let line {
      guard body(String(cString: line)) else { return }
    }
  }

  /// Deletes files above the limits of age and total size, the oldest first.
  ///
  /// - Parameter time: Now, since 1970-01-01T00:00:00Z.
  func prune(at time: Duration) {
    let oldest = time - FleetBounds.eventAge
    let names = Folder.names(in: folder) ?? []
    let files = names.compactMap { name -> (path: String, at: Duration, Int)? in
      var facts = stat()
      let path = "\(folder)/\(name)"
      guard stat(path, &facts) == 0 else { return nil }
      return (path, .seconds(facts.st_mtim.tv_sec), Int(facts.st_size))
    }
    var bytes = 0
    for (path, changed, size) in files.sorted(by: { $0.at > $1.at }) {
      bytes += size
      if changed < oldest || bytes > FleetBounds.eventBytes { unlink(path) }
    }
  }
}
