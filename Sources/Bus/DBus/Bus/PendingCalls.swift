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
  private var calls: [UInt32: Entry] = [:]
  private var lastSerial: UInt32

  init(limit: Int = 16_384, lastSerial: UInt32 = 0) {
    self.limit = limit
    self.lastSerial = lastSerial
  }

  /// The number of calls without a reply.
  var count: Int { calls.count }

  /// The serial for the next message: never 0, and never one that still waits for its reply.
  mutating func nextSerial() -> UInt32 {
    repeat {
      lastSerial &+= 1
    } while lastSerial == 0 || calls[lastSerial] != nil
    return lastSerial
  }

  /// Adds a call that is about to be sent.
  ///
  /// - Returns: Its serial.
  /// - Throws: ``BusFailure/callTableFull``.
  mutating func enter(_ waiter: Waiter, lateReply: LateReply?) throws(BusFailure) -> UInt32 {
    guard calls.count < limit else { throw .callTableFull }
    let serial = nextSerial()
    calls[serial] = Entry(waiter: waiter, lateReply: lateReply)
    return serial
  }

  /// The caller stops waiting. Has no effect when the reply has arrived.
  mutating func leave(_ serial: UInt32) {
    if calls[serial]?.lateReply == nil {
      calls[serial] = nil
    } else {
      calls[serial]?.waiter = nil
    }
  }

  /// Removes a call: its reply has arrived.
  ///
  /// - Returns: The call; nil when the serial is unknown or nobody needs the reply any more.
  mutating func take(_ serial: UInt32) -> Entry? { calls.removeValue(forKey: serial) }

  /// Removes all calls, in the order of their serials: the bus has ended.
  mutating func takeAll() -> [(serial: UInt32, entry: Entry)] {
    defer { calls = [:] }
    return calls.map { (serial: $0.key, entry: $0.value) }.sorted { $0.serial < $1.serial }
  }
}
