// Ledgers of links, as other runs on the machine would have them.

import BlueZ
import Bluetooth
import Signals

/// A ledger of a machine on which no other run wants the adapter.
protocol UncontendedLedger: LinkLedger {}

extension UncontendedLedger {
  func turn(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void { {} }

  func listen(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void { {} }

  func isTurnTaken(at adapter: BluetoothAddress) -> Bool { false }
}

/// A ledger that lists the links which a program has recorded as held.
final class ListedLinks: UncontendedLedger {
  private let list = Guarded<[HeldLink]>([])
  var links: [HeldLink] { list.withLock { $0 } }

  func begins(_ link: HeldLink) { list.withLock { $0.append(link) } }
  func ended(_ link: HeldLink) { list.withLock { $0.removeAll { $0 == link } } }
  func isStale(_ device: BluetoothAddress) -> Bool { false }
}

/// A ledger in which every attempt that is under way belongs to a dead run.
final class DeadOwner: UncontendedLedger {
  func begins(_ link: HeldLink) {}
  func ended(_ link: HeldLink) {}
  func isStale(_ device: BluetoothAddress) -> Bool { true }
}
