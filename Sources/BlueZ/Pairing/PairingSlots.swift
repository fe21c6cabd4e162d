// Which pairings of one client may go on side by side.
//
// A pure value. PairingQueue has the others wait.

import Bluetooth

/// The pairings under way over one bus connection, and those that wait.
///
/// A connection has one agent, which bluetoothd knows with one capability, and asks one thing at a
/// time: a second question is not put to it, and that pairing fails. So pairings that are never
/// asked anything go on side by side; any other goes on alone. Nobody is overtaken by those whom
/// they would have to wait for.
///
/// - Source: BlueZ 5.66, `src/agent.c` (agent_request_passkey: EBUSY while there is a request),
///   `src/device.c` (pair_device: the capability is taken at Pair; one bonding a device).
struct PairingSlots: Sendable {
  struct Wish: Equatable, Sendable {
    let id: UInt64
    let capability: AgentCapability
    /// The device, for whoever has to wait.
    let device: String

    /// Whether bluetoothd may ask the agent: never about a pairing without any check that this side
    /// began.
    var mayBeAsked: Bool { capability != .noInputNoOutput }

    func excludes(_ other: Wish) -> Bool {
      mayBeAsked || other.mayBeAsked || capability != other.capability
    }
  }

  private(set) var active: [Wish] = []
  private(set) var waiting: [Wish] = []

  /// Somebody wants to pair.
  ///
  /// - Returns: Whether it may begin; else ``leave(_:)`` says when.
  mutating func enter(_ wish: Wish) -> Bool {
    guard !(active + waiting).contains(where: { $0.excludes(wish) }) else {
      waiting.append(wish)
      return false
    }
    active.append(wish)
    return true
  }

  /// A pairing has ended, or is not waited for any more.
  ///
  /// - Returns: Those that may begin now, in order.
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
