// Connecting to the store of a fleet: it checks the server's version and JetStream, and creates the streams.
//
// Requests to the store are in NATSJobStore.swift.

import Documents

#if Fleet
  import CNATS
  import Fleet
  import Jobs
  public import Signals
#endif

/// Opens the store of a fleet on a NATS server.
public enum FleetStore {
  /// The oldest supported server: the first that reads single keys without a consumer.
  public static let oldestServer = "2.9.0"
  /// The oldest supported server in a cluster. Earlier ones compare revisions before the cluster has
  /// agreed on the change, so that two updates can both succeed.
  public static let oldestInCluster = "2.9.21"

  /// Whether this program was built with the trait `Fleet`, and so with a NATS client.
  public static var isBuilt: Bool {
    #if Fleet
      true
    #else
      false
    #endif
  }
}

/// The reason why the store of a fleet could not be opened.
public enum FleetServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server cannot be reached, or rejects this user.
  case unreachable(server: String, reason: String)
  /// The server is too old. `what` is the use that needs a later version.
  case tooOld(server: String, version: String, needed: String, what: String)
  /// The server has no JetStream, or the user may not use it.
  case withoutJetStream(server: String, reason: String)
  /// The server has JetStream in its configuration, and it does not answer.
  case jetStreamOff(server: String)
  /// A stream of the fleet is missing and cannot be created, or has wrong settings.
  case wrongStream(name: String, reason: String)
  /// This program was built without a NATS client.
  case notBuilt

  /// The usual reasons why JetStream does not answer, and what to do.
  static let offHint =
    "it turns itself off when its disk is full, until nats-server is restarted. Try: free space below its "
    + "'store_dir', then restart it; its log has the reason. Or this user lacks a permission"
  /// The reason and the remedy when the server refuses to store more.
  static let fullHint =
    "the store of the server is full. Try: free space below its 'store_dir', or a greater 'max_file_store', "
    + "and restart nats-server; a fleet needs 256 MB for its events"

  public var description: String {
    switch self {
    case .unreachable(let server, let reason):
      "\(server) cannot be used: \(reason)"
    case .tooOld(let server, let version, let needed, let what):
      "\(server) is nats-server \(version), and \(what) needs \(needed) or later"
    case .withoutJetStream(let server, let reason):
      "\(server) has no JetStream for this user (\(reason)). Try: a block 'jetstream' with "
        + "'store_dir' in the configuration of the server"
    case .jetStreamOff(let server):
      "JetStream of \(server) does not answer: \(Self.offHint)"
    case .wrongStream(let name, let reason):
      "the stream \(name) of the fleet: \(reason)"
    case .notBuilt:
      "this program was built without the trait Fleet. Try: swift build --traits Fleet"
    }
  }
}

#if Fleet
  extension FleetStore {
    /// Connects to the server of a fleet, and creates the missing streams of the fleet.
    ///
    /// - Parameters:
    ///   - loop: The loop on which answers and deliveries arrive.
    ///   - limit: The time after which it throws `TimedOut`.
    ///   - news: Called on the loop with reports that are no answers.
    /// - Throws: ``FleetServerError``, and `TimedOut`.
    public static func connect(
      _ settings: NATSSettings, on loop: Loop, within limit: Duration = .seconds(10),
      news: @escaping @Sendable (StoreNews) -> Void = { _ in }
    ) async throws -> NATSJobStore {
      guard let worker = WorkerThread("fleet store") else {
        throw FleetServerError.unreachable(
          server: settings.address.server, reason: "no thread is left: see ulimit -u"
        )
      }
      return try await wait(
        on: loop, operation: "connecting to \(settings.address.server)", limit: limit + .seconds(1)
      ) { (made: Completion<NATSJobStore>) in
        worker.post {
          do {
            let store = try connected(settings, worker, on: loop, within: limit) { event in
              loop.post { news(event) }
            }
            if !made.succeed(store) { store.close() }
          } catch {
            made.fail(error)
            worker.end {}
          }
        }
      }
    }

    /// Connects, blocking the worker thread.
    private static func connected(
      _ settings: NATSSettings, _ worker: WorkerThread, on loop: Loop, within limit: Duration,
      news: @escaping @Sendable (StoreNews) -> Void
    ) throws(FleetServerError) -> NATSJobStore {
      let address = settings.address
      let introduction = try ServerIntroduction.await(from: address, within: limit / 2)
      try check(introduction, at: address)
      let holder = StoreHolder()
      let events = NATSEvents(
        closed: { news(.closed($0)) }, disconnected: { holder.store?.disconnected() },
        reconnected: { holder.store?.reconnected() }, refused: { holder.store?.refused($0) }
      )
      let connection = try NATSConnection(settings, events: events)
      let layout = StreamLayout(fleet: address.fleet)
      let contents: StreamContents
      do {
        try checkJetStream(connection, address, isConfigured: introduction.hasJetStream)
        contents = try StreamContents.prepared(
          layout, on: connection, within: NATSConnection.openingLimit
        )
      } catch {
        connection.close()
        throw error
      }
      let store = NATSJobStore(
        connection, FleetServer(address: address, version: introduction.version), layout, contents,
        worker, on: loop, news: news
      )
      let inbox = NATSSubscription("\(connection.inbox).*", on: connection) { message in
        holder.store?.received(message)
      }
      guard inbox != nil else {
        connection.close()
        throw .unreachable(server: address.server, reason: "the inbox cannot be subscribed to")
      }
      holder.set(store)
      return store
    }

    private static func check(
      _ introduction: ServerIntroduction, at address: FleetAddress
    ) throws(FleetServerError) {
      let isCluster = introduction.cluster != nil
      let needed = isCluster ? oldestInCluster : oldestServer
      guard introduction.isAtLeast(needed) else {
        throw .tooOld(
          server: address.server, version: introduction.version, needed: needed,
          what: isCluster ? "a fleet on a cluster" : "a fleet"
        )
      }
    }

    private static func checkJetStream(
      _ connection: NATSConnection, _ address: FleetAddress, isConfigured: Bool
    ) throws(FleetServerError) {
      var options = jsOptions()
      jsOptions_Init(&options)
      options.Wait = Int64(NATSConnection.openingLimit / .milliseconds(1))
      var info: UnsafeMutablePointer<jsAccountInfo>?
      let status = js_GetAccountInfo(&info, connection.jetStream.pointer, &options, nil)
      jsAccountInfo_Destroy(info)
      guard status == NATS_OK else {
        if isConfigured, status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS {
          throw .jetStreamOff(server: address.server)
        }
        let reason = NATSConnection.text(of: status)
        throw .withoutJetStream(server: address.server, reason: reason)
      }
    }
  }

  /// A reference to the store for the inbox's callback, which is needed before the store is created.
  private final class StoreHolder: Sendable {
    private struct State { weak var store: NATSJobStore? }

    private let state = Guarded(State())

    var store: NATSJobStore? { state.withLock { $0.store } }

    func set(_ store: NATSJobStore) { state.withLock { $0.store = store } }
  }
#endif
