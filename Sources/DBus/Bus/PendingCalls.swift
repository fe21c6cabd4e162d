// Calls that wait for their replies, by serial.
//
// A pure table: it sends nothing and resumes nobody; its owner does.

/// The serials of one connection, and who waits for which reply.
///
/// A caller that leaves before its reply stays in the table if it has a handler for a late one.
/// Nothing is ever dropped for lack of room: a full table accepts no more calls.
struct PendingCalls<Waiter: Sendable>: Sendable {
  typealias LateReply = @Sendable (Result<Message, DBusError>) -> Void

  /// One call without its reply.
  struct Entry: Sendable {
    /// Who waits; nil when the caller has left.
    var waiter: Waiter?
    /// What to do with a reply that nobody waits for.
    var lateReply: LateReply?
  }

  /// The maximum number of calls without a reply, including those whose callers have left.
  let limit: Int
  /// The calls by the low bits of their serials: serials are consecutive, so that few share a
  /// place.
  private var near: [(serial: UInt32, entry: Entry)?]
  /// The calls whose place in `near` was occupied.
  private var far: [UInt32: Entry] = [:]
  private var lastSerial: UInt32
  /// The number of calls without a reply.
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

  /// Adds a call that is about to be sent.
  ///
  /// - Returns: Its serial.
  /// - Throws: ``BusFailure/callTableFull``.
  mutating func enter(_ waiter: Waiter, lateReply: LateReply?) throws(BusFailure) -> UInt32 {
    guard count < limit else { throw .callTableFull }
    let serial = nextSerial()
    put(Entry(waiter: waiter, lateReply: lateReply), serial)
    return serial
  }

  /// The caller stops waiting. Has no effect when the reply has arrived.
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

  /// Removes a call: its reply has arrived, or it could not be sent.
  ///
  /// - Returns: The call; nil when the serial is unknown or nobody needs the reply any more.
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

  /// Removes all calls, in the order of their serials: the bus has ended.
  mutating func takeAll() -> [(serial: UInt32, entry: Entry)] {
    var all = near.compactMap { $0 }
    for (serial, entry) in far { all.append((serial, entry)) }
    self = PendingCalls(limit: limit, lastSerial: lastSerial)
    return all.sorted { $0.serial < $1.serial }
  }
}
