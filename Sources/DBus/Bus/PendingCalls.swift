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
  /// The calls by the end of their serials: serials follow each other, so that few share one.
  private var near: [(serial: UInt32, entry: Entry)?]
  /// The calls whose place in `near` was taken.
  private var far: [UInt32: Entry] = [:]
  private var lastSerial: UInt32
  /// How many calls have no reply.
  private(set) var count = 0

  init(limit: Int = 16_384, lastSerial: UInt32 = 0) {
    self.limit = limit
    self.lastSerial = lastSerial
    near = Array(repeating: nil, count: Self.places)
  }

  private static var places: Int { 64 }

  private func place(of serial: UInt32) -> Int { Int(serial) & (Self.places - 1) }

  private func contains(_ serial: UInt32) -> Bool {
    near[place(of: serial)]?.serial == serial || (!far.isEmpty && far[serial] != nil)
  }

  /// The serial for the next message: never 0, and never one that still waits for its reply.
  mutating func nextSerial() -> UInt32 {
    repeat {
      lastSerial &+= 1
    } while lastSerial == 0 || contains(lastSerial)
    return lastSerial
  }

  /// Takes in a call that is about to be sent.
  ///
  /// - Returns: Its serial.
  /// - Throws: ``BusFailure/callTableFull``.
  mutating func enter(_ waiter: Waiter, lateReply: LateReply?) throws(BusFailure) -> UInt32 {
    guard count < limit else { throw .callTableFull }
    let serial = nextSerial()
    put(Entry(waiter: waiter, lateReply: lateReply), serial)
    return serial
  }

  /// The caller does not wait any more. Without effect when the reply has come.
  mutating func leave(_ serial: UInt32) {
    guard var entry = take(serial), entry.lateReply != nil else { return }
    entry.waiter = nil
    put(entry, serial)
  }

  private mutating func put(_ entry: Entry, _ serial: UInt32) {
    count += 1
    let place = place(of: serial)
    if near[place] == nil {
      near[place] = (serial, entry)
    } else {
      far[serial] = entry
    }
  }

  /// Takes a call out: its reply has come, or it could not be sent.
  ///
  /// - Returns: nil when the serial is not of a call, or nobody cares for the reply any more.
  mutating func take(_ serial: UInt32) -> Entry? {
    let place = place(of: serial)
    if let (found, entry) = near[place], found == serial {
      near[place] = nil
      count -= 1
      return entry
    }
    guard !far.isEmpty, let entry = far.removeValue(forKey: serial) else { return nil }
    count -= 1
    return entry
  }

  /// Takes all calls out, in the order of their serials: the bus has ended.
  mutating func takeAll() -> [Entry] {
    var all = near.compactMap { $0 }
    for (serial, entry) in far { all.append((serial, entry)) }
    self = PendingCalls(limit: limit, lastSerial: lastSerial)
    return all.sorted { $0.serial < $1.serial }.map(\.entry)
  }
}
