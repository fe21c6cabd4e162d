// What a gateway keeps on its own disk, so that a later process can end truthfully what it began.

import Bluetooth
import Documents
package import Jobs

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
    JSONValue.object([.init("version", StoredValue.version.json)] + members).text + "\n"
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

extension GatewayJournal: StoredForm, JSONObjectForm {
  static let what = "the journal of a gateway"

  package static let form = JSONKeys<GatewayJournal>(
    { entries in
      var journal = GatewayJournal()
      journal.kept = entries
      return journal
    },
    JSONKey("entries", \.kept, .list(.object, most: longest))
  )
}

extension JournalEntry: JSONObjectForm {
  package static let form = JSONKeys<JournalEntry>(
    { address, job, nonce, start, isArmed, step, isOpen, end in
      var entry = JournalEntry(address: address, job: job, nonce: nonce, start: start)
      (entry.isArmed, entry.step, entry.isOpen) = (isArmed, step, isOpen)
      guard let end else { return entry }
      guard case .record(let record)? = try? StoredValue(end, at: .result(of: job)) else {
        return nil
      }
      entry.end = record.end
      return entry
    },
    JSONKey("address", \.address, .address),
    JSONKey("job", \.job, .job),
    JSONKey("nonce", \.nonce, .name),
    JSONKey("start", \.start, .number()),
    JSONKey("armed", \.isArmed, .truth),
    JSONKey("step", \.step, .number()),
    JSONKey("open", \.isOpen, .truth),
    JSONKey(optional: "end", \.endText, .text(bytes: FleetBounds.value))
  )

  /// The end as the store has it.
  private var endText: String? { end.map { StoredValue.record(.ended($0)).text } }
}
