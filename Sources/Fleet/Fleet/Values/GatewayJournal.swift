// The journal that a gateway keeps on its own disk: after a crash, the next process ends its claims from it.

import Bluetooth
import Documents
package import Jobs

/// The unsettled claims of a gateway.
public struct GatewayJournal: Equatable, Sendable {
  /// The most entries that a journal may have.
  public static let longest = 1000

  private var kept: [JournalEntry] = []
  /// The identity of the store that the entries belong to; nil in the file of an earlier version.
  public var store: String?

  /// Creates an empty journal.
  public init() {}

  /// The entries, the oldest first.
  public var entries: [JournalEntry] { kept }

  /// Adds an entry, which replaces an earlier one of the same claim.
  public mutating func keep(_ entry: JournalEntry) {
    guard let index = kept.firstIndex(where: { $0.nonce == entry.nonce }) else {
      kept.append(entry)
      return
    }
    kept[index] = entry
  }

  /// Deletes the entry of a claim.
  public mutating func forget(nonce: String) { kept.removeAll { $0.nonce == nonce } }

  /// The journal as JSON.
  public var text: String {
    JSONValue.object([.init("version", StoredValue.version.json)] + members).text + "\n"
  }

  /// Parses the text of a file.
  ///
  /// - Returns: Nil if it is not a journal.
  public init?(_ text: String) {
    // Any key will do: it only appears in the error, which is dropped here.
    guard let read = try? Self.read(text, .sweep) else { return nil }
    self = read
  }
}

extension GatewayJournal: StoredForm, JSONObjectForm {
  static let noun = "the journal of a gateway"

  package static let form = JSONKeys<GatewayJournal>(
    { entries, store in
      var journal = GatewayJournal()
      (journal.kept, journal.store) = (entries, store)
      return journal
    },
    JSONKey("entries", \.kept, .list(.object, most: longest)),
    JSONKey(optional: "store", \.store, .name)
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

  /// The end in the form in which it is stored.
  private var endText: String? { end.map { StoredValue.record(.ended($0)).text } }
}
