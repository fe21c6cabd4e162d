// Which pairings of one client may run in parallel.
//
// A pure value. PairingQueue makes the others wait.

import Bluetooth

/// The active pairings over one bus connection, and those that wait.
///
/// A connection has one agent, which bluetoothd registers with one capability, and sends one
/// request at a time: a second request is not sent to it, and that pairing fails. So pairings
/// without requests run in parallel; any other runs alone. No pairing is overtaken by one that it
/// would have to wait for.
///
/// - Source: BlueZ 5.66, `src/agent.c` (agent_request_passkey: EBUSY while there is a request),
///   `src/device.c` (pair_device: the capability is taken at Pair; one bonding a device).
struct PairingSlots: Sendable {
  struct Wish: Equatable, Sendable {
    let id: UInt64
    let capability: AgentCapability
    /// The device, for the message to those who wait.
    let device: String

    /// Whether bluetoothd may send requests to the agent: never for a Just Works pairing that this
    /// host started.
    var mayBeAsked: Bool { capability != .noInputNoOutput }

    func excludes(_ other: Wish) -> Bool {
      mayBeAsked || other.mayBeAsked || capability != other.capability
    }
  }

  private(set) var active: [Wish] = []
  private(set) var waiting: [Wish] = []

  /// Adds a pairing.
  ///
  /// - Returns: Whether it may start; else ``leave(_:)`` returns it later.
  mutating func enter(_ wish: Wish) -> Bool {
    guard !(active + waiting).contains(where: { $0.excludes(wish) }) else {
      waiting.append(wish)
      return false
    }
    active.append(wish)
    return true
  }

  /// A pairing has ended, or its caller has left.
  ///
  /// - Returns: Those that may start now, in order.
  mutating func leave(_ id: UInt64) -> [UInt64] {
    active.removeAll { $0.id == id }
    waiting.removeAll { $0.id == id }
    var (begun, left): ([UInt64], [Wish]) = ([], [])
    for wish in waiting {
      if (active + left).contains(where: { $0.excludes(wish) }) {
        left.append(wish)
      } else {
        active.append(wish)
        begun.append(wish.id)
      }
    }
    waiting = left
    return begun
  }
}
