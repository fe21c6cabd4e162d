// NATS messages as values, so that no pointer of libnats leaves its threads.

#if Fleet
  import CNATS

  /// A message to send.
  struct NATSMessage: Sendable {
    let subject: String
    var reply: String?
    var headers: [(name: String, value: String)] = []
    var body = ""

    /// Passes the message to libnats, which sends it asynchronously. Blocks while its buffer is full.
    ///
    /// - Returns: The status of libnats; `NATS_OK` when the message was accepted.
    func send(on connection: OpaquePointer) -> natsStatus {
      var message: OpaquePointer?
      let made = natsMsg_Create(&message, subject, reply, body, Int32(body.utf8.count))
      guard made == NATS_OK else { return made }
      defer { natsMsg_Destroy(message) }
      for (name, value) in headers {
        let status = natsMsgHeader_Set(message, name, value)
        guard status == NATS_OK else { return status }
      }
      return natsConnection_PublishMsg(connection, message)
    }
  }

  /// A received message.
  struct ReceivedMessage: Sendable {
    /// The position of a message in its stream.
    struct Position: Sendable {
      let sequence: UInt64
      /// The number of further messages that the consumer has yet to deliver.
      let pending: UInt64
    }

    let subject: String
    let body: String
    /// `503` if the request had no responder, `404` if the key was not found; nil for data.
    let status: String?
    /// The sequence of the message in the stream that it was read from.
    let sequence: UInt64?
    /// Whether it marks a key of a bucket as removed.
    let isRemoval: Bool
    /// The position in the stream; nil unless a consumer delivered the message.
    let position: Position?

    /// Copies a message of libnats.
    ///
    /// - Parameter isOfConsumer: Whether a consumer of a stream delivered it.
    init(_ message: OpaquePointer, isOfConsumer: Bool) {
      subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
      let bytes = UnsafeRawBufferPointer(
        start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))
      )
      body = String(decoding: bytes, as: UTF8.self)
      status = Self.header("Status", of: message)
      sequence = Self.header("Nats-Sequence", of: message).flatMap { UInt64($0) }
      isRemoval = Self.header("KV-Operation", of: message) != nil
      position = isOfConsumer ? Self.position(of: message) : nil
    }

    private static func header(_ name: String, of message: OpaquePointer) -> String? {
      var value: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(message, name, &value) == NATS_OK else { return nil }
      return value.map { String(cString: $0) }
    }

    private static func position(of message: OpaquePointer) -> Position? {
      var data: UnsafeMutablePointer<jsMsgMetaData>?
      guard natsMsg_GetMetaData(&data, message) == NATS_OK, let data else { return nil }
      defer { jsMsgMetaData_Destroy(data) }
      return Position(sequence: data.pointee.Sequence.Stream, pending: data.pointee.NumPending)
    }
  }
#endif
