// Calls that wait for their replies, by serial.
//
// A pure table: it sends nothing and resumes nobody. Whoever holds it does what it says.

/// The serials of one connection, and who waits for the reply to which.
///
/// A caller that leaves before its reply stays in the table if it left word what to do with a late
/// one. Nothing is ever dropped for want of room: a full table takes no more calls.
struct PendingCalls<Waiter: Sendable>: Sendable {
  typealias LateReply = @Sendable (Result<Message, DBusError>) -> Void

  /// One call without its reply.
  struct Entry: Sendable {
    /// Who waits; nil when the caller has left.
    var waiter: Waiter?
    /// What to do with a reply that nobody waits for.
    var lateReply: LateReply?
  }

  /// The most calls without a reply, those included whose callers have left.
  let limit: Int
  private var entries: [UInt32: Entry] = [:]
  private var lastSerial: UInt32

  init(limit: Int = 16_384, lastSerial: UInt32 = 0) {
    self.limit = limit
    self.lastSerial = lastSerial
  }

  /// How many calls have no reply.
  var count: Int { entries.count }

  /// The serial for the next message: never 0, and never one that still waits for its reply.
  mutating func nextSerial() -> UInt32 {
    repeat {
      lastSerial &+= 1
    } while lastSerial == 0 || entries[lastSerial] != nil
    return lastSerial
  }

  /// Takes in a call that is about to be sent.
  ///
  /// - Returns: Its serial.
  /// - Throws: ``BusFailure/callTableFull``.
  mutating func enter(_ waiter: Waiter, lateReply: LateReply?) throws(BusFailure) -> UInt32 {
    guard entries.count < limit else { throw .callTableFull }
    let serial = nextSerial()
    entries[serial] = Entry(waiter: waiter, lateReply: lateReply)
    return serial
  }

  /// The caller does not wait any more. Without effect when the reply has come.
  mutating func leave(_ serial: UInt32) {
    guard let index = entries.index(forKey: serial) else { return }
    if entries.values[index].lateReply == nil {
      entries.remove(at: index)
    } else {
      entries.values[index].waiter = nil
    }
  }

  /// Takes a call out: its reply has come, or it could not be sent.
  ///
  /// - Returns: nil when the serial is not of a call, or nobody cares for the reply any more.
  mutating func take(_ serial: UInt32) -> Entry? { entries.removeValue(forKey: serial) }

  /// Takes all calls out, in the order of their serials: the bus has ended.
  mutating func takeAll() -> [Entry] {
    defer { entries = [:] }
    return entries.sorted { $0.key < $1.key }.map(\.value)
  }
}
