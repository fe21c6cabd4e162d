// Swift owners of libnats's connections and subscriptions.
//
// Calls to libnats block, so all of them are made on the worker thread of the store. Its callbacks come
// on its own threads and are passed on as values. What is sent is up to NATSJobStore.

#if Fleet
  import CNATS
  import Fleet
  import Signals

  /// A pointer to an object of libnats.
  struct NATSHandle: @unchecked Sendable {
    // `pointer` never changes, and libnats locks its objects, so that any thread may use it.
    let pointer: OpaquePointer
  }

  /// The callbacks of a connection, called on threads of libnats.
  struct NATSEvents: Sendable {
    /// Called when the connection has ended and will not be made again.
    let closed: @Sendable (_ reason: String) -> Void
    /// Called when the connection is lost, before it is made again.
    let disconnected: @Sendable () -> Void
    /// Called when the connection was made again.
    let reconnected: @Sendable () -> Void
    /// Called when the server has refused a message or a subscription of this user.
    let refused: @Sendable (PermissionViolation) -> Void
  }

  /// A connection to a server, with its JetStream context.
  final class NATSConnection: Sendable {
    /// The longest time that one call to libnats blocks.
    static let callLimit = Duration.seconds(2)
    /// The longest time that one call blocks while the store is opened, before there are requests: its server
    /// may be busy.
    static let openingLimit = Duration.seconds(5)

    let handle: NATSHandle
    let jetStream: NATSHandle
    /// The prefix of the subjects on which this connection receives replies.
    let inbox: String

    /// Connects. Blocks.
    ///
    /// - Throws: ``FleetServerError/unreachable(server:reason:)``.
    init(_ settings: NATSSettings, events: NATSEvents) throws(FleetServerError) {
      func check(_ status: natsStatus) throws(FleetServerError) {
        guard status != NATS_OK else { return }
        throw .unreachable(server: settings.address.server, reason: Self.text(of: status))
      }
      try check(nats_Open(-1))
      // One thread delivers the messages of all subscriptions.
      try check(nats_SetMessageDeliveryPoolSize(1))
      var options: OpaquePointer?
      try check(natsOptions_Create(&options))
      defer { natsOptions_Destroy(options) }
      for status in Self.fill(options, settings) { try check(status) }
      // libnats may call back at any time until the process ends, so the context is never freed.
      let context = Unmanaged.passRetained(EventContext(events)).toOpaque()
      try check(natsOptions_SetClosedCB(options, Self.closed, context))
      try check(natsOptions_SetDisconnectedCB(options, Self.disconnected, context))
      try check(natsOptions_SetReconnectedCB(options, Self.reconnected, context))
      try check(natsOptions_SetErrorHandler(options, Self.failed, context))
      var made: (connection: OpaquePointer?, jetStream: OpaquePointer?)
      try check(natsConnection_Connect(&made.connection, options))
      var jetStreamOptions = jsOptions()
      try check(jsOptions_Init(&jetStreamOptions))
      jetStreamOptions.Wait = Int64(Self.callLimit / .milliseconds(1))
      try check(natsConnection_JetStream(&made.jetStream, made.connection, &jetStreamOptions))
      var name: UnsafeMutablePointer<CChar>?
      try check(natsInbox_Create(&name))
      defer { natsInbox_Destroy(name) }
      guard let connection = made.connection, let jetStream = made.jetStream, let name else {
        throw .unreachable(server: settings.address.server, reason: "libnats made no connection")
      }
      handle = NATSHandle(pointer: connection)
      self.jetStream = NATSHandle(pointer: jetStream)
      // The name is "_INBOX." and a random text.
      let random = String(cString: name).split(separator: ".").last ?? ""
      inbox = "\(settings.address.inboxPrefix).\(random)"
    }

    private static func fill(_ options: OpaquePointer?, _ settings: NATSSettings) -> [natsStatus] {
      let address = settings.address
      var made = [
        natsOptions_SetURL(options, address.server),
        natsOptions_SetName(options, settings.client),
        natsOptions_SetTimeout(options, Int64(openingLimit / .milliseconds(1))),
        natsOptions_SetMaxReconnect(options, -1),
        natsOptions_SetReconnectWait(options, 250),
        natsOptions_SetReconnectJitter(options, 250, 250),
        // A message buffered while the connection is down would take effect long after its deadline.
        natsOptions_SetReconnectBufSize(options, 1),
        natsOptions_SetFailRequestsOnDisconnect(options, true),
        // A cut connection is detected within 10 s.
        natsOptions_SetPingInterval(options, 5000),
        natsOptions_SetMaxPingsOut(options, 1),
        natsOptions_SetWriteDeadline(options, Int64(callLimit / .milliseconds(1))),
        natsOptions_UseGlobalMessageDelivery(options, true),
        natsOptions_SetSendAsap(options, true),
        natsOptions_SetCustomInboxPrefix(options, address.inboxPrefix),
      ]
      if let user = address.user {
        made.append(natsOptions_SetUserInfo(options, user, address.password ?? ""))
      }
      if let file = settings.credentials {
        made.append(natsOptions_SetUserCredentialsFromFiles(options, file, nil))
      }
      if address.scheme == .tls {
        made.append(natsOptions_SetSecure(options, true))
        // Without this libnats does not check the name in the server's certificate.
        made.append(natsOptions_SetExpectedHostname(options, address.host))
      }
      if let file = settings.authorities {
        made.append(natsOptions_LoadCATrustedCertificates(options, file))
      }
      if let (chain, key) = settings.certificate {
        made.append(natsOptions_LoadCertificatesChain(options, chain, key))
      }
      return made
    }

    /// Describes a failure of the last call on this thread.
    static func text(of status: natsStatus) -> String {
      let general = natsStatus_GetText(status).map { String(cString: $0) } ?? "error"
      var last = status
      let detail = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
      return detail.isEmpty || last != status ? general : "\(general): \(detail)"
    }

    /// Whether requests can be sent now.
    var isConnected: Bool { natsConnection_Status(handle.pointer) == NATS_CONN_STATUS_CONNECTED }

    /// Sends buffered messages, and closes the connection. Blocks.
    func close() {
      if isConnected { natsConnection_FlushTimeout(handle.pointer, 1000) }
      natsConnection_Close(handle.pointer)
    }

    // MARK: Callbacks

    private final class EventContext: Sendable {
      let events: NATSEvents

      init(_ events: NATSEvents) { self.events = events }

      static func events(_ raw: UnsafeMutableRawPointer?) -> NATSEvents? {
        raw.map { Unmanaged<EventContext>.fromOpaque($0).takeUnretainedValue().events }
      }
    }

    private static let closed: natsConnectionHandler = { connection, context in
      var text: UnsafePointer<CChar>?
      let status = natsConnection_GetLastError(connection, &text)
      let general = natsStatus_GetText(status).map { String(cString: $0) } ?? "it was closed"
      let detail = text.map { String(cString: $0) } ?? ""
      EventContext.events(context)?.closed(detail.isEmpty ? general : detail)
    }

    private static let disconnected: natsConnectionHandler = { _, context in
      EventContext.events(context)?.disconnected()
    }

    private static let reconnected: natsConnectionHandler = { _, context in
      EventContext.events(context)?.reconnected()
    }

    /// Reports refusals. Errors of subscriptions are ignored: an ordered consumer recovers by reading again.
    private static let failed: natsErrHandler = { _, _, _, context in
      guard let text = nats_GetLastError(nil).map({ String(cString: $0) }),
        let violation = PermissionViolation(text)
      else { return }
      EventContext.events(context)?.refused(violation)
    }
  }

  /// A subscription of libnats, with the receiver of its messages.
  final class NATSSubscription: Sendable {
    /// A callback on a thread of libnats.
    struct Receiver: Sendable { let call: @Sendable (ReceivedMessage) -> Void }

    private final class Context: Sendable {
      let receiver: Receiver
      let isOfConsumer: Bool

      init(_ receiver: Receiver, isOfConsumer: Bool) {
        self.receiver = receiver
        self.isOfConsumer = isOfConsumer
      }
    }

    /// The most messages that wait for delivery.
    private static let mostPending: Int32 = 100_000

    private let handle: NATSHandle

    /// Subscribes to a subject. Blocks briefly.
    ///
    /// - Returns: Nil when libnats refuses the subscription.
    init?(
      _ subject: String, on connection: NATSConnection,
      _ receive: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      let context = Self.context(receive, isOfConsumer: false)
      var made: OpaquePointer?
      let status = natsConnection_Subscribe(
        &made,
        connection.handle.pointer,
        subject,
        Self.received,
        context
      )
      guard status == NATS_OK, let made else {
        Self.freed(context)
        return nil
      }
      handle = NATSHandle(pointer: made)
      keep(context)
    }

    /// Reads a stream in order: the last value of each key, or all values if `isComplete`; then each new
    /// one. Blocks.
    ///
    /// If a message is missing or the server restarts, libnats continues after the last message.
    ///
    /// - Returns: Nil when the server does not answer or refuses; the reason is in `failure`.
    init?(
      stream: String, filter: String, isComplete: Bool, on connection: NATSConnection,
      failure: inout String, _ receive: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      let context = Self.context(receive, isOfConsumer: true)
      var options = jsSubOptions()
      jsSubOptions_Init(&options)
      var made: OpaquePointer?
      let status = stream.withCString { name in
        options.Stream = name
        options.Ordered = true
        options.Config.DeliverPolicy = isComplete ? js_DeliverAll : js_DeliverLastPerSubject
        return js_Subscribe(
          &made,
          connection.jetStream.pointer,
          filter,
          Self.received,
          context,
          nil,
          &options,
          nil
        )
      }
      guard status == NATS_OK, let made else {
        failure = NATSConnection.text(of: status)
        Self.freed(context)
        return nil
      }
      handle = NATSHandle(pointer: made)
      keep(context)
    }

    /// Whether the consumer had nothing to deliver when it was created; nil when that is not known.
    var isEmpty: Bool? {
      var info: UnsafeMutablePointer<jsConsumerInfo>?
      guard natsSubscription_GetConsumerInfo(&info, handle.pointer, nil, nil) == NATS_OK,
        let info
      else { return nil }
      defer { jsConsumerInfo_Destroy(info) }
      return info.pointee.NumPending == 0 && info.pointee.Delivered.Consumer == 0
    }

    /// Ends the subscription. Blocks briefly.
    func end() {
      natsSubscription_Unsubscribe(handle.pointer)
      natsSubscription_Destroy(handle.pointer)
    }

    // MARK: Callbacks

    private static func context(
      _ receive: @escaping @Sendable (ReceivedMessage) -> Void, isOfConsumer: Bool
    ) -> UnsafeMutableRawPointer {
      let context = Context(Receiver(call: receive), isOfConsumer: isOfConsumer)
      return Unmanaged.passRetained(context).toOpaque()
    }

    /// Sets the limits, and has libnats free the context after the last callback.
    private func keep(_ context: UnsafeMutableRawPointer) {
      natsSubscription_SetPendingLimits(handle.pointer, Self.mostPending, 64 << 20)
      natsSubscription_SetOnCompleteCB(handle.pointer, { NATSSubscription.freed($0) }, context)
    }

    private static func freed(_ context: UnsafeMutableRawPointer?) {
      if let context { Unmanaged<Context>.fromOpaque(context).release() }
    }

    private static let received: natsMsgHandler = { _, _, message, raw in
      guard let message else { return }
      defer { natsMsg_Destroy(message) }
      guard let raw else { return }
      let context = Unmanaged<Context>.fromOpaque(raw).takeUnretainedValue()
      context.receiver.call(ReceivedMessage(message, isOfConsumer: context.isOfConsumer))
    }
  }
#endif
