// The events of a gateway's runs on its disk, from which missing ones are sent to followers again.
//
// One file for each claim, with one chunk on each line. Files are not synchronized to the disk: a power
// loss may lose events, and followers learn how many.

import Documents
import Fleet
import Glibc
import Jobs
import Program
import Signals

/// The folder with the events of a gateway's runs.
final class GatewayEvents: Sendable {
  private let folder: String

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``Ending`` if it cannot be created.
  init(_ folder: String) throws(Ending) {
    self.folder = folder
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw Ending(.output, "\(FileFailure(folder, "cannot be made"))")
    }
  }

  private func path(_ nonce: String) -> String { "\(folder)/\(nonce).jsonl" }

  /// Appends a chunk to the file of its claim.
  ///
  /// - Returns: Whether it was written.
  func keep(_ chunk: EventChunk) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    let descriptor = open(path(chunk.nonce), flags, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let octets = Array((StoredValue.events(chunk).text + "\n").utf8)
    return write(descriptor, octets, octets.count) == octets.count
  }

  /// Returns at most `most` chunks of a claim, from a number on.
  func chunks(of nonce: String, from number: Int = 0, most: Int = .max) -> [EventChunk] {
    var chunks: [EventChunk] = []
    read(nonce, from: number) { chunk in
      chunks.append(chunk)
      return chunks.count < most
    }
    return chunks
  }

  /// Returns the digest of all events of a claim.
  func digest(of nonce: String) -> EventDigest {
    var digest = EventDigest()
    read(nonce, from: 0) { chunk in
      for event in chunk.events { digest.add(event) }
      return true
    }
    return digest
  }

  /// Reads the chunks of a claim from a number on, until `body` returns false.
  private func read(_ nonce: String, from number: Int, _ body: (EventChunk) -> Bool) {
    guard let file = fopen(path(nonce), "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    defer { free(line) }
    var size = 0
    var index = 0
    while getline(&line, &size, file) > 0, let line {
      defer { index += 1 }
      guard index >= number else { continue }
      // A killed process may have left an incomplete line.
      let value = try? StoredValue(String(cString: line), at: StoreKey(.events, nonce))
      guard case .events(let chunk)? = value, chunk.number == index, body(chunk) else { return }
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
