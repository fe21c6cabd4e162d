// Calls that wait for their replies, by serial.
//
// A pure table: its owner sends the calls and resumes the callers.

import Signals

/// The serials of one connection, and the waiter for each reply.
///
/// An abandoned call stays in the table if it has a handler for a late reply. A full table drops no
/// entry; it accepts no more calls.
struct PendingCalls<Waiter: Sendable>: Sendable {
  typealias LateReply = @Sendable (Result<Message, DBusError>) -> Void

  /// One call without its reply.
  struct Entry: Sendable {
    /// The waiter; nil after the call was abandoned.
    var waiter: Waiter?
    /// The handler of a reply that arrives after the call was abandoned.
    var lateReply: LateReply?
  }

  /// The maximum number of calls without a reply, including abandoned ones.
  let limit: Int
  private var calls: [UInt32: Entry] = [:]
  private var lastSerial: UInt32

  init(limit: Int = 16_384, lastSerial: UInt32 = 0) {
    self.limit = limit
    self.lastSerial = lastSerial
  }

  /// The number of calls without a reply.
  var count: Int { calls.count }

  /// The serial for the next message: never 0, and never one whose reply is pending.
  mutating func nextSerial() -> UInt32 {
    repeat {
      lastSerial &+= 1
    } while lastSerial == 0 || calls[lastSerial] != nil
    return lastSerial
  }

  /// Registers a call that is about to be sent.
  ///
  /// - Returns: Its serial.
  /// - Throws: ``BusFailure/callTableFull``.
  mutating func register(_ waiter: Waiter, lateReply: LateReply?) throws(BusFailure) -> UInt32 {
    guard calls.count < limit else { throw .callTableFull }
    let serial = nextSerial()
    calls[serial] = Entry(waiter: waiter, lateReply: lateReply)
    return serial
  }

  /// Stops waiting for a reply. Has no effect if the reply has arrived.
  mutating func abandon(_ serial: UInt32) {
    if calls[serial]?.lateReply == nil {
      calls[serial] = nil
    } else {
      calls[serial]?.waiter = nil
    }
  }

  /// Removes a call whose reply has arrived.
  ///
  /// - Returns: The call; nil for an unknown serial, or an abandoned call without `lateReply`.
  mutating func remove(_ serial: UInt32) -> Entry? { calls.removeValue(forKey: serial) }

  /// Removes and returns all calls, in the order of their serials.
  mutating func removeAll() -> [(serial: UInt32, entry: Entry)] {
    defer { calls = [:] }
    return calls.map { (serial: $0.key, entry: $0.value) }.sorted { $0.serial < $1.serial }
  }
}

/// The receiver of a reply: a suspended caller, or a handler called in the order of arrival.
struct ReplyWaiter: Sendable {
  /// A suspended task. It resumes through the queue of the loop.
  let caller: Completion<Message>?
  /// A handler, called on the loop before any later message is processed.
  let handler: (@Sendable (Result<Message, any Error>) -> Void)?

  static func caller(_ caller: Completion<Message>) -> ReplyWaiter {
    ReplyWaiter(caller: caller, handler: nil)
  }

  static func handler(
    _ handler: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) -> ReplyWaiter {
    ReplyWaiter(caller: nil, handler: handler)
  }
}

extension PendingCalls<ReplyWaiter>.Entry {
  /// Delivers the result of the call. Called on the loop.
  func end(_ result: Result<Message, any Error>) {
    if let handler = waiter?.handler { return handler(result) }
    if let caller = waiter?.caller, caller.end(result) { return }
    guard let lateReply else { return }
    switch result {
    case .success(let message): lateReply(.success(message))
    case .failure(let error as DBusError): lateReply(.failure(error))
    case .failure(let error):
      lateReply(.failure(DBusError(name: .disconnected, message: "\(error)")))
    }
  }
}
