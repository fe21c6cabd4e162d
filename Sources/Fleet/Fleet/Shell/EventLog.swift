// The events of a gateway's runs on its disk, from which missing ones are sent to followers again.
//
// One file for each claim, with one chunk on each line. Files are not synchronized to the disk: a loss of
// power may lose events, and followers learn how many.

/// The files of an ``EventLog``.
package protocol EventFiles: Sendable {
  /// Appends a line to the file of a claim.
  ///
  /// - Returns: Whether it was written as a whole.
  func append(_ line: String, toFileOf nonce: String) -> Bool

  /// Calls the body with the lines of the file of a claim, in order, until it returns false. The last line
  /// may be incomplete.
  func read(fileOf nonce: String, _ body: (_ line: String) -> Bool)
}

/// The chunks of events in a gateway's files.
package struct EventLog: Sendable {
  private let files: any EventFiles

  /// Creates the log of files.
  package init(_ files: some EventFiles) { self.files = files }

  /// Appends a chunk to the file of its claim.
  ///
  /// - Returns: Whether it was written.
  package func keep(_ chunk: EventChunk) -> Bool {
    files.append(StoredValue.events(chunk).text, toFileOf: chunk.nonce)
  }

  /// Returns at most `most` chunks of a claim, from a number on.
  package func chunks(
    of nonce: String, from number: Int = 0, most: Int = .max
  ) -> [EventChunk] {
    var chunks: [EventChunk] = []
    read(nonce, from: number) { chunk in
      chunks.append(chunk)
      return chunks.count < most
    }
    return chunks
  }

  /// Returns the digest of all events of a claim.
  package func digest(of nonce: String) -> EventDigest {
    var digest = EventDigest()
    read(nonce, from: 0) { chunk in
      for event in chunk.events { digest.add(event) }
      return true
    }
    return digest
  }

  /// Returns the chunks that a follower requests, as many as one answer has.
  package func chunks(for request: EventRequest) -> [EventChunk] {
    chunks(of: request.nonce, from: request.number, most: EventRequest.mostChunks)
  }

  /// Reads the chunks of a claim from a number on, until `body` returns false.
  private func read(_ nonce: String, from number: Int, _ body: (EventChunk) -> Bool) {
    var index = 0
    files.read(fileOf: nonce) { line in
      defer { index += 1 }
      guard index >= number else { return true }
      // A killed process may have left an incomplete line.
      let value = try? StoredValue(line, at: StoreKey(.events, nonce))
      guard case .events(let chunk)? = value, chunk.number == index else { return false }
      return body(chunk)
    }
  }
}
