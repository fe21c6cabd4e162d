// The port: one connection to a bus, independent of the kind of bus.
//
// It has two implementations: libdbus, and a bus in memory.

public import Signals

/// A connection to a message bus.
///
/// All members may be called from any thread. Handlers and continuations run on ``loop``.
public protocol MessageBus: AnyObject, Sendable {
  /// The loop that runs handlers, and whose clock measures limits.
  var loop: Loop { get }

  /// The name that the bus gave this connection: `:1.42`.
  var uniqueName: String { get }

  /// The address of the bus, for messages to people.
  var address: String { get }

  /// Sends a method call whose reply resumes `caller`. For `call`.
  ///
  /// - Parameters:
  ///   - call: The method, its object and its arguments.
  ///   - caller: Resumed with the reply.
  ///   - lateReply: Receives, on the loop, a reply that arrives after `caller` has given up.
  /// - Returns: The serial, for ``leave(_:)``.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func begin(
    _ call: MethodCall,
    for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32

  /// Stops waiting for the reply to the call that ``begin(_:for:lateReply:)`` sent with `serial`.
  func leave(_ serial: UInt32)

  /// Sends a signal, a reply, or a call that expects none.
  ///
  /// The front assigns the serial. Messages of one thread arrive in the order they were sent.
  ///
  /// ```swift
  /// let ready = try Message.signal(
  ///   path: "/com/example/sensor", interface: "com.example.Sensor", member: "Ready")
  /// try bus.send(ready)
  /// ```
  ///
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func send(_ message: Message) throws

  /// Calls `handler` with every signal that matches, until the subscription is cancelled.
  ///
  /// Returns when the bus has accepted the rule: later signals are received. Handlers run on the
  /// loop, in order of arrival, before the caller of a reply that arrived later is resumed.
  ///
  /// ```swift
  /// let sleep = MatchRule(interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
  /// let subscription = try await bus.subscribe(sleep) { signal in
  ///   print(signal.body.first?.asBool == true ? "going to sleep" : "awake")
  /// }
  /// ```
  ///
  /// - Throws: What `call` throws.
  func subscribe(
    _ rule: MatchRule,
    _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription

  /// Requests a well-known name.
  ///
  /// ```swift
  /// let reply = try await bus.requestName("com.example.Sensor", flags: .doNotQueue)
  /// guard reply == .primaryOwner else { return }
  /// ```
  ///
  /// - Throws: ``DBusError`` when the bus does not allow it, and what a call throws.
  func requestName(_ name: String, flags: NameRequestFlags) async throws -> NameRequestReply

  /// Releases a well-known name. Succeeds when this connection does not own it.
  ///
  /// ```swift
  /// try await bus.releaseName("com.example.Sensor")
  /// ```
  func releaseName(_ name: String) async throws

  /// The unique name of the owner of a name; nil when nobody owns it.
  ///
  /// ```swift
  /// if try await bus.nameOwner("org.bluez") == nil { print("bluetoothd does not run") }
  /// ```
  func nameOwner(_ name: String) async throws -> String?

  /// Calls `changed` with the current owner of a name, and with each later one; nil for none.
  ///
  /// The first call comes before this returns.
  ///
  /// ```swift
  /// let watch = try await bus.watchOwner(of: "org.bluez") { owner in
  ///   print(owner.map { "bluetoothd is \($0)" } ?? "bluetoothd is gone")
  /// }
  /// ```
  func watchOwner(
    of name: String,
    _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription

  /// Offers every method call to this connection to `handler`, after the handlers that were
  /// exported before.
  ///
  /// Handlers are asked in order until one handles the call; a call that none handles gets an error
  /// reply.
  ///
  /// ```swift
  /// let server = ObjectServer(bus: bus)
  /// let export = try bus.export(server)
  /// ```
  ///
  /// - Throws: ``BusFailure`` when the bus has ended.
  func export(_ handler: any ObjectHandler) throws -> Export

  /// Calls `handler` once, on the loop, when the connection ends for any reason; if it has ended
  /// already, soon after this call.
  ///
  /// ```swift
  /// bus.onClose { failure in print(failure) }
  /// ```
  func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void)

  /// Closes the connection. Pending calls fail with ``BusFailure/closed(address:reason:)``.
  ///
  /// ```swift
  /// bus.onClose { _ in print("closed") }
  /// bus.close()
  /// ```
  func close()
}

extension MessageBus {
  /// Sends a method call and waits for its reply.
  ///
  /// Ends at once on cancellation, and when `limit` or an enclosing deadline has passed; the
  /// timeout of the bus is not used. If `lateReply` is given, the call then stays in a bounded
  /// table until its reply or the end of the bus.
  ///
  /// ```swift
  /// let call = try MethodCall(
  ///   destination: "org.freedesktop.hostname1", path: "/org/freedesktop/hostname1",
  ///   interface: "org.freedesktop.DBus.Peer", member: "Ping")
  /// _ = try await bus.call(call, limit: .seconds(5))
  /// ```
  ///
  /// - Parameters:
  ///   - call: The method, its object and its arguments.
  ///   - limit: How long to wait for the reply; nil leaves that to the enclosing deadlines.
  ///   - fallback: How long to wait when there is no enclosing deadline either.
  ///   - lateReply: Receives, on the loop, a reply or error that arrived after this call ended, so
  ///     that its effect can be undone; ``DBusError/Name/disconnected`` when the bus ended first.
  /// - Returns: The reply.
  /// - Throws: ``DBusError`` for an error reply. ``BusFailure`` when the bus has ended or accepts
  ///   no more calls. ``DBusValueError`` when the arguments cannot be sent. `TimedOut`,
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
