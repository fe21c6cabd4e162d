// What befell the host, where that is why an operation failed.
//
// bluetoothd tells of it from the small to the large: links fall first, then the adapter is off,
// then it is gone, then bluetoothd itself. Who asks at the first of these would be told to bring
// the device closer.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZDeviceService {
  /// The failure that an error means, once it is known what else befell the host at that time.
  ///
  /// Waits for it only when a link, a device or an adapter went just before, for
  /// ``BlueZLimits/cause`` at most.
  ///
  /// - Source: recorded from bluetoothd 5.66: 5 ms from the loss to `Powered` for an adapter that
  ///   is switched off, 23 ms to its removal when it is pulled out, 35 ms until a bluetoothd that is
  ///   asked to end has left the bus.
  func told(
    _ error: any Error,
    _ call: ErrorSituation.Call,
    _ title: String,
    attribute: String? = nil,
    isWriterHere: Bool = false
  ) async -> any Error {
    func told() -> any Error {
      failure(error, call, title, attribute: attribute, isWriterHere: isWriterHere)
    }
    let first = told()
    guard (first as? DeviceFailure)?.mayHaveCause == true, await client.hasTroubleSettled() else {
      return first
    }
    let last = told()
    // A link that is up again meanwhile was lost all the same.
    return (last as? DeviceFailure)?.code == .refused ? first : last
  }

  /// A failure that the state of the host explains better.
  func caused(_ error: any Error, by original: any Error, _ context: FailureContext) -> any Error {
    guard let failure = error as? DeviceFailure, failure.mayHaveCause, let cause = hostCause else {
      return error
    }
    return context.failure(cause, (original as? DBusError).map { ErrorAnswer($0) })
  }

  /// What keeps this host from any link to the device: bluetoothd or its adapter is not there.
  private var hostCause: Explanation? {
    if let gone = client.absence { return gone }
    guard let adapter = state.withLock({ $0.adapter }) else { return nil }
    // One that was reset is back at once, without the links that it had.
    let wasRemoved = client.wasRemovedJustNow(adapter)
    return client.look { tree in
      guard !wasRemoved, let now = tree.adapter(at: adapter) else {
        return .adapterRemoved(adapter.text.split(separator: "/").last.map(String.init) ?? "")
      }
      if now.isPowered { return nil }
      return now.isBlocked ? .adapterBlocked : .adapterOff
    }
  }
}

extension BlueZClient {
  /// Why there is no bluetoothd to ask; nil while there is one.
  var absence: Explanation? {
    state.withLock { $0.isInStep ? nil : $0.gone ?? .daemonLeft }
  }

  /// A link fell, or a device or an adapter went.
  func trouble() { state.withLock { $0.lastTrouble = bus.loop.now } }

  /// Whether an adapter went within the time in which causes are looked for.
  fileprivate func wasRemovedJustNow(_ adapter: ObjectPath) -> Bool {
    guard let last = state.withLock({ $0.removals[adapter] }) else { return false }
    return bus.loop.now - last <= limits.cause
  }

  /// Waits until what came with the last trouble is known.
  ///
  /// - Returns: Whether there was anything to wait for.
  func hasTroubleSettled() async -> Bool {
    guard let trouble = state.withLock({ $0.lastTrouble }) else { return false }
    let left = trouble + limits.cause - bus.loop.now
    guard left > .zero else { return false }
    do {
      try await until("what befell the host", limit: left) { _ in Void?.none }
    } catch {
      // The time is over, or bluetoothd has gone: no more will come.
    }
    return true
  }
}

extension DeviceFailure {
  /// Whether something larger may be why: it is about a link, or about an adapter.
  fileprivate var mayHaveCause: Bool {
    let codes: [Code] = [.linkLost, .notConnected, .connectFailed, .adapterOff, .adapterMissing]
    return codes.contains(code)
  }
}

extension Explanation {
  /// - Parameter title: `hci0`, or more.
  static func adapterRemoved(_ title: String) -> Explanation {
    .unavailable(
      .adapterMissing,
      "the adapter \(title) was removed",
      hint: "plug it in again; bluetoothctl list shows the adapters there are"
    )
  }
}
