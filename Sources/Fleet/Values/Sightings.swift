// What gateways are, and what they observe.

public import Bluetooth
import Jobs

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

extension GatewayEntry: StoredForm {
  static let what = "the entry of a gateway"

  var members: [Member] {
    [
      ("format", .whole(format)),
      ("capabilities", .array(capabilities.map { .string($0) })),
      ("bonds", .array(bonds.map { .string($0.description) })),
      ("draining", .boolean(isDraining)),
    ]
  }

  init?(_ reader: inout FormReader) {
    let format = reader.number("format", 1...(.max))
    let capabilities = reader.names("capabilities", most: FleetBounds.needs)
    let bonds = reader.addresses("bonds", most: FleetBounds.sightings)
    let isDraining = reader.truth("draining")
    guard let format, let capabilities, let bonds, let isDraining else { return nil }
    self.init()
    self.format = format
    self.capabilities = capabilities
    self.bonds = bonds
    self.isDraining = isDraining
  }
}

extension Sighting: StoredPart {
  var members: [Member] {
    [
      ("address", .string(address.description)), ("identity", .boolean(isIdentity)),
      ("name", .text(name)), ("rssi", .whole(rssi)),
    ]
  }

  init?(_ reader: inout FormReader) {
    let address = reader.address("address")
    let isIdentity = reader.truth("identity")
    let name = reader.optionalText("name", bytes: FleetBounds.deviceName)
    let rssi = reader.number("rssi", -127...20)
    guard let address, let isIdentity, let rssi else { return nil }
    self.init(address: address, rssi: rssi)
    self.isIdentity = isIdentity
    self.name = name
  }
}

extension SightingReport: StoredForm {
  static let what = "a report of sightings"

  var members: [Member] {
    [
      ("gateway", .string(gateway)),
      ("sightings", .array(sightings.map { .object($0.members) })),
      ("held", .array(held.map { .string($0.description) })),
    ]
  }

  init?(_ reader: inout FormReader) {
    let gateway = reader.name("gateway")
    let sightings = reader.list("sightings", most: FleetBounds.sightings, Sighting.init)
    let held = reader.addresses("held", most: FleetBounds.sightings)
    guard let gateway, let sightings, let held else { return nil }
    self.init(gateway: gateway, sightings: sightings)
    self.held = held
  }
}

extension SweepTurn: StoredForm {
  static let what = "a turn to sweep"

  var members: [Member] { [("gateway", .string(gateway)), ("nonce", .string(nonce))] }

  init?(_ reader: inout FormReader) {
    guard let gateway = reader.name("gateway"), let nonce = reader.name("nonce") else {
      return nil
    }
    self.init(gateway: gateway, nonce: nonce)
  }
}
