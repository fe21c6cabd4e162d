// What is known of this host, gathered once. A pure value: what it means is Diagnosis's.

import BlueZ
import Bluetooth
import Jobs

/// Everything that a diagnosis looks at.
struct HostFacts: Sendable {
  /// A release of BlueZ, and how it is known.
  struct Version: Hashable, Sendable {
    /// `5.66`
    var text: String
    /// "bluetoothd itself", "bluetoothctl".
    var source: String

    /// The two numbers; nil where the text has none.
    var numbers: [Int]? {
      let parts = text.split(separator: ".").prefix(2).map { Int($0) }
      return parts.count == 2 ? parts.compactMap { $0 } : nil
    }

    /// Whether it is this release or a later one; nil where the text is not a number.
    func isAtLeast(_ major: Int, _ minor: Int) -> Bool? {
      guard let numbers, numbers.count == 2 else { return nil }
      return (numbers[0], numbers[1]) >= (major, minor)
    }
  }

  /// A switch for radios.
  struct RadioSwitch: Hashable, Sendable {
    /// `hci0`
    var name: String
    /// By software: `rfkill unblock` ends it.
    var isSoftBlocked: Bool
    /// By a key or a firmware.
    var isHardBlocked: Bool
  }

  /// Whether devices and adapters are simulated: nothing else is looked at then.
  var isSimulated = false
  /// Why bluetoothd could not be asked; nil when it could.
  var problem: RunFailure?
  var version: Version?
  var hasExperimentalInterfaces = false
  var adapters: [AdapterFacts] = []
  var links: [LinkFacts] = []
  /// The controllers that the kernel has: `hci0`. Nil where it does not list them.
  var controllers: [String]?
  var switches: [RadioSwitch] = []
  /// Links that killed runs left in their leases.
  var orphans: [Lease] = []
  /// Runs under way.
  var runs: [Lease] = []
  /// What this process may do, as bits of `CAP_…`; nil where the kernel does not report it.
  var capabilities: UInt64?

  static let networkAdministration = 12
  static let rawSockets = 13

  func has(_ capability: Int) -> Bool {
    capabilities.map { $0 >> UInt64(capability) & 1 == 1 } ?? true
  }
}
