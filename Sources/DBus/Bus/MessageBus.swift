// The port: one connection to a bus, whichever bus it is.
//
// Two fronts serve it: libdbus, and a bus in memory.

public import Signals

/// A connection to a message bus.
///
/// Everything may be called from any thread. Handlers and resumptions come on ``loop``.
public protocol MessageBus: AnyObject, Sendable {
  /// Where handlers run, and whose clock measures limits.
  var loop: Loop { get }

  /// The name that the bus gave this connection: `:1.42`.
  var uniqueName: String { get }

  /// Where the bus is, for messages to people.
  var address: String { get }

  /// Sends a method call whose reply ends `caller`. For ``call(_:limit:lateReply:)``.
  ///
  /// - Parameter lateReply: Gets, on the loop, the reply that comes when `caller` has ended.
  /// - Returns: What the call is taken back by.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func begin(
    _ call: MethodCall,
    for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32

  /// Nobody waits any more for the reply to the call that ``begin(_:for:lateReply:)`` gave
  /// `serial`.
  func leave(_ serial: UInt32)

  /// Sends a signal, a reply, or a call that expects none.
  ///
  /// The front gives the serial. What one thread sends arrives in that order.
  ///
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func send(_ message: Message) throws

  /// Calls `handler` with every signal that matches, until the subscription is cancelled.
  ///
  /// Returns when the bus has taken the rule: what is sent after that is heard. Handlers run on the
  /// loop, in order of arrival, before the caller of a reply that came later is resumed.
  ///
  /// - Throws: What ``call(_:limit:lateReply:)`` throws.
  func subscribe(
    _ rule: MatchRule,
    _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription

  /// Asks for a well-known name.
  ///
  /// - Throws: ``DBusError`` when the bus does not allow it, and what a call throws.
  func requestName(_ name: String, flags: NameRequestFlags) async throws -> NameRequestReply

  /// Gives a well-known name back. Not owning it is no error.
  func releaseName(_ name: String) async throws

  /// The unique name of the owner of a name; nil when nobody owns it.
  func nameOwner(_ name: String) async throws -> String?

  /// Calls `changed` with the present owner of a name, and with each later one; nil for nobody.
  ///
  /// The first call comes before this returns.
  func watchOwner(
    of name: String,
    _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription

  /// Offers every method call that comes to this connection to `handler`, after those that were
  /// exported before.
  ///
  /// - Throws: ``BusFailure`` when the bus has ended.
  func export(_ handler: any ObjectHandler) throws -> Export

  /// Calls `handler` once, on the loop, when the connection ends, for whatever reason; soon, when
  /// it has ended already.
  func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void)

  /// Ends the connection. Calls that wait fail with ``BusFailure/closed(address:reason:)``.
  func close()
}

extension MessageBus {
  /// Sends a method call and waits for its reply.
  ///
  /// Ends at once on cancellation, and when `limit` or a deadline carried down to here has passed;
  /// no limit of the bus decides. If `lateReply` is given, the call is then left in a bounded table
  /// until its reply or the end of the bus.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for the reply; nil leaves that to the deadlines around.
  ///   - fallback: How long to wait where there is no deadline around, either.
  ///   - lateReply: Gets, on the loop, the reply or error that came after this ended, so that it
  ///     can be undone; ``DBusError/Name/disconnected`` when the bus ended first.
  /// - Returns: The reply.
  /// - Throws: ``DBusError``: the answer is an error. ``BusFailure``: the bus has ended, or takes
  ///   no more calls. ``DBusValueError``: the arguments cannot be sent. `TimedOut`,
  ///   `CancellationError`.
  @inlinable
  @inline(__always)
  nonisolated(nonsending)
    public func call(
      _ call: MethodCall,
      limit: Duration? = nil,
      otherwise fallback: Duration? = nil,
      lateReply: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
    ) async throws -> Message
  {
    var serial: UInt32?
    do {
      return try await wait(on: loop, operation: call.operation, limit: limit, otherwise: fallback)
      {
        serial = try begin(call, for: $0, lateReply: lateReply)
      }
    } catch {
      if let serial { leave(serial) }
      throw error
    }
  }
}
