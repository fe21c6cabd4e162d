// The link to one device: which calls are allowed when, and what each message means for it.
//
// A pure value. The shell performs the actions and sets the limits.

/// The state of a link, from our own calls and bluetoothd's signals.
struct LinkState: Equatable, Sendable {
  /// The phases of a link.
  enum Phase: Equatable, Sendable {
    /// No connection, or one that we do not use.
    case idle
    /// Connect was called; the reply or the connection is still missing.
    case connecting
    /// The connection is up; bluetoothd reads the device's services.
    case resolving
    /// The services are resolved.
    case ready
    /// Disconnect was called; the reply or the end of the connection is still missing.
    case disconnecting
  }

  /// The maker of the connection.
  enum Maker: Equatable, Sendable {
    case us
    /// Another program: the connection is used, and left up.
    case another
  }

  /// The ending of the last connection, or of the last attempt.
  enum Ending: Equatable, Sendable {
    /// Connect was answered with an error.
    case refused
    /// The connection dropped.
    case lost
    /// bluetoothd removed the device's object.
    case removed
    /// bluetoothd left the bus, or the bus disappeared.
    case daemonGone
    /// We disconnected it.
    case disconnected
  }

  enum Event: Equatable, Sendable {
    /// A caller needs the connection.
    case connectWanted
    case connectAnswered(success: Bool)
    /// The connection that is up was made by a Pair of this program, in which the last one dropped.
    case madeByPair
    /// The caller of Connect timed out or was cancelled, or cannot use the connection.
    case abandoned
    case disconnectWanted
    /// The connection is left to other processes that use it.
    case leftToOthers
    case disconnectAnswered(success: Bool)
    /// `Connected` has this value.
    case connected(Bool)
    /// `ServicesResolved` has this value.
    case resolved(Bool)
    case removed
    case daemonGone
  }

  enum Action: Equatable, Sendable {
    case nothing
    case callConnect
    case callDisconnect
    /// The connection existed before: use it, and leave it up.
    case adopt
    /// Ask again when the connection is down.
    case waitUntilDown
    /// A connection in use has ended: fail the operations that depend on it.
    case reportLoss(Ending)
  }

  private(set) var phase = Phase.idle
  private(set) var maker: Maker?
  private(set) var ending: Ending?
  /// Whether the link is up, as bluetoothd last reported.
  private(set) var isUp: Bool
  private(set) var isResolved: Bool
  /// The pending Connect of this program was answered with success.
  private var isConnectAnswered = false
  /// The connection was up at some time since Connect was called.
  private var wasUp = false
  private var isDisconnectAnswered = false
  /// The connection has dropped since Disconnect was called, which is still pending.
  private(set) var droppedBeforeReply = false

  /// The initial state of the link.
  init(isUp: Bool = false, isResolved: Bool = false) {
    self.isUp = isUp
    self.isResolved = isResolved
  }

  /// Handles one event.
  ///
  /// - Returns: The action to perform.
  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .connectWanted: connectWanted()
    case .connectAnswered(let success): connectAnswered(success)
    case .madeByPair: madeByPair()
    case .abandoned: abandoned()
    case .disconnectWanted: disconnectWanted()
    case .leftToOthers: leftToOthers()
    case .disconnectAnswered(let success): disconnectAnswered(success)
    case .connected(let isUp): isUp ? cameUp() : wentDown()
    case .resolved(let isResolved): resolved(isResolved)
    case .removed: gone(.removed)
    case .daemonGone: gone(.daemonGone)
    }
  }

  /// The phase of a connection that is up and used.
  private var upPhase: Phase { isResolved ? .ready : .resolving }

  // MARK: Connecting

  private mutating func connectWanted() -> Action {
    switch phase {
    case .idle where isUp:
      maker = .another
      ending = nil
      phase = upPhase
      return .adopt
    case .idle:
      maker = .us
      ending = nil
      isConnectAnswered = false
      wasUp = false
      phase = .connecting
      return .callConnect
    case .connecting, .resolving, .ready:
      return .nothing
    case .disconnecting:
      return .waitUntilDown
    }
  }

  private mutating func connectAnswered(_ success: Bool) -> Action {
    switch phase {
    case .connecting where success:
      isConnectAnswered = true
      if isUp {
        phase = upPhase
      } else if wasUp {
        end(.lost)
      }
      return .nothing
    case .connecting:
      end(.refused)
      return .nothing
    case .idle where success && maker == nil:
      // No caller waits for this Connect any more: its reply arrived after its undo.
      return .callDisconnect
    case .idle, .resolving, .ready, .disconnecting:
      return .nothing
    }
  }

  private mutating func madeByPair() -> Action {
    guard phase == .idle, isUp else { return .nothing }
    maker = .us
    ending = nil
    phase = upPhase
    return .nothing
  }

  private mutating func abandoned() -> Action {
    switch phase {
    case .connecting, .resolving, .ready:
      guard maker == .us else { return .nothing }
      startDisconnecting()
      return .callDisconnect
    case .idle, .disconnecting:
      return .nothing
    }
  }

  // MARK: Disconnecting

  private mutating func disconnectWanted() -> Action {
    switch phase {
    case .idle where !isUp: return .nothing
    case .disconnecting: return .waitUntilDown
    case .idle, .connecting, .resolving, .ready:
      startDisconnecting()
      return .callDisconnect
    }
  }

  private mutating func leftToOthers() -> Action {
    if phase == .resolving || phase == .ready { end(.disconnected) }
    return .nothing
  }

  private mutating func startDisconnecting() {
    phase = .disconnecting
    isDisconnectAnswered = false
    droppedBeforeReply = false
  }

  private mutating func disconnectAnswered(_ success: Bool) -> Action {
    guard phase == .disconnecting else { return .nothing }
    guard success else {
      if isUp { phase = upPhase } else { end(.disconnected) }
      return .nothing
    }
    isDisconnectAnswered = true
    if !isUp { end(.disconnected) }
    return .nothing
  }

  // MARK: Reports of bluetoothd

  private mutating func cameUp() -> Action {
    isUp = true
    droppedBeforeReply = false
    wasUp = true
    if phase == .connecting && isConnectAnswered { phase = upPhase }
    return .nothing
  }

  private mutating func wentDown() -> Action {
    isUp = false
    isResolved = false
    switch phase {
    case .resolving, .ready:
      end(.lost)
      return .reportLoss(.lost)
    case .connecting where isConnectAnswered && wasUp:
      end(.lost)
      return .nothing
    case .disconnecting where isDisconnectAnswered:
      end(.disconnected)
      return .reportLoss(.disconnected)
    case .idle:
      // A connection that was used without being requested here, such as one of another program.
      return .reportLoss(.lost)
    case .connecting:
      return .nothing
    case .disconnecting:
      droppedBeforeReply = true
      return .reportLoss(.disconnected)
    }
  }

  private mutating func resolved(_ value: Bool) -> Action {
    isResolved = value
    switch phase {
    case .resolving where value: phase = .ready
    case .ready where !value: phase = .resolving
    case .idle, .connecting, .resolving, .ready, .disconnecting: break
    }
    return .nothing
  }

  private mutating func gone(_ how: Ending) -> Action {
    isUp = false
    isResolved = false
    end(how)
    return .reportLoss(how)
  }

  private mutating func end(_ how: Ending) {
    phase = .idle
    maker = nil
    ending = how
  }
}
