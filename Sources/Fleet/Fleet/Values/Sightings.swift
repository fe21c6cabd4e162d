// What gateways are, and what they observe.

public import Bluetooth
package import Jobs

/// What a gateway reports of itself, once when it joins and at each change.
public struct GatewayEntry: Equatable, Sendable {
  /// What it is capable of.
  public var capabilities: [String] = []
  /// The latest version of the format that it reads; see ``StoredValue/version``.
  public var format = StoredValue.version
  /// The devices it has a bond with.
  public var bonds: [BluetoothAddress] = []
  /// Whether it claims nothing new.
  public var isDraining = false

  /// A gateway without capabilities and bonds.
  public init() {}
}

/// A device that a gateway observes.
public struct Sighting: Equatable, Sendable {
  /// The address it advertises.
  public let address: BluetoothAddress
  /// Whether that address identifies it; a private address changes.
  public var isIdentity = true
  /// The name it advertises.
  public var name: String?
  /// The RSSI, in dBm.
  public let rssi: Int

  /// A device under an identity address, without a name.
  public init(address: BluetoothAddress, rssi: Int) {
    self.address = address
    self.rssi = rssi
  }
}

/// The devices that a gateway observes now. It may be lost: the next one follows.
public struct SightingReport: Equatable, Sendable {
  /// The gateway.
  public let gateway: String
  /// The devices.
  public var sightings: [Sighting]
  /// The devices whose connection another program on the gateway's host holds.
  public var held: [BluetoothAddress] = []

  /// A report.
  public init(gateway: String, sightings: [Sighting]) {
    self.gateway = gateway
    self.sightings = sightings
  }
}

/// Whose turn it is to look for jobs that nobody follows.
public struct SweepTurn: Equatable, Sendable {
  /// The gateway.
  public let gateway: String
  /// What distinguishes this turn from all others.
  public let nonce: String
}

extension GatewayEntry: StoredForm, JSONObjectForm {
  static let what = "the entry of a gateway"

  package static let form = JSONKeys<GatewayEntry>(
    { format, capabilities, bonds, isDraining in
      var entry = GatewayEntry()
      (entry.format, entry.capabilities) = (format, capabilities)
      (entry.bonds, entry.isDraining) = (bonds, isDraining)
      return entry
    },
    JSONKey("format", \.format, .number(1...(.max))),
    JSONKey("capabilities", \.capabilities, .list(.name, most: FleetBounds.needs)),
    JSONKey("bonds", \.bonds, .list(.address, most: FleetBounds.sightings)),
    JSONKey("draining", \.isDraining, .truth)
  )
}

extension Sighting: JSONObjectForm {
  package static let form = JSONKeys<Sighting>(
    { address, isIdentity, name, rssi in
      var sighting = Sighting(address: address, rssi: rssi)
      (sighting.isIdentity, sighting.name) = (isIdentity, name)
      return sighting
    },
    JSONKey("address", \.address, .address),
    JSONKey("identity", \.isIdentity, .truth),
    JSONKey(optional: "name", \.name, .text(bytes: FleetBounds.deviceName)),
    JSONKey("rssi", \.rssi, .number(-127...20))
  )
}

extension SightingReport: StoredForm, JSONObjectForm {
  static let what = "a report of sightings"

  package static let form = JSONKeys<SightingReport>(
    { gateway, sightings, held in
      var report = SightingReport(gateway: gateway, sightings: sightings)
      report.held = held
      return report
    },
    JSONKey("gateway", \.gateway, .name),
    JSONKey("sightings", \.sightings, .list(.object, most: FleetBounds.sightings)),
    JSONKey("held", \.held, .list(.address, most: FleetBounds.sightings))
  )
}

extension SweepTurn: StoredForm, JSONObjectForm {
  static let what = "a turn to sweep"

  package static let form = JSONKeys<SweepTurn>(
    { SweepTurn(gateway: $0, nonce: $1) },
    JSONKey("gateway", \.gateway, .name),
    JSONKey("nonce", \.nonce, .name)
  )
}
