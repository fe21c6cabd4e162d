// The names of entries and subjects in the store, all spelled here.
//
// A key has no `:`, which NATS does not allow, and no `*` and `>`, which are its wildcards.

public import Bluetooth
import Jobs

/// The name of an entry or of a subject: `device.C0FFEE000001`.
public struct StoreKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The part before the dot.
  public enum Kind: String, CaseIterable, Sendable {
    /// The queue and the claim of a device; see ``DeviceEntry``.
    case device
    /// The description of a job; see ``FleetJob``.
    case job
    /// The text of a chain, by its digest.
    case chain
    /// A gateway's description of itself; see ``GatewayEntry``.
    case gateway
    /// The latest entry of a gateway, kept until it is forgotten by hand.
    case known
    /// The gateway that does the next sweep; see ``SweepTurn``.
    case sweep
    /// The records of a job: its starts and its end.
    case result
    /// The events of a job, in chunks.
    case events
    /// A follower's requests to a gateway for missing events; see ``EventRequest``.
    case wanted
    /// The sightings of a gateway; see ``SightingReport``.
    case sightings
    /// Announcements that a job waits for a device.
    case announce
  }

  /// The first part of the name.
  public let kind: Kind
  /// The second part of the name.
  public let name: String

  /// Creates a key.
  ///
  /// - Parameter name: Letters, digits, `-` and `_` only; see ``StoreName``.
  public init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// The entry of a device. Its address is spelled without `:`.
  public static func device(_ address: BluetoothAddress) -> StoreKey {
    StoreKey(.device, spelled(address))
  }

  /// The subject for announcements of a device's waiting jobs.
  public static func announcement(of address: BluetoothAddress) -> StoreKey {
    StoreKey(.announce, spelled(address))
  }

  /// The entry of a job's description.
  public static func job(_ job: JobID) -> StoreKey { StoreKey(.job, job.text) }

  /// The entry of a chain's text, named by its SHA-256, so that each text is stored once.
  public static func chain(of text: String) -> StoreKey {
    StoreKey(.chain, ContentHash.digest(of: text))
  }

  /// The subject of the records of a job.
  public static func result(of job: JobID) -> StoreKey { StoreKey(.result, job.text) }

  /// The subject of the events of a job.
  public static func events(of job: JobID) -> StoreKey { StoreKey(.events, job.text) }

  /// The subject for event requests to a gateway.
  public static func eventsWanted(of gateway: String) -> StoreKey { StoreKey(.wanted, gateway) }

  /// The subject for the sightings of a gateway.
  public static func sightings(of gateway: String) -> StoreKey { StoreKey(.sightings, gateway) }

  /// The entry of a gateway.
  public static func gateway(_ name: String) -> StoreKey { StoreKey(.gateway, name) }

  /// The lasting copy of a gateway's entry.
  public static func known(_ name: String) -> StoreKey { StoreKey(.known, name) }

  /// The entry that names the gateway of the latest sweep.
  public static let sweep = StoreKey(.sweep, "turn")

  /// The address in the name of a device entry or an announcement; nil for other names.
  public var address: BluetoothAddress? {
    guard name.utf8.count == 12, let number = UInt64(name, radix: 16) else { return nil }
    return BluetoothAddress(number: number)
  }

  private static func spelled(_ address: BluetoothAddress) -> String {
    let digits = String(address.number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 12 - digits.utf8.count) + digits
  }

  public static func < (a: StoreKey, b: StoreKey) -> Bool {
    a.kind == b.kind ? a.name < b.name : a.kind.rawValue < b.kind.rawValue
  }

  public var description: String { "\(kind.rawValue).\(name)" }
}

/// A selection of keys.
public enum KeyPattern: Hashable, Sendable, CustomStringConvertible {
  /// One key.
  case one(StoreKey)
  /// All keys of a kind.
  case all(StoreKey.Kind)

  /// Whether the pattern selects a key.
  public func matches(_ key: StoreKey) -> Bool {
    switch self {
    case .one(let own): own == key
    case .all(let kind): key.kind == kind
    }
  }

  public var description: String {
    switch self {
    case .one(let key): key.description
    case .all(let kind): kind.rawValue + ".>"
    }
  }
}

/// The identity of a job: up to 64 letters, digits, `-` and `_`.
public struct JobID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The text of the identity.
  public let text: String

  /// Creates an identity; nil if the text cannot be part of a key.
  public init?(_ text: String) {
    guard StoreName.isValid(text) else { return nil }
    self.text = text
  }

  public static func < (a: JobID, b: JobID) -> Bool { a.text < b.text }

  public var description: String { text }
}

/// The rules for a name that is part of a key.
public enum StoreName {
  /// The greatest length, in bytes.
  public static let longest = MemberName.longest

  /// Whether a text has 1 to ``longest`` characters, all of them letters, digits, `-` or `_`.
  public static func isValid(_ text: String) -> Bool { MemberName.isValid(text) }
}
