// The values that gateways publish: their entries, their sightings, and their turns to sweep.

public import Bluetooth
package import Jobs

/// A gateway's description of itself, renewed as long as it runs.
public struct GatewayEntry: Equatable, Sendable {
  /// The abilities that jobs can require.
  public var capabilities: [String] = []
  /// The latest format version that it reads; see ``StoredValue/version``.
  public var format = StoredValue.version
  /// The devices it has a bond with.
  public var bonds: [BluetoothAddress] = []
  /// Whether it claims no further jobs.
  public var isDraining = false
  /// A text unique to its process; nil for a gateway of an earlier version, like all that follows.
  public var incarnation: String?
  /// The host that it runs on.
  public var host: String?
  /// The version of its program.
  public var version: String?
  /// When it began, by its wall clock: `2026-11-28T18:51:48.000000Z`.
  public var begun: String?
  /// When it wrote the entry, by its wall clock.
  public var seen: String?
  /// The number of devices that it observes.
  public var observed: Int?
  /// The number of jobs that it runs.
  public var running: Int?
  /// The most connections that it holds at a time.
  public var connections: Int?

  /// Creates the entry of a gateway without capabilities and bonds.
  public init() {}
}

/// A device that a gateway observes.
public struct Sighting: Equatable, Sendable {
  /// The address it advertises.
  public let address: BluetoothAddress
  /// Whether that is its identity address; false for a private address, which changes.
  public var isIdentity = true
  /// The name it advertises.
  public var name: String?
  /// The RSSI, in dBm.
  public let rssi: Int

  /// Creates a sighting of an identity address, without a name.
  public init(address: BluetoothAddress, rssi: Int) {
    self.address = address
    self.rssi = rssi
  }
}

/// The devices that a gateway observes. A report may be lost; the next one replaces it.
public struct SightingReport: Equatable, Sendable {
  /// The gateway.
  public let gateway: String
  /// The devices.
  public var sightings: [Sighting]
  /// The devices that another program on the gateway's host is connected to.
  public var held: [BluetoothAddress] = []

  /// Creates a report.
  public init(gateway: String, sightings: [Sighting]) {
    self.gateway = gateway
    self.sightings = sightings
  }
}

/// A gateway's turn to announce the jobs of all devices.
public struct SweepTurn: Equatable, Sendable {
  /// The gateway.
  public let gateway: String
  /// A text unique to this turn.
  public let nonce: String
}

extension GatewayEntry: StoredForm, JSONObjectForm {
  static let noun = "the entry of a gateway"

  package static let form = JSONKeys<GatewayEntry>(
    {
      format, capabilities, bonds, isDraining, incarnation, host, version, begun, observed, running,
      most, seen in
      var entry = GatewayEntry()
      (entry.format, entry.capabilities) = (format, capabilities)
      (entry.bonds, entry.isDraining) = (bonds, isDraining)
      (entry.incarnation, entry.host, entry.version) = (incarnation, host, version)
      (entry.begun, entry.observed) = (begun, observed)
      (entry.running, entry.connections, entry.seen) = (running, most, seen)
      return entry
    },
    JSONKey("format", \.format, .number(1...(.max))),
    JSONKey("capabilities", \.capabilities, .list(.name, most: FleetBounds.needs)),
    JSONKey("bonds", \.bonds, .list(.address, most: FleetBounds.sightings)),
    JSONKey("draining", \.isDraining, .truth),
    JSONKey(optional: "incarnation", \.incarnation, .name),
    JSONKey(optional: "host", \.host, .text(bytes: StoreName.longest)),
    JSONKey(optional: "programVersion", \.version, .text(bytes: StoreName.longest)),
    JSONKey(optional: "begun", \.begun, .text(bytes: StoreName.longest)),
    JSONKey(optional: "observed", \.observed, .number()),
    JSONKey(optional: "running", \.running, .number()),
    JSONKey(optional: "connections", \.connections, .number()),
    JSONKey(optional: "seen", \.seen, .text(bytes: StoreName.longest))
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
  static let noun = "a report of sightings"

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
  static let noun = "a turn to sweep"

  package static let form = JSONKeys<SweepTurn>(
    { SweepTurn(gateway: $0, nonce: $1) },
    JSONKey("gateway", \.gateway, .name),
    JSONKey("nonce", \.nonce, .name)
  )
}
