// The state of a link, event by event.

import Testing

@testable import BlueZ

@Suite("Link state")
struct LinkStateTests {
  /// Takes the events in, and gives the state and every action but `nothing`.
  func run(
    _ events: [LinkState.Event], from start: LinkState = LinkState()
  ) -> (state: LinkState, actions: [LinkState.Action]) {
    var state = start
    let actions = events.map { state.handle($0) }.filter { $0 != .nothing }
    return (state, actions)
  }

  static let connected: [LinkState.Event] = [
    .connectWanted, .connected(true), .connectAnswered(success: true), .resolved(true),
  ]

  @Test("the link is ready after Connect, its reply, the connection and the resolved services")
  func connects() {
    let (state, actions) = run(Self.connected)
    #expect(state.phase == .ready)
    #expect(state.maker == .us)
    #expect(actions == [.callConnect])
  }

  @Test(
    "the reply, the connection and the services may arrive in any order",
    arguments: [
      [.connected(true), .resolved(true), .connectAnswered(success: true)],
      [.connectAnswered(success: true), .connected(true), .resolved(true)],
      [.connected(true), .connectAnswered(success: true), .resolved(true)],
    ] as [[LinkState.Event]]
  )
  func anyOrder(events: [LinkState.Event]) {
    for count in events.indices {
      #expect(run([.connectWanted] + events.prefix(count)).state.phase != .ready)
    }
    #expect(run([.connectWanted] + events).state.phase == .ready)
  }

  @Test("an existing connection is adopted without Connect and is not ours")
  func adopts() {
    let (ready, actions) = run([.connectWanted], from: LinkState(isUp: true, isResolved: true))
    #expect(actions == [.adopt])
    #expect(ready.phase == .ready)
    #expect(ready.maker == .another)
    let (resolving, _) = run([.connectWanted], from: LinkState(isUp: true))
    #expect(resolving.phase == .resolving)
  }

  @Test("a caller joins a connection attempt in progress")
  func joins() {
    let (state, actions) = run([.connectWanted, .connectWanted])
    #expect(actions == [.callConnect])
    #expect(state.phase == .connecting)
  }

  @Test("a refused Connect needs no undo")
  func refused() {
    let (state, actions) = run([
      .connectWanted, .connectAnswered(success: false), .abandoned,
    ])
    #expect(state.phase == .idle)
    #expect(state.ending == .refused)
    #expect(actions == [.callConnect])
  }

  @Test("a connection that drops before Connect succeeds is lost")
  func lostBeforeAnswer() {
    let (state, _) = run([
      .connectWanted, .connected(true), .connected(false), .connectAnswered(success: true),
    ])
    #expect(state.phase == .idle)
    #expect(state.ending == .lost)
  }

  @Test(
    "a dropped connection or a removed object ends everything that depends on it",
    arguments: [
      (LinkState.Event.connected(false), LinkState.Ending.lost), (.removed, .removed),
      (.daemonGone, .daemonGone),
    ]
  )
  func ends(event: LinkState.Event, ending: LinkState.Ending) {
    let (state, actions) = run(Self.connected + [event])
    #expect(state.phase == .idle)
    #expect(state.ending == ending)
    #expect(state.maker == nil)
    #expect(actions == [.callConnect, .reportLoss(ending)])
    let (resolving, _) = run(Array(Self.connected.dropLast()) + [event])
    #expect(resolving.ending == ending)
  }

  @Test("removing the object ends an attempt whose Connect is never answered")
  func removedWhileConnecting() {
    let (state, _) = run([.connectWanted, .removed])
    #expect(state.phase == .idle)
    #expect(state.ending == .removed)
  }

  @Test("an abandoned attempt is disconnected, even before Connect is answered")
  func abandoned() {
    let (state, actions) = run([.connectWanted, .abandoned])
    #expect(state.phase == .disconnecting)
    #expect(actions == [.callConnect, .callDisconnect])
  }

  @Test("an adopted connection that is no longer needed stays up")
  func abandonedAdopted() {
    let (state, actions) = run([.connectWanted, .abandoned], from: LinkState(isUp: true))
    #expect(state.phase == .resolving)
    #expect(actions == [.adopt])
  }

  @Test(
    "the undo ends after both the reply to Disconnect and the drop, in either order",
    arguments: [
      [.disconnectAnswered(success: true), .connected(false)],
      [.connected(false), .disconnectAnswered(success: true)],
    ] as [[LinkState.Event]]
  )
  func disconnects(events: [LinkState.Event]) {
    let before = Self.connected + [.disconnectWanted]
    #expect(run(before + events.prefix(1)).state.phase == .disconnecting)
    let (state, _) = run(before + events)
    #expect(state.phase == .idle)
    #expect(state.ending == .disconnected)
  }

  @Test("a Connect that succeeds after its undo was answered is undone again")
  func lateSuccess() {
    let (state, actions) = run([
      .connectWanted, .abandoned, .disconnectAnswered(success: true),
      .connectAnswered(success: true),
    ])
    #expect(state.phase == .idle)
    #expect(actions == [.callConnect, .callDisconnect, .callDisconnect])
  }

  @Test("a Connect that fails late needs no undo")
  func lateFailure() {
    let (_, actions) = run([
      .connectWanted, .abandoned, .connectAnswered(success: false),
      .disconnectAnswered(success: true),
    ])
    #expect(actions == [.callConnect, .callDisconnect])
  }

  @Test("a caller waits until a connection that is ending is down")
  func wantedWhileDisconnecting() {
    let (state, actions) = run(Self.connected + [.disconnectWanted, .connectWanted])
    #expect(state.phase == .disconnecting)
    #expect(actions == [.callConnect, .callDisconnect, .waitUntilDown])
  }

  @Test("disconnecting without a connection sends nothing")
  func disconnectIdle() {
    #expect(run([.disconnectWanted]).actions.isEmpty)
  }

  @Test("a connection that Pair made is ours")
  func madeByPair() {
    let (state, actions) = run(
      Self.connected + [.connected(false), .connected(true), .madeByPair, .abandoned]
    )
    #expect(state.phase == .disconnecting)
    #expect(actions == [.callConnect, .reportLoss(.lost), .callDisconnect])
    #expect(run([.madeByPair]).state.phase == .idle)
  }

  @Test("an explicit disconnect also ends another program's connection")
  func disconnectOthers() {
    let (_, actions) = run([.disconnectWanted], from: LinkState(isUp: true))
    #expect(actions == [.callDisconnect])
  }

  @Test("after a refused Disconnect, the state follows the state that bluetoothd reports")
  func disconnectRefused() {
    let (up, _) = run(Self.connected + [.disconnectWanted, .disconnectAnswered(success: false)])
    #expect(up.phase == .ready)
    let (down, _) = run(
      Self.connected + [
        .disconnectWanted, .connected(false), .disconnectAnswered(success: false),
      ]
    )
    #expect(down.phase == .idle)
  }
}
