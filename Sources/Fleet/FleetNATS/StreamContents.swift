// The streams of a fleet as the server has them: missing ones are created, and their contents are told
// from those of a store that was lost.
//
// All of it blocks the worker thread.

#if Fleet
  import CNATS
  import Documents
  import Fleet
  import Jobs
  import Signals

  /// The identity of the contents of a fleet's streams.
  struct StreamContents: Sendable {
    private struct Facts {
      let created: String
      let last: UInt64
    }

    /// The server's error codes when it cannot store more.
    static let fullCodes = [10023, 10028, 10047, 10077]

    private let facts: [String: Facts]

    /// The digest of when the streams were created. It survives restarts of the server, and a copy of
    /// its folder has the same one.
    var identity: String {
      let texts = facts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.created)" }
      return String(ContentHash.digest(of: texts.joined(separator: "\n")).prefix(16))
    }

    /// Whether the streams still have what `newest` knows: the greatest sequence by name of a stream.
    /// They do not if an older copy of them was put in place, or the last changes did not reach the disk.
    func hasAll(_ newest: [String: UInt64]) -> Bool {
      facts.allSatisfy { name, facts in facts.last >= newest[name] ?? 0 }
    }

    /// Creates missing streams, checks the settings of the others, and returns the contents.
    ///
    /// - Parameter limit: The longest time that one request blocks.
    static func prepared(
      _ layout: StreamLayout, on connection: NATSConnection,
      within limit: Duration = NATSConnection.callLimit
    ) throws(FleetServerError) -> StreamContents {
      var facts: [String: Facts] = [:]
      for stream in layout.streams {
        let found = try ensure(stream, connection, limit)
        // Entries of gateways and events end by themselves: they say nothing about the store.
        guard stream.isLasting else { continue }
        facts[stream.name] = Facts(
          created: found["created"]?.string ?? "",
          last: (found["state"]?["last_seq"]?.integer).flatMap { UInt64(exactly: $0) } ?? 0
        )
      }
      return StreamContents(facts: facts)
    }

    /// The maximum number of further reads of a stream that is being created.
    private static let mostReads = 40
    /// The pause before each of them, in milliseconds.
    private static let readPause: Int64 = 50

    /// Whether a description is of a stream that the server is still creating, for another member.
    ///
    /// It has no time of creation then, so its identity would be another one than a moment later.
    ///
    /// - Source: nats-server 2.9.10, observed: `created` is the zero time in 16 of 400 creations that were
    ///   watched.
    private static func isUnfinished(_ description: JSONValue) -> Bool {
      description["created"]?.string?.hasPrefix("0001-01-01T00:00:00") == true
    }

    /// Returns the server's description of a stream, which is created if it is missing.
    private static func ensure(
      _ stream: StreamLayout.Stream, _ connection: NATSConnection, _ limit: Duration
    ) throws(FleetServerError) -> JSONValue {
      let info = "$JS.API.STREAM.INFO.\(stream.name)"
      var found = try request(info, "", stream, connection, limit)
      if found["error"]?["code"]?.integer == 404 {
        let api = "$JS.API.STREAM.CREATE.\(stream.name)"
        let made = try request(api, stream.settings.text, stream, connection, limit)
        // Another member may have created it at the same moment: then it is there now.
        found = try request(info, "", stream, connection, limit)
        if found["error"] != nil, made["error"] != nil { found = made }
      }
      for _ in 0..<mostReads where isUnfinished(found) {
        nats_Sleep(readPause)
        found = try request(info, "", stream, connection, limit)
      }
      if isUnfinished(found) {
        throw .wrongStream(name: stream.name, reason: "the server is still creating it: try again")
      }
      if let error = found["error"] {
        if error["err_code"]?.integer.map(fullCodes.contains) == true {
          throw .wrongStream(name: stream.name, reason: FleetServerError.fullHint)
        }
        let reason = error["description"]?.string ?? "an unknown error"
        throw .wrongStream(name: stream.name, reason: reason)
      }
      if let difference = stream.difference(from: found["config"]) {
        throw .wrongStream(name: stream.name, reason: difference)
      }
      return found
    }

    private static func request(
      _ subject: String, _ body: String, _ stream: StreamLayout.Stream,
      _ connection: NATSConnection, _ limit: Duration
    ) throws(FleetServerError) -> JSONValue {
      var reply: OpaquePointer?
      let status = natsConnection_RequestString(
        &reply,
        connection.handle.pointer,
        subject,
        body,
        Int64(limit / .milliseconds(1))
      )
      guard status == NATS_OK, let reply else {
        let reason = NATSConnection.text(of: status)
        throw .wrongStream(
          name: stream.name,
          reason: subject.hasPrefix("$JS.API.STREAM.CREATE.")
            ? "it is missing, and this user may not make it (\(subject)). Try: blerun fleet status, "
              + "as a user who may"
            : "no answer to \(subject) (\(reason)): \(FleetServerError.offHint)"
        )
      }
      defer { natsMsg_Destroy(reply) }
      let message = ReceivedMessage(reply, isOfConsumer: false)
      guard let json = try? JSONValue(parsing: message.body) else {
        throw .wrongStream(name: stream.name, reason: "an invalid answer to \(subject)")
      }
      return json
    }
  }
#endif
