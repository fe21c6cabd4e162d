// Which device a name means: one identity address, before anything is queued.
//
// A pure value. It collects what gateways report for a while, then decides.

public import Bluetooth

/// Collects the sightings of a name.
public struct NameResolution: Sendable {
  /// What a name means.
  public enum Decision: Equatable, Sendable {
    /// One device.
    case device(BluetoothAddress)
    /// Several devices, in the order of their addresses.
    case ambiguous([BluetoothAddress])
    /// Only private addresses, which change: whoever has the bond knows the identity.
    case needsBond
    /// Nobody observed it. These gateways listened.
    case notObserved(by: [String])
  }

  private let name: String
  private var gateways: Set<String> = []
  private var identities: Set<BluetoothAddress> = []
  private var hasPrivate = false

  /// Begins to look for a name, which has to be equal.
  public init(of name: String) { self.name = name }

  /// Adds a report of a gateway.
  public mutating func add(_ report: SightingReport) {
    gateways.insert(report.gateway)
    for sighting in report.sightings where sighting.name == name {
      if sighting.isIdentity { identities.insert(sighting.address) } else { hasPrivate = true }
    }
  }

  /// What is known now. An identity address counts more than private ones of the same name, which
  /// may belong to the same device.
  public var decision: Decision {
    let found = identities.sorted()
    if found.count > 1 { return .ambiguous(found) }
    if let only = found.first { return .device(only) }
    return hasPrivate ? .needsBond : .notObserved(by: gateways.sorted())
  }
}
