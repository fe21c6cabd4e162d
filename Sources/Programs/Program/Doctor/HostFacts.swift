// The facts of a host, collected once. A pure value: Diagnosis interprets it.

import BlueZ
import BlueZInterfaces
import Bluetooth
import Jobs

/// The facts that a diagnosis uses.
struct HostFacts: Sendable {
  /// A release of BlueZ, and the program that reported it.
  struct Version: Hashable, Sendable {
    /// The release: `5.66`.
    var text: String
    /// The program: "bluetoothd itself", "bluetoothctl".
    var source: String

    /// The major and minor number; nil if the text is not a release number.
    var numbers: [Int]? {
      let parts = text.split(separator: ".").prefix(2).map { Int($0) }
      return parts.count == 2 ? parts.compactMap { $0 } : nil
    }

    /// The release; nil if the text is not a release number.
    var release: BlueZVersion? {
      guard let numbers, numbers.count == 2 else { return nil }
      return BlueZVersion(numbers[0], numbers[1])
    }

    /// How the simulated bluetoothd relates to it; nil if the text is not a release number.
    var comparison: String? {
      guard let release else { return nil }
      let compared = BlueZVersion.compared.map(\.description).joined(separator: " and ")
      return BlueZVersion.compared.contains(release)
        ? "compared with the simulated one"
        : "not compared with the simulated one, as \(compared) are"
    }

    /// The line of `--version` about the host.
    var line: String {
      "this host has BlueZ \(text)" + (comparison.map { ", \($0)" } ?? "")
    }

    /// Whether it is at least this release; nil if the text is not a release number.
    func isAtLeast(_ major: Int, _ minor: Int) -> Bool? {
      guard let numbers, numbers.count == 2 else { return nil }
      return (numbers[0], numbers[1]) >= (major, minor)
    }
  }

  /// An rfkill switch.
  struct RadioSwitch: Hashable, Sendable {
    /// The name: `hci0`.
    var name: String
    /// Blocked by software, which `rfkill unblock` ends.
    var isSoftBlocked: Bool
    /// Blocked by a key or by firmware.
    var isHardBlocked: Bool
  }

  /// Whether the devices and adapters are simulated; other facts are then not collected.
  var isSimulated = false
  /// The reason that bluetoothd could not be queried; nil if it could.
  var problem: RunFailure?
  var version: Version?
  var hasExperimentalInterfaces = false
  var adapters: [AdapterFacts] = []
  var links: [LinkFacts] = []
  /// The controllers of the kernel, such as `hci0`; nil if it does not list them.
  var controllers: [String]?
  var switches: [RadioSwitch] = []
  /// The leases of killed runs, with the connections that they left.
  var orphans: [Lease] = []
  /// The leases of running runs.
  var runs: [Lease] = []
  /// The capabilities of this process, as bits of `CAP_…`; nil if the kernel does not report them.
  var capabilities: UInt64?

  static let networkAdministration = 12
  static let rawSockets = 13

  func has(_ capability: Int) -> Bool {
    capabilities.map { $0 >> UInt64(capability) & 1 == 1 } ?? true
  }
}
