// The store on NATS keeps the contract, on a server that the test starts, and survives its restart.

#if Fleet
  import Bluetooth
  import Fixtures
  import Fleet
  import FleetNATS
  import Foundation
  import Signals
  import Testing

  @Suite(
    "The store on NATS",
    .blocking,
    .needsNATSServer
  )
  struct NATSStoreTests {
    private static let limit = Duration.seconds(60)

    private let server: NATSServer
    private let loop = EventLoop()
    private let fleet = "t\(ProcessInfo.processInfo.globallyUniqueString.prefix(8))"

    init() throws { server = try NATSServer() }

    private func connect(
      _ server: NATSServer, user: String? = nil, within limit: Duration = Self.limit
    ) throws -> NATSJobStore {
      let address = try FleetAddress(parsing: server.address(of: fleet, user: user))
      return try loop.run { [loop] in
        try await FleetStore.connect(
          NATSSettings(address, client: "test"), on: loop, within: limit
        )
      }
    }

    /// Two clients of one fleet, and a wait with a deadline in real time.
    private func tested(
      _ body: (StoreUnderTest<NATSJobStore, NATSJobStore>) throws -> Void
    ) throws {
      let (first, second) = (try connect(server), try connect(server))
      defer {
        first.close()
        second.close()
      }
      let store = StoreUnderTest(first: first, second: second) { [loop] reached in
        let hasPassed = Guarded(false)
        let timer = loop.after(Self.limit) { hasPassed.withLock { $0 = true } }
        defer { timer.cancel() }
        // Events from other threads wake the loop; an occasional poll covers a missed wake-up.
        let looks = Guarded<[LoopTimer]>([])
        @Sendable func look() {
          let timer = loop.after(.milliseconds(20)) { look() }
          looks.withLock { $0 = [timer] }
        }
        look()
        defer { for timer in looks.withLock({ $0 }) { timer.cancel() } }
        try loop.drive { reached() || hasPassed.withLock { $0 } }
        #expect(reached(), "nothing came within \(Self.limit)")
      }
      try body(store)
    }

    @Test("an update succeeds only with the expected revision")
    func compareAndSet() throws { try tested { try StoreContract.compareAndSet($0) } }

    @Test("a record is appended only once after the expected last record of a subject")
    func append() throws { try tested { try StoreContract.append($0) } }

    @Test("a list returns the entries that match a pattern, by key")
    func list() throws { try tested { try StoreContract.list($0) } }

    @Test("a watch reports the existing entries, the end of these, and every change")
    func watch() throws { try tested { try StoreContract.watch($0) } }

    @Test("subscribers receive published messages and appended records")
    func publish() throws { try tested { try StoreContract.publish($0) } }

    @Test("an empty fleet lists nothing, and a watch of it starts with the end marker")
    func empty() throws {
      try tested { store in
        #expect(try store.ask(.list(.all(.device))) == .entries([]))
        let events = Guarded<[WatchEvent]>([])
        let watch = store.second.watch(.all(.job)) { event in events.withLock { $0.append(event) } }
        try store.wait { events.withLock { !$0.isEmpty } }
        #expect(events.withLock { $0 } == [.initialStateEnded])
        watch.cancel()
      }
    }

    @Test("a key that is not the fleet's is left out of lists and watches, also as the last one")
    func foreignKey() throws {
      try tested { store in
        let first = try store.revision(.create(Self.key, Self.value("a")))
        let subject = "$KV.blerun_devices_\(fleet).device.a=b"
        #expect(try server.publishing(subject, as: "u", password: "p") == "")
        let found = StoreEntry(key: Self.key, value: Self.value("a"), revision: first)
        #expect(try store.ask(.list(.all(.device))) == .entries([found]))
        let events = Guarded<[WatchEvent]>([])
        let watch = store.second.watch(.all(.device)) { one in events.withLock { $0.append(one) } }
        try store.wait { events.withLock { $0.count } == 2 }
        #expect(events.withLock { $0 } == [.entry(found), .initialStateEnded])
        watch.cancel()
      }
    }

    @Test("each of many concurrent requests is answered exactly once")
    func many() throws {
      try tested { store in
        let answers = Guarded<[StoreAnswer]>([])
        for number in 0..<2000 {
          let text = "\(number)"
          store.first.perform(.create(.chain(of: text), .chain(text)), within: Self.limit) {
            answer in
            answers.withLock { $0.append(answer) }
          }
        }
        try store.wait { answers.withLock { $0.count } == 2000 }
        let isApplied = answers.withLock { answers in
          answers.allSatisfy { if case .applied = $0 { true } else { false } }
        }
        #expect(isApplied)
        guard case .entries(let entries) = try store.ask(.list(.all(.chain)), within: Self.limit)
        else {
          Issue.record("the chains are listed")
          return
        }
        #expect(entries.count == 2000)
      }
    }

    // MARK: A server that fails

    private static let key = StoreKey.device(BluetoothAddress(number: 7))

    private static func value(_ text: String) -> StoredValue {
      .device(DeviceEntry(queue: JobID(text).map { [QueuedJob($0)] } ?? []))
    }

    /// Waits until requests are answered. They fail at once until the client has connected again.
    private func reconnected(_ store: StoreUnderTest<NATSJobStore, NATSJobStore>) throws {
      var tries = 0
      while tries < 300, try store.ask(.list(.one(Self.key))) == .unavailable {
        tries += 1
        try loop.run { [loop] in try await loop.sleep(for: .milliseconds(200)) }
      }
    }

    @Test("a killed server loses no acknowledged change, and a watch continues after its restart")
    func restart() throws {
      try tested { store in
        let events = Guarded<[WatchEvent]>([])
        let watch = store.second.watch(.all(.device)) { one in events.withLock { $0.append(one) } }
        let made = Guarded(0)
        let observer = store.first.observeReconnection { made.withLock { $0 += 1 } }
        defer { observer.cancel() }
        let first = try store.revision(.create(Self.key, Self.value("a")))
        try store.wait { events.withLock { $0.count } == 2 }
        #expect(made.withLock { $0 } == 0)
        server.kill()
        let lost = try store.ask(.update(Self.key, Self.value("b"), expecting: first))
        #expect(lost == .unknown)
        #expect(try store.ask(.list(.one(Self.key))) == .unavailable)
        try server.restart()
        try reconnected(store)
        try store.wait { made.withLock { $0 } > 0 }
        let found = StoreEntry(key: Self.key, value: Self.value("a"), revision: first)
        #expect(try store.ask(.list(.one(Self.key)), within: Self.limit) == .entries([found]))
        let update = StoreRequest.update(Self.key, Self.value("c"), expecting: first)
        guard case .applied(let second) = try store.ask(update, within: Self.limit) else {
          Issue.record("the update is made")
          return
        }
        let changed = StoreEntry(key: Self.key, value: Self.value("c"), revision: second)
        try store.wait { events.withLock { $0.last } == .entry(changed) }
        watch.cancel()
      }
    }

    @Test("clients meet a server whose folder was emptied, and continue there")
    func replacement() throws {
      try tested { store in
        try StoreContract.replacement(store) {
          server.kill()
          try server.emptyStore()
          try server.restart()
        }
      }
    }

    @Test("clients meet a store that was replaced by an older copy of itself")
    func olderCopy() throws {
      try tested { store in
        let first = try store.revision(.create(Self.key, Self.value("a")))
        server.kill()
        let copy = try server.copyStore()
        try server.restart()
        try reconnected(store)
        let second = try store.revision(.update(Self.key, Self.value("b"), expecting: first))
        let met = Guarded(false)
        let observer = store.first.observeReplacement { met.withLock { $0 = true } }
        defer { observer.cancel() }
        server.kill()
        try server.putStore(copy)
        try server.restart()
        try store.wait { met.withLock { $0 } }
        let old = StoreEntry(key: Self.key, value: Self.value("a"), revision: first)
        #expect(try store.ask(.list(.one(Self.key))) == .entries([old]))
        #expect(second > first)
      }
    }

    @Test("a refusal by the server is reported with the permission that is missing")
    func refusedByServer() throws {
      let server = try NATSServer(
        """
        jetstream { store_dir: "store" }
        authorization { users: [
          { user: u, password: p }
          { user: v, password: p, permissions: { publish: { deny: "$KV.>" } } }
        ] }
        """
      )
      try connect(server, user: "u:p").close()
      let reports = Guarded<[StoreNews]>([])
      let address = try FleetAddress(parsing: server.address(of: fleet, user: "v:p"))
      let store = try loop.run { [loop] in
        try await FleetStore.connect(NATSSettings(address, client: "test"), on: loop) { news in
          reports.withLock { $0.append(news) }
        }
      }
      defer { store.close() }
      let isOver = Guarded(false)
      store.perform(.create(Self.key, Self.value("a")), within: Self.limit) { _ in
        isOver.withLock { $0 = true }
      }
      try loop.drive { reports.withLock { !$0.isEmpty } || isOver.withLock { $0 } }
      let subject = "$KV.blerun_devices_\(fleet).device.000000000007"
      #expect(
        reports.withLock { $0 }
          == [.refused("the server does not let this user publish to \(subject)")]
      )
    }

    @Test("if the server does not answer, the outcome of a change is unknown after its limit")
    func paused() throws {
      try tested { store in
        let first = try store.revision(.create(Self.key, Self.value("a")))
        server.pause()
        let begun = loop.now
        let update = StoreRequest.update(Self.key, Self.value("b"), expecting: first)
        #expect(try store.ask(update, within: .seconds(1)) == .unknown)
        #expect(try store.ask(.last(Self.key), within: .seconds(1)) == .unavailable)
        #expect(loop.now - begun < .seconds(50))
        server.resume()
      }
    }

    @Test("listing an empty store ends even if the server does not answer whether entries exist")
    func unansweredInfo() throws {
      func settings(_ permissions: String) -> String {
        """
        jetstream { store_dir: "store" }
        authorization { users: [{ user: u, password: p, permissions: { \(permissions) } }] }
        """
      }
      let server = try NATSServer(settings("publish: { deny: \"$JS.API.CONSUMER.INFO.>\" }"))
      let store = try connect(server, user: "u:p")
      defer { store.close() }
      let answer = Guarded<StoreAnswer?>(nil)
      store.perform(.list(.all(.device)), within: Self.limit) { one in
        answer.withLock { $0 = one }
      }
      try server.waitForLog("Publish Violation")
      try server.reload(settings("publish: \">\""))
      try loop.drive { answer.withLock { $0 } != nil }
      #expect(answer.withLock { $0 } == .entries([]))
    }

    @Test("members that connect to a new server at the same moment share its streams")
    func sameMoment() throws {
      for number in 1...5 { try sameMoment(fleet: "\(fleet)-\(number)") }
    }

    private func sameMoment(fleet: String) throws {
      let address = try FleetAddress(parsing: server.address(of: fleet))
      let stores = try loop.run { [loop] in
        let tasks = (0..<6).map { _ in
          loop.task {
            try await FleetStore.connect(
              NATSSettings(address, client: "test"), on: loop, within: Self.limit
            )
          }
        }
        var stores: [NATSJobStore] = []
        for task in tasks { stores.append(try await task.value) }
        return stores
      }
      #expect(Set(stores.map(\.identity)).count == 1)
      for store in stores { store.close() }
    }

    @Test("an unsuitable server is reported before anything is done")
    func unfit() throws {
      let bare = try NATSServer("")
      let address = try FleetAddress(parsing: bare.address(of: fleet))
      let error = #expect(throws: FleetServerError.self) { try connect(bare) }
      #expect(error?.description.contains("has no JetStream for this user") == true)
      bare.kill()
      let gone = #expect(throws: FleetServerError.self) {
        try connect(bare, within: .seconds(6))
      }
      #expect(
        gone == .unreachable(server: address.server, reason: "Connection refused"),
        "\(gone.map { "\($0)" } ?? "")"
      )
    }
  }
#endif
