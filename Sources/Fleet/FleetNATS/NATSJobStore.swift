// The store of a fleet on NATS JetStream.
//
// Requests are messages whose answers come to an inbox, so that many are under way at once. All calls
// of libnats are made on one worker thread; answers and deliveries hop to the loop. What watches and
// lists read comes from consumers: see NATSJobStore+Reading.swift.

import Documents

#if Fleet
  import CNATS
  public import Fleet
  import Glibc
  import Jobs
  import Signals

  /// A ``JobStore`` on a NATS server.
  public final class NATSJobStore: JobStore {
    /// How many requests may be under way; further ones are answered as if nobody had replied.
    public static let mostRequests = 10_000
    /// How many deliveries may wait for the loop; further ones are lost, and watches begin again.
    static let mostDeliveries = 50_000
    /// How many removals are remembered; see ``State/removals``.
    private static let mostRemovals = 10_000
    /// The codes for a sequence that is not the expected one; the second is of newer servers.
    private static let wrongSequence = [10071, 10164]

    /// A request that has no answer yet.
    struct Waiting: Sendable {
      let request: StoreRequest
      let answer: @Sendable (StoreAnswer) -> Void
      let limit: Duration
      var timer: LoopTimer?
      var next: (@Sendable (ReceivedMessage) -> Void)?
      /// Ends what reads for it.
      var stop: (@Sendable () -> Void)?
    }

    struct State {
      var nextID: UInt64 = 0
      var waiting: [UInt64: Waiting] = [:]
      /// The subscriptions and watches that nobody has cancelled.
      var active: Set<UInt64> = []
      var deliveries = 0
      /// The revisions of removals, the oldest first. A bucket marks a removed key with a message,
      /// so the server would let an update replace it.
      var removals: [Revision] = []
      var isClosed = false
    }

    /// What is known of the server.
    public let server: FleetServer
    let loop: Loop
    let layout: StreamLayout
    let worker: WorkerThread
    let connection: NATSConnection
    let news: @Sendable (StoreNews) -> Void
    let state: Guarded<State>

    init(
      _ connection: NATSConnection, _ server: FleetServer, _ layout: StreamLayout,
      _ worker: WorkerThread, on loop: Loop, state: Guarded<State>,
      news: @escaping @Sendable (StoreNews) -> Void
    ) {
      self.connection = connection
      self.server = server
      self.layout = layout
      self.worker = worker
      self.loop = loop
      self.state = state
      self.news = news
    }

    /// Sends what is under way and ends the connection. Requests that were not answered never are.
    public func close() {
      let waiting = state.withLock { state in
        state.isClosed = true
        state.active = []
        defer { state.waiting = [:] }
        return state.waiting
      }
      for request in waiting.values {
        request.timer?.cancel()
        request.stop?()
      }
      worker.end { [connection] in connection.close() }
    }

    // MARK: Requests

    public func perform(
      _ request: StoreRequest, within limit: Duration,
      _ answer: @escaping @Sendable (StoreAnswer) -> Void
    ) {
      let id = state.withLock { state -> UInt64? in
        guard !state.isClosed, state.waiting.count < Self.mostRequests else { return nil }
        state.nextID += 1
        state.waiting[state.nextID] = Waiting(request: request, answer: answer, limit: limit)
        return state.nextID
      }
      guard let id else { return loop.post { answer(request.withoutReply) } }
      let timer = loop.after(limit) { [weak self] in self?.give(id, request.withoutReply) }
      state.withLock { $0.waiting[id]?.timer = timer }
      begin(request, id)
    }

    /// Gives the answer of a request, once. Called on the loop.
    func give(_ id: UInt64, _ answer: StoreAnswer) {
      guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
      waiting.timer?.cancel()
      waiting.stop?()
      waiting.answer(answer)
    }

    private func begin(_ request: StoreRequest, _ id: UInt64) {
      switch request {
      case .create(let key, let value): create(key, value, id)
      case .update(let key, let value, let expected):
        guard !state.withLock({ $0.removals.contains(expected) }) else {
          return loop.post { [weak self] in self?.give(id, .refused) }
        }
        write(key, value, after: expected, id)
      case .append(let key, let value, let expected): write(key, value, after: expected, id)
      case .remove(let key, let expected): write(key, nil, after: expected, id)
      case .list(.one(let key)), .last(let key): read(key, id)
      case .list(.all(let kind)): readAll(kind, id)
      case .publish(let key, let value):
        send(NATSMessage(subject: layout.subject(key), body: value.text), id) { _ in }
        worker.post { [weak self] in
          self?.loop.post { [weak self] in self?.give(id, .published) }
        }
      }
    }

    /// Sends a message of a request. `next` receives the answer to it, on the loop.
    private func send(
      _ message: NATSMessage, _ id: UInt64, _ next: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      state.withLock { $0.waiting[id]?.next = next }
      worker.post { [weak self, connection] in
        // What is sent while the connection is down would take effect long after its deadline.
        if connection.isConnected, message.send(on: connection.handle.pointer) == NATS_OK { return }
        self?.loop.post { [weak self] in
          guard let self, let request = state.withLock({ $0.waiting[id]?.request }) else { return }
          give(id, request.withoutReply)
        }
      }
    }

    private func ask(
      _ message: NATSMessage, _ id: UInt64, _ next: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      var message = message
      message.reply = "\(connection.inbox).\(id)"
      send(message, id, next)
    }

    /// An answer has come to the inbox. Called on a thread of libnats.
    func received(_ message: ReceivedMessage) {
      guard let id = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else {
        return
      }
      loop.post { [weak self] in
        self?.state.withLock { $0.waiting[id]?.next }?(message)
      }
    }

    // MARK: Changes

    /// Writes a value behind the expected one; nil marks the key as removed.
    private func write(
      _ key: StoreKey, _ value: StoredValue?, after expected: Revision, _ id: UInt64,
      onRefusal: (@Sendable () -> Void)? = nil
    ) {
      var message = NATSMessage(subject: layout.subject(key), body: value?.text ?? "")
      message.headers = [("Nats-Expected-Last-Subject-Sequence", "\(expected)")]
      if value == nil { message.headers.append(("KV-Operation", "DEL")) }
      ask(message, id) { [weak self] reply in
        guard let self else { return }
        let json = try? JSONValue(parsing: reply.body)
        if let sequence = json?["seq"]?.integer, json?["error"] == nil {
          let revision = Revision(sequence)
          if value == nil { remember(removal: revision) }
          return give(id, .applied(revision))
        }
        if let code = json?["error"]?["err_code"]?.integer, Self.wrongSequence.contains(code) {
          if let onRefusal { return onRefusal() }
          return give(id, .refused)
        }
        report(failed: "writing \(key)", reply, json)
        give(id, .unknown)
      }
    }

    private func create(_ key: StoreKey, _ value: StoredValue, _ id: UInt64) {
      write(key, value, after: 0, id) { [weak self] in
        // A removed entry leaves a message, which is replaced.
        self?.get(key, id) { [weak self] reply in
          guard let self else { return }
          guard reply.isRemoval, let sequence = reply.sequence else { return give(id, .refused) }
          write(key, value, after: sequence, id)
        }
      }
    }

    func remember(removal revision: Revision) {
      state.withLock { state in
        if state.removals.count >= Self.mostRemovals { state.removals.removeFirst() }
        state.removals.append(revision)
      }
    }

    /// Reports an answer that is neither a success nor a refusal.
    private func report(failed what: String, _ reply: ReceivedMessage, _ json: JSONValue?) {
      let reason =
        reply.status == "503"
        ? "no stream answers" : json?["error"]?["description"]?.string ?? "an invalid answer"
      news(.problem("\(what) failed: \(reason)"))
    }

    // MARK: Reads

    private func get(
      _ key: StoreKey, _ id: UInt64, _ next: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      guard let stream = layout.stream(key.kind) else { return }
      let subject = "$JS.API.DIRECT.GET.\(stream.name).\(layout.subject(key))"
      ask(NATSMessage(subject: subject), id, next)
    }

    private func read(_ key: StoreKey, _ id: UInt64) {
      guard layout.stream(key.kind) != nil else { return give(unstored: id) }
      get(key, id) { [weak self] reply in
        guard let self else { return }
        switch reply.status {
        case "404": return give(id, .entries([]))
        case .some: return give(id, .unavailable)
        case nil: break
        }
        if reply.isRemoval { return give(id, .entries([])) }
        guard let sequence = reply.sequence, let value = value(of: reply.body, at: key) else {
          return give(id, .unavailable)
        }
        give(id, .entries([StoreEntry(key: key, value: value, revision: sequence)]))
      }
    }

    /// What is only published is not stored: there is nothing to read.
    func give(unstored id: UInt64) {
      loop.post { [weak self] in self?.give(id, .entries([])) }
    }

    /// The value of a key; nil for an invalid one, which is reported.
    func value(of text: String, at key: StoreKey) -> StoredValue? {
      do {
        return try StoredValue(text, at: key)
      } catch {
        news(.problem("\(error)"))
        return nil
      }
    }
  }
#endif
