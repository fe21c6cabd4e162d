// Problems of the host that are the real cause of a failed operation.
//
// bluetoothd reports it from the small to the large: connections drop first, then the adapter is
// off, then it is removed, then bluetoothd itself disappears. An explanation based on the first of
// these would advise to bring the device closer.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  /// The failure that an error means, once it is known what else happened to the host at that time.
  ///
  /// Waits for it only when a connection, a device or an adapter was lost just before, for
  /// ``BlueZLimits/cause`` at most.
  ///
  /// - Source: recorded from bluetoothd 5.66: 5 ms from the loss to `Powered` for an adapter that
  ///   is powered off, 23 ms to its removal when it is unplugged, 35 ms until a bluetoothd that is
  ///   terminated has left the bus.
  func explained(
    _ error: any Error, _ call: ErrorSituation.Call, _ title: String, attribute: String? = nil,
    isWriteAcquiredLocally: Bool = false
  ) async -> any Error {
    func current() -> any Error {
      failure(
        error, call, title, attribute: attribute, isWriteAcquiredLocally: isWriteAcquiredLocally)
    }
    let first = current()
    guard (first as? DeviceFailure)?.mayHaveCause == true, await client.awaitDisruption() else {
      return first
    }
    let last = current()
    // The connection is up again, but the operation failed because it had dropped.
    return (last as? DeviceFailure)?.code == .refused ? first : last
  }

  /// The problem of the host that explains an error better than a failure does.
  func hostProblem(behind failure: any Error, _ error: any Error) -> Cause? {
    guard (failure as? DeviceFailure)?.mayHaveCause == true else { return nil }
    return hostCause(at: (error as? Cause)?.happened ?? client.loop.now)?
      .reported(by: (error as? DBusError).map { ErrorAnswer($0) })
  }

  /// The problem that prevents any connection from this host: bluetoothd or its adapter is missing,
  /// or was when an operation failed.
  private func hostCause(at failure: Instant) -> Cause? {
    if let gone = client.absence { return gone }
    guard let adapter = state.withLock({ $0.adapter }) else { return nil }
    // An adapter that was reset is back at once, without its connections.
    let wasRemoved = client.wasRemoved(adapter, around: failure)
    return client.withTree { tree in
      guard !wasRemoved, let now = tree.adapter(at: adapter) else {
        return .adapterRemoved(adapter.text.split(separator: "/").last.map(String.init) ?? "")
      }
      if now.isPowered { return nil }
      return now.isBlocked ? .adapterBlocked : .adapterOff
    }
  }
}

extension BlueZClient {
  /// Why there is no bluetoothd to call; nil while there is one.
  var absence: Cause? {
    state.withLock { $0.isSynchronized ? nil : $0.gone ?? .daemonLeft }
  }

  /// A connection dropped, or a device or an adapter was removed.
  func noteDisruption() { state.withLock { $0.lastDisruption = bus.loop.now } }

  /// Whether an adapter was removed before or after a failure, within the time in which causes are
  /// looked for.
  fileprivate func wasRemoved(_ adapter: ObjectPath, around failure: Instant) -> Bool {
    guard let last = state.withLock({ $0.removals[adapter] }) else { return false }
    return failure - last <= limits.cause && last - failure <= limits.cause
  }

  /// Waits until the consequences of the last disruption are known.
  ///
  /// - Returns: Whether there was anything to wait for.
  func awaitDisruption() async -> Bool {
    guard let disruption = state.withLock({ $0.lastDisruption }) else { return false }
    let left = disruption + limits.cause - bus.loop.now
    guard left > .zero else { return false }
    do {
      try await until("the state of the host", limit: left) { _ in Void?.none }
    } catch {
      // The time is over, or bluetoothd has disappeared: no more will come.
    }
    return true
  }
}

extension DeviceFailure {
  /// Whether a larger cause is possible: the failure is about a connection, or about an adapter.
  fileprivate var mayHaveCause: Bool {
    let codes: [Code] = [.linkLost, .notConnected, .connectFailed, .adapterOff, .adapterMissing]
    return codes.contains(code)
  }
}

extension Cause {
  /// - Parameter title: `hci0`, or more.
  static func adapterRemoved(_ title: String) -> Cause {
    .unavailable(
      .adapterMissing, "the adapter \(title) was removed",
      hint: "plug it in again; bluetoothctl list shows the adapters there are"
    )
  }
}
