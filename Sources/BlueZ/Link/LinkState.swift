// The link to one device: what may be called when, and what a message means for it.
//
// A pure value. The shell performs the actions; how long things may take is its business.

/// The state of a link, as our own calls and bluetoothd's signals make it.
struct LinkState: Equatable, Sendable {
  /// How far the link is.
  enum Phase: Equatable, Sendable {
    /// No link, or one that is no concern of ours.
    case idle
    /// Connect was called, and has not been answered or the link not been seen to be up.
    case connecting
    /// The link is up; bluetoothd reads the device's services.
    case resolving
    /// The services are resolved.
    case ready
    /// Disconnect was called, and has not been answered or the link not been seen to be down.
    case disconnecting
  }

  /// Who made the link.
  enum Maker: Equatable, Sendable {
    case us
    /// It was up before: it is used, and left up.
    case somebodyElse
  }

  /// How the last link, or the last attempt, ended.
  enum Ending: Equatable, Sendable {
    /// Connect was answered with an error.
    case refused
    /// The link fell.
    case lost
    /// bluetoothd removed the device's object.
    case removed
    /// bluetoothd left the bus, or the bus went away.
    case daemonGone
    /// We disconnected it.
    case disconnected
  }

  enum Event: Equatable, Sendable {
    /// Somebody wants the link.
    case connectWanted
    case connectAnswered(success: Bool)
    /// Whoever had Connect called has left, or cannot use the link.
    case abandoned
    case disconnectWanted
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
    /// The link was up before: use it, and leave it up.
    case adopt
    /// Ask again when the link is down.
    case waitUntilDown
    /// The link that was in use has ended: what depends on it fails.
    case reportLoss(Ending)
  }

  private(set) var phase = Phase.idle
  private(set) var maker: Maker?
  private(set) var ending: Ending?
  /// What bluetoothd last said.
  private(set) var isUp: Bool
  private(set) var isResolved: Bool
  /// The Connect of ours that is under way was answered with success.
  private var isConnectAnswered = false
  /// The link was seen to be up since Connect was called.
  private var wasUp = false
  private var isDisconnectAnswered = false
  /// The link has fallen since Disconnect was called, which has not been answered.
  private(set) var fellUnanswered = false

  /// The link as it is found.
  init(isUp: Bool = false, isResolved: Bool = false) {
    self.isUp = isUp
    self.isResolved = isResolved
  }

  /// Takes in one event.
  ///
  /// - Returns: What to do about it.
  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .connectWanted: connectWanted()
    case .connectAnswered(let success): connectAnswered(success)
    case .abandoned: abandoned()
    case .disconnectWanted: disconnectWanted()
    case .disconnectAnswered(let success): disconnectAnswered(success)
    case .connected(let isUp): isUp ? cameUp() : wentDown()
    case .resolved(let isResolved): resolved(isResolved)
    case .removed: gone(.removed)
    case .daemonGone: gone(.daemonGone)
    }
  }

  // MARK: Connecting

  private mutating func connectWanted() -> Action {
    switch phase {
    case .idle where isUp:
      maker = .somebodyElse
      ending = nil
      phase = isResolved ? .ready : .resolving
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
        phase = isResolved ? .ready : .resolving
      } else if wasUp {
        end(.lost)
      }
      return .nothing
    case .connecting:
      end(.refused)
      return .nothing
    case .idle where success && maker == nil:
      // Nobody waits for it any more: it came after its undo.
      return .callDisconnect
    case .idle, .resolving, .ready, .disconnecting:
      return .nothing
    }
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

  private mutating func startDisconnecting() {
    phase = .disconnecting
    isDisconnectAnswered = false
    fellUnanswered = false
  }

  private mutating func disconnectAnswered(_ success: Bool) -> Action {
    guard phase == .disconnecting else { return .nothing }
    guard success else {
      if isUp { phase = isResolved ? .ready : .resolving } else { end(.disconnected) }
      return .nothing
    }
    isDisconnectAnswered = true
    if !isUp { end(.disconnected) }
    return .nothing
  }

  // MARK: What bluetoothd says

  private mutating func cameUp() -> Action {
    isUp = true
    fellUnanswered = false
    wasUp = true
    if phase == .connecting && isConnectAnswered { phase = isResolved ? .ready : .resolving }
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
      // A link that was used without being wanted here, such as one of another program.
      return .reportLoss(.lost)
    case .connecting:
      return .nothing
    case .disconnecting:
      fellUnanswered = true
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
