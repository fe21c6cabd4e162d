// The stage of a chain at which a fault strikes, and a chain that reaches it.

import BlueZ
import Bluetooth
import Signals
import Testing

/// A place in ``Stage/chain(_:)``.
enum Stage: String, CaseIterable, CustomTestStringConvertible {
  /// It discovers, and has not heard of the device.
  case finding
  case connecting
  /// The link is up, its services are not known yet.
  case resolving
  case reading
  /// The link is up, and no operation is pending.
  case resting
  case writing
  case subscribing
  /// Values come, and are waited for.
  case subscribed
  case disconnecting

  var testDescription: String { rawValue }

  /// The call to bluetoothd that begins it, and how long after that it is reached.
  var beginning: (member: String, delay: Duration) {
    switch self {
    case .finding: ("StartDiscovery", .milliseconds(5))
    case .connecting: ("Connect", .milliseconds(60))
    case .resolving: ("Connect", .milliseconds(150))
    case .reading: ("ReadValue", .milliseconds(5))
    case .resting: ("ReadValue", .seconds(1))
    case .writing: ("WriteValue", .milliseconds(5))
    case .subscribing: ("StartNotify", .milliseconds(5))
    case .subscribed: ("StartNotify", .milliseconds(1250))
    case .disconnecting: ("Disconnect", .milliseconds(500))
    }
  }

  /// Stages with a link, before it is ended.
  static let linked: [Stage] = [.reading, .resting, .writing, .subscribing, .subscribed]

  /// Finds, connects, reads, rests 3 s, writes, takes thirty values in 3 s, disconnects; sends what
  /// was read.
  static func chain(_ service: BlueZDevice) -> Signal<[UInt8]> {
    service.connect()
      .flattenMap { service.read(.alert) }
      .flattenMap { Signal.just($0).delay(.seconds(3)) }
      .flattenMap { value in service.write([7], to: .alert, kind: .request).map { value } }
      .flattenMap { value in
        // collect waits for the subscription to end before the next step.
        service.subscribe(.stream).flattenMap { $0.take(30) }.collect().map { _ in value }
      }
      .flattenMap { value in service.disconnect().map { value } }
  }
}
