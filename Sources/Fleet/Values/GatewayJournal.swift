// What a gateway keeps on its own disk, so that a later process can end truthfully what it began.

import Bluetooth
import Jobs

/// The unsettled claims of a gateway, as they are on its disk.
public struct GatewayJournal: Equatable, Sendable {
  /// How many claims may be unsettled.
  public static let longest = 1000

  private var kept: [JournalEntry] = []

  /// A journal without entries.
  public init() {}

  /// The entries, the oldest first.
  public var entries: [JournalEntry] { kept }

  /// Keeps an entry; it replaces an earlier one of the same claim.
  public mutating func keep(_ entry: JournalEntry) {
    guard let index = kept.firstIndex(where: { $0.nonce == entry.nonce }) else {
      kept.append(entry)
      return
    }
    kept[index] = entry
  }

  /// Forgets the entry of a claim.
  public mutating func forget(nonce: String) { kept.removeAll { $0.nonce == nonce } }

  /// The JSON text.
  public var text: String {
    JSONValue.object([("version", .whole(StoredValue.version))] + members).text + "\n"
  }

  /// Reads the text of a file.
  ///
  /// - Returns: Nil for anything else than a journal.
  public init?(_ text: String) {
    // The key is only named in the error, which is of no interest here.
    guard let read = try? Self.read(text, .sweep) else { return nil }
    self = read
  }
}

extension GatewayJournal: StoredForm {
  static let what = "the journal of a gateway"

  var members: [Member] { [("entries", .array(kept.map { .object($0.members) }))] }

  init?(_ reader: inout FormReader) {
    guard let kept = reader.list("entries", most: Self.longest, JournalEntry.init) else {
      return nil
    }
    self.kept = kept
  }
}

extension JournalEntry: StoredPart {
  var members: [Member] {
    [
      ("address", .string(address.description)), ("job", .string(job.text)),
      ("nonce", .string(nonce)), ("start", .number("\(start)")),
      ("armed", .boolean(isArmed)), ("step", .whole(step)), ("open", .boolean(isOpen)),
      ("end", .text(end.map { StoredValue.record(.ended($0)).text })),
    ]
  }

  init?(_ reader: inout FormReader) {
    let address = reader.address("address")
    let job = reader.job("job")
    let nonce = reader.name("nonce")
    let start = reader.number("start")
    let isArmed = reader.truth("armed")
    let step = reader.number("step")
    let isOpen = reader.truth("open")
    let text = reader.optionalText("end", bytes: FleetBounds.value)
    guard let address, let job, let nonce, let start, let isArmed, let step, let isOpen else {
      return nil
    }
    self.init(address: address, job: job, nonce: nonce, start: Revision(start))
    (self.isArmed, self.step, self.isOpen) = (isArmed, step, isOpen)
    guard let text else { return }
    guard case .record(let record)? = try? StoredValue(text, at: .result(of: job)) else {
      return nil
    }
    end = record.end
  }
}
