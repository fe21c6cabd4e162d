// The store of a fleet on NATS JetStream.
//
// A request is a message whose answer arrives at an inbox, so that many requests can be pending at once.
// Lists and watches are consumers of a stream: they deliver the last value of each key, then each change.
// All calls to libnats are made on one worker thread; answers and deliveries are passed to the loop.

import Documents

#if Fleet
  import CNATS
  public import Fleet
  import Glibc
  import Jobs
  import Signals

  /// A ``JobStore`` on a NATS server.
  public final class NATSJobStore: JobStore {
    /// The most pending requests; further ones are answered as if no reply had come.
    public static let mostRequests = 10_000
    /// The most deliveries that wait for the loop. Further ones are dropped; a watch that loses one
    /// starts again.
    private static let mostDeliveries = 50_000
    /// The most removals that are remembered; see ``State/removals``.
    private static let mostRemovals = 10_000
    /// The server's error codes for a sequence that is not the expected one. The second is of newer
    /// servers.
    private static let wrongSequence = [10071, 10164]

    /// The longest time that ``close()`` blocks: for the present call of libnats, and a flush.
    private static let closeLimit = NATSConnection.callLimit * 2
    /// The pause before the contents of the store are checked again.
    private static let checkPause = Duration.seconds(5)
    /// The pause before a failed watch starts again.
    private static let watchPause = Duration.seconds(1)

    /// A request that has not been answered yet.
    private struct PendingRequest: Sendable {
      let request: StoreRequest
      let answer: @Sendable (StoreAnswer) -> Void
      let limit: Duration
      var timer: LoopTimer?
      var next: (@Sendable (ReceivedMessage) -> Void)?
      /// Cancels the watch of a list request.
      var stop: (@Sendable () -> Void)?
    }

    private struct State {
      var nextID: UInt64 = 0
      var pending: [UInt64: PendingRequest] = [:]
      /// The subscriptions and watches that have not been cancelled.
      var active: Set<UInt64> = []
      var deliveries = 0
      /// The revisions of removals, the oldest first. An update that expects one of them must be refused
      /// here: in a bucket a removal is itself a message, so the server would allow it.
      var removals: [Revision] = []
      var isClosed = false
      /// The contents of the store as they were last checked.
      var contents: StreamContents
      /// The greatest sequence that this client knows, by name of a stream.
      var newest: [String: UInt64] = [:]
      /// Whether the contents are those that this client knows. They are checked after the connection
      /// was lost; until then nothing is sent.
      var trust = ContentsTrust()
      /// The number of checks, one after the other, that failed.
      var failedChecks = 0
      /// Whether the server refused to store more, and has not stored anything since.
      var isFull = false
      var watches: [UInt64: Watch] = [:]
      var observers: [UInt64: @Sendable () -> Void] = [:]
      var reconnectionObservers: [UInt64: @Sendable () -> Void] = [:]
    }

    /// The server that this store is on.
    public let server: FleetServer
    private let loop: Loop
    private let layout: StreamLayout
    private let worker: WorkerThread
    private let connection: NATSConnection
    private let news: @Sendable (StoreNews) -> Void
    private let state: Guarded<State>

    init(
      _ connection: NATSConnection, _ server: FleetServer, _ layout: StreamLayout,
      _ contents: StreamContents, _ worker: WorkerThread, on loop: Loop,
      news: @escaping @Sendable (StoreNews) -> Void
    ) {
      self.connection = connection
      self.server = server
      self.layout = layout
      self.worker = worker
      self.loop = loop
      self.news = news
      state = Guarded(State(contents: contents))
    }

    /// Sends the messages of all requests and closes the connection; blocks until that is done, unless a job or a
    /// callback of a loop calls it. Pending requests are never answered.
    public func close() {
      let pending = state.withLock { state in
        state.isClosed = true
        state.active = []
        (state.watches, state.observers, state.reconnectionObservers) = ([:], [:], [:])
        defer { state.pending = [:] }
        return state.pending
      }
      for request in pending.values {
        request.timer?.cancel()
        request.stop?()
      }
      worker.end(within: Self.closeLimit) { [connection] in connection.close() }
    }

    // MARK: Requests

    public func perform(
      _ request: StoreRequest, within limit: Duration,
      _ answer: @escaping @Sendable (StoreAnswer) -> Void
    ) {
      let id = state.withLock { state -> UInt64? in
        guard !state.isClosed, state.pending.count < Self.mostRequests else { return nil }
        state.nextID += 1
        state.pending[state.nextID] = PendingRequest(request: request, answer: answer, limit: limit)
        return state.nextID
      }
      guard let id else { return loop.post { answer(request.withoutReply) } }
      let timer = loop.after(limit) { [weak self] in
        self?.finish(id, request.withoutReply)
        self?.check(after: Self.checkPause)
      }
      state.withLock { $0.pending[id]?.timer = timer }
      begin(request, id)
    }

    /// Answers a request, unless it has already been answered. Called on the loop.
    private func finish(_ id: UInt64, _ answer: StoreAnswer) {
      guard let pending = state.withLock({ $0.pending.removeValue(forKey: id) }) else { return }
      pending.timer?.cancel()
      pending.stop?()
      pending.answer(answer)
    }

    private func begin(_ request: StoreRequest, _ id: UInt64) {
      switch request {
      case .create(let key, let value): create(key, value, id)
      case .update(let key, let value, let expected):
        guard !state.withLock({ $0.removals.contains(expected) }) else {
          return loop.post { [weak self] in self?.finish(id, .refused) }
        }
        write(key, value, after: expected, id)
      case .append(let key, let value, let expected): write(key, value, after: expected, id)
      case .remove(let key, let expected): write(key, nil, after: expected, id)
      case .list(.one(let key)), .last(let key): read(key, id)
      case .list(.all(let kind)): readAll(kind, id)
      case .publish(let key, let value):
        send(NATSMessage(subject: layout.subject(key), body: value.text), id) { _ in }
        worker.post { [weak self] in
          self?.loop.post { [weak self] in self?.finish(id, .published) }
        }
      }
    }

    /// Sends a message of a request. `next` is called with the reply, on the loop.
    private func send(
      _ message: NATSMessage, _ id: UInt64, _ next: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
      state.withLock { $0.pending[id]?.next = next }
      worker.post { [weak self, connection] in
        // A message buffered while the connection is down would take effect long after its deadline.
        let isTrusted = self?.state.withLock { $0.trust.isTrusted } ?? false
        if connection.isConnected, isTrusted, message.send(on: connection.handle.pointer) == NATS_OK
        {
          return
        }
        self?.loop.post { [weak self] in
          guard let self, let request = state.withLock({ $0.pending[id]?.request }) else { return }
          finish(id, request.withoutReply)
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

    /// Handles a message to the inbox. Called on a thread of libnats.
    func received(_ message: ReceivedMessage) {
      // Others may send here, too: what answers no request must not wait for the loop.
      guard let id = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }),
        state.withLock({ $0.pending[id] != nil })
      else { return }
      loop.post { [weak self] in
        self?.state.withLock { $0.pending[id]?.next }?(message)
      }
    }

    // MARK: Changes

    /// Writes a value if the last one has the expected revision; nil marks the key as removed.
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
          remember(revision, of: key)
          self.state.withLock { $0.isFull = false }
          if value == nil { remember(removal: revision) }
          return finish(id, .applied(revision))
        }
        if let code = json?["error"]?["err_code"]?.integer, Self.wrongSequence.contains(code) {
          if let onRefusal { return onRefusal() }
          return finish(id, .refused)
        }
        if reply.status == "503" { check(after: Self.checkPause) }
        report(failed: "writing \(key)", reply, json)
        finish(id, .unknown)
      }
    }

    private func create(_ key: StoreKey, _ value: StoredValue, _ id: UInt64) {
      write(key, value, after: 0, id) { [weak self] in
        // The key may have been removed: then its last message is a removal, which is replaced.
        self?.get(key, id) { [weak self] reply in
          guard let self else { return }
          guard reply.isRemoval, let sequence = reply.sequence else {
            return finish(id, .refused)
          }
          write(key, value, after: sequence, id)
        }
      }
    }

    private func remember(removal revision: Revision) {
      state.withLock { state in
        if state.removals.count >= Self.mostRemovals { state.removals.removeFirst() }
        state.removals.append(revision)
      }
    }

    /// Reports a reply that is neither a success nor a refusal.
    private func report(failed what: String, _ reply: ReceivedMessage, _ json: JSONValue?) {
      if let code = json?["error"]?["err_code"]?.integer, StreamContents.fullCodes.contains(code) {
        let isNew = state.withLock { state in
          defer { state.isFull = true }
          return !state.isFull
        }
        return isNew ? news(.problem(FleetServerError.fullHint)) : ()
      }
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
      guard layout.stream(key.kind) != nil else { return replyWithoutEntries(to: id) }
      get(key, id) { [weak self] reply in
        guard let self else { return }
        switch reply.status {
        case "404": return finish(id, .entries([]))
        case .some: return finish(id, .unavailable)
        case nil: break
        }
        if reply.isRemoval { return finish(id, .entries([])) }
        guard let sequence = reply.sequence else { return finish(id, .unavailable) }
        remember(sequence, of: key)
        let value: StoredValue
        do throws(UnreadableValue) {
          value = try StoredValue(reply.body, at: key)
        } catch {
          return finish(id, .unreadable(error))
        }
        finish(id, .entries([StoreEntry(key: key, value: value, revision: sequence)]))
      }
    }

    /// Answers the read of a key that is only published, never stored, with no entries.
    private func replyWithoutEntries(to id: UInt64) {
      loop.post { [weak self] in self?.finish(id, .entries([])) }
    }

    /// Parses the value of a key; nil for an invalid one, which is reported.
    private func value(of text: String, at key: StoreKey) -> StoredValue? {
      do {
        return try StoredValue(text, at: key)
      } catch {
        news(.problem("\(error)"))
        return nil
      }
    }

    // MARK: The contents

    public var identity: String { state.withLock { $0.contents.identity } }

    public func observeReplacement(
      _ handler: @escaping @Sendable () -> Void
    ) -> StoreSubscription {
      let id = activate()
      state.withLock { $0.observers[id] = handler }
      return StoreSubscription { [state] in
        state.withLock { state in
          state.observers[id] = nil
          _ = state.active.remove(id)
        }
      }
    }

    public func observeReconnection(
      _ handler: @escaping @Sendable () -> Void
    ) -> StoreSubscription {
      let id = activate()
      state.withLock { $0.reconnectionObservers[id] = handler }
      return StoreSubscription { [state] in
        state.withLock { state in
          state.reconnectionObservers[id] = nil
          _ = state.active.remove(id)
        }
      }
    }

    private func remember(_ sequence: UInt64, of key: StoreKey) {
      guard let name = layout.stream(key.kind)?.name else { return }
      state.withLock { $0.newest[name] = max($0.newest[name] ?? 0, sequence) }
    }

    /// Handles the loss of the connection. Called on a thread of libnats.
    func disconnected() { state.withLock { $0.trust.lost() } }

    /// Handles that the connection was made again. Called on a thread of libnats.
    func reconnected() {
      loop.post { [weak self] in self?.check { $0.madeAgain(at: $1) } }
    }

    /// Checks the contents, unless that was done less than `pause` ago. Called on the loop.
    private func check(after pause: Duration) {
      check { $0.begin(after: pause, at: $1) }
    }

    /// Checks the contents if `begin` returns true. Called on the loop.
    private func check(_ begin: (inout ContentsTrust, _ now: Instant) -> Bool) {
      let now = loop.now
      let newest = state.withLock { state -> [String: UInt64]? in
        !state.isClosed && begin(&state.trust, now) ? state.newest : nil
      }
      guard let newest else { return }
      worker.post { [weak self, connection, layout] in
        let found = Result { () throws(FleetServerError) -> StreamContents? in
          connection.isConnected ? try StreamContents.prepared(layout, on: connection) : nil
        }
        self?.loop.post { [weak self] in self?.checked(found, knowing: newest) }
      }
    }

    /// Handles the result of a check; nil if the connection was lost again. Called on the loop.
    ///
    /// - Parameter newest: The sequences that this client knew when the check began.
    private func checked(
      _ result: Result<StreamContents?, FleetServerError>, knowing newest: [String: UInt64]
    ) {
      let next: ContentsTrust.Next
      switch result {
      case .success(nil): next = state.withLock { $0.trust.end(.disconnected) }
      case .failure(let error):
        // The first one fails, too, if the server has not read its streams yet.
        let count: Int
        (count, next) = state.withLock { state in
          state.failedChecks += 1
          return (state.failedChecks, state.trust.end(.failed))
        }
        if count == 2 { news(.problem("\(error)")) }
      case .success(let contents?):
        let (isOld, isRestored): (Bool, Bool)
        (isOld, isRestored, next) = state.withLock { state in
          let isOld = contents.identity == state.contents.identity && contents.hasAll(newest)
          (state.contents, state.failedChecks) = (contents, 0)
          if !isOld { (state.newest, state.removals) = ([:], []) }
          let wasTrusted = state.trust.isTrusted
          let next = state.trust.end(isOld ? .known : .replaced)
          return (isOld, !wasTrusted && state.trust.isTrusted, next)
        }
        if !isOld {
          contentsReplaced()
        } else if isRestored {
          let observers = state.withLock { $0.reconnectionObservers }
          for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer() }
        }
      }
      switch next {
      case .none: break
      case .now: check(after: .zero)
      case .afterPause: loop.after(Self.watchPause) { [weak self] in self?.check(after: .zero) }
      }
    }

    /// Reports that the contents were replaced, and ends all pending requests without a reply. Restarts the watches.
    private func contentsReplaced() {
      let (pending, watches, observers) = state.withLock { state in
        (state.pending, state.watches, state.observers)
      }
      news(.replaced)
      for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer() }
      for (id, request) in pending.sorted(by: { $0.key < $1.key }) {
        finish(id, request.request.withoutReply)
      }
      for watch in watches.values { restart(watch, after: .zero) }
    }

    // MARK: Refusals

    /// Handles that the server refuses something to this user. Called on a thread of libnats.
    func refused(_ violation: PermissionViolation) {
      let isNeeded =
        switch violation.action {
        case .subscribe: true
        case .publish: layout.key(of: violation.subject) != nil || Self.isRead(violation.subject)
        }
      loop.post { [news] in news(isNeeded ? .refused("\(violation)") : .problem("\(violation)")) }
    }

    /// Whether a subject is that of a request without which nothing can be read.
    private static func isRead(_ subject: String) -> Bool {
      ["$JS.API.DIRECT.GET.", "$JS.API.CONSUMER.CREATE."].contains { subject.hasPrefix($0) }
    }

    // MARK: Deliveries

    private func activate() -> UInt64 {
      state.withLock { state in
        state.nextID += 1
        state.active.insert(state.nextID)
        return state.nextID
      }
    }

    private func isActive(_ id: UInt64) -> Bool { state.withLock { $0.active.contains(id) } }

    /// Runs a delivery on the loop.
    ///
    /// - Returns: False when the delivery was dropped because too many wait.
    private func deliver(_ body: @escaping @Sendable () -> Void) -> Bool {
      let hasRoom = state.withLock { state in
        guard state.deliveries < Self.mostDeliveries else { return false }
        state.deliveries += 1
        return true
      }
      guard hasRoom else { return false }
      loop.post { [state] in
        state.withLock { $0.deliveries -= 1 }
        body()
      }
      return true
    }

    // MARK: Subscriptions

    public func subscribe(
      _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
    ) -> StoreSubscription {
      let id = activate()
      let made = Guarded<NATSSubscription?>(nil)
      let subject = layout.subject(pattern)
      worker.post { [weak self, connection, layout] in
        let subscription = NATSSubscription(subject, on: connection) { [weak self] message in
          guard let self, let key = layout.key(of: message.subject), pattern.matches(key),
            !message.isRemoval, let value = value(of: message.body, at: key)
          else { return }
          // A dropped delivery is allowed by the contract of `subscribe`.
          _ = deliver { [weak self] in if self?.isActive(id) == true { handler(key, value) } }
        }
        guard let subscription else {
          self?.news(.problem("the server does not let this user subscribe to \(subject)"))
          return
        }
        made.withLock { $0 = subscription }
      }
      return StoreSubscription { [state, worker] in
        guard state.withLock({ $0.active.remove(id) }) != nil else { return }
        worker.post { made.withLock { $0 }?.end() }
      }
    }

    // MARK: Watches

    public func watch(
      _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
    ) -> StoreSubscription {
      let id = activate()
      let kind: StoreKey.Kind =
        switch pattern {
        case .one(let key): key.kind
        case .all(let kind): kind
        }
      guard let stream = layout.stream(kind) else {
        // Values of this kind are only published, so there is no initial state.
        loop.post { [weak self] in
          if self?.isActive(id) == true { handler(.initialStateEnded) }
        }
        return StoreSubscription { [state] in _ = state.withLock { $0.active.remove(id) } }
      }
      let watch = Watch(id, stream, layout.subject(pattern), handler)
      state.withLock { $0.watches[id] = watch }
      start(watch)
      return StoreSubscription { [state, worker] in
        let isFirst = state.withLock { state in
          state.watches[id] = nil
          return state.active.remove(id) != nil
        }
        guard isFirst else { return }
        worker.post { watch.state.withLock { $0.subscription }?.end() }
      }
    }

    private func start(_ watch: Watch) {
      worker.post { [weak self, connection] in
        guard let self, isActive(watch.id) else { return }
        let (round, earlier) = watch.state.withLock { state in
          state.round += 1
          state.mustRestart = false
          defer { state.subscription = nil }
          return (state.round, state.subscription)
        }
        earlier?.end()
        var reason = ""
        let subscription = NATSSubscription(
          stream: watch.stream.name, filter: watch.filter,
          isComplete: watch.stream.perKey < 0, on: connection, failure: &reason
        ) { [weak self] message in self?.handle(message, round, watch) }
        guard let subscription else { return restart(watch, after: Self.watchPause) }
        watch.state.withLock { $0.subscription = subscription }
        guard !watch.isInitialReported else { return }
        switch subscription.isEmpty {
        case true?: endInitialState(watch)
        case false?: break
        // An empty stream sends no message that would end the initial state: try again.
        case nil:
          loop.after(Self.watchPause) { [weak self] in
            if !watch.isInitialReported { self?.start(watch) }
          }
        }
      }
    }

    private func restart(_ watch: Watch, after pause: Duration) {
      loop.after(pause) { [weak self] in self?.start(watch) }
    }

    /// Handles a message of a watch's consumer. Called on a thread of libnats.
    private func handle(_ message: ReceivedMessage, _ round: Int, _ watch: Watch) {
      let counts = watch.state.withLock { $0.round == round && !$0.mustRestart }
      guard counts, let position = message.position else { return }
      if let event = event(of: message, position.sequence, watch) {
        let isQueued = deliver { [weak self] in
          if self?.isActive(watch.id) == true { watch.handler(event) }
        }
        if !isQueued {
          watch.state.withLock { $0.mustRestart = true }
          return restart(watch, after: Self.watchPause)
        }
      }
      if position.pending == 0 { endInitialState(watch) }
    }

    /// Returns the event of a watch's message; nil for none. A key that is not the fleet's has none, and may be the last
    /// one of the initial state.
    private func event(
      of message: ReceivedMessage, _ sequence: UInt64, _ watch: Watch
    ) -> WatchEvent? {
      guard let key = layout.key(of: message.subject) else { return nil }
      remember(sequence, of: key)
      guard message.isRemoval else {
        return value(of: message.body, at: key).map {
          .entry(StoreEntry(key: key, value: $0, revision: sequence))
        }
      }
      remember(removal: sequence)
      // Removals before the initial state has ended are not reported: the entry never was either.
      return watch.isInitialReported ? .removed(key, sequence) : nil
    }

    private func endInitialState(_ watch: Watch) {
      let isFirst = watch.state.withLock { state in
        defer { state.isInitialReported = true }
        return !state.isInitialReported
      }
      guard isFirst else { return }
      loop.post { [weak self] in
        if self?.isActive(watch.id) == true { watch.handler(.initialStateEnded) }
      }
    }

    // MARK: Lists

    /// Reads all keys of a kind with a watch that is cancelled after the initial state.
    private func readAll(_ kind: StoreKey.Kind, _ id: UInt64) {
      guard layout.stream(kind) != nil else { return replyWithoutEntries(to: id) }
      let found = Guarded<[StoreKey: StoreEntry]>([:])
      let subscription = watch(.all(kind)) { [weak self] event in
        switch event {
        case .entry(let entry): found.withLock { $0[entry.key] = entry }
        case .removed(let key, _): found.withLock { $0[key] = nil }
        case .initialStateEnded:
          let entries = found.withLock { $0.values.sorted { $0.key < $1.key } }
          self?.finish(id, .entries(entries))
        }
      }
      let isWaiting = state.withLock { state in
        state.pending[id]?.stop = { subscription.cancel() }
        return state.pending[id] != nil
      }
      if !isWaiting { subscription.cancel() }
    }
  }

  /// A watch. It gets a new consumer each time it has to start again.
  private final class Watch: Sendable {
    struct State {
      var subscription: NATSSubscription?
      var isInitialReported = false
      /// The number of the current consumer; messages of earlier ones are ignored.
      var round = 0
      var mustRestart = false
    }

    let id: UInt64
    let stream: StreamLayout.Stream
    let filter: String
    let handler: @Sendable (WatchEvent) -> Void
    let state = Guarded(State())

    var isInitialReported: Bool { state.withLock { $0.isInitialReported } }

    init(
      _ id: UInt64, _ stream: StreamLayout.Stream, _ filter: String,
      _ handler: @escaping @Sendable (WatchEvent) -> Void
    ) {
      self.id = id
      self.stream = stream
      self.filter = filter
      self.handler = handler
    }
  }
#endif
