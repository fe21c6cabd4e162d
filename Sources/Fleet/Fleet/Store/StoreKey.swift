// The names of entries and subjects in the store.
//
// One place spells them all. A key has no `:`, which NATS does not allow, and no `*` and `>`.

public import Bluetooth
import Jobs

/// The name of an entry or of a subject: `device.C0FFEE000001`.
public struct StoreKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// What the part before the dot means.
  public enum Kind: String, CaseIterable, Sendable {
    /// Who runs what on a device, and what waits for it.
    case device
    /// What a job is.
    case job
    /// The text of a chain, by its digest.
    case chain
    /// A gateway.
    case gateway
    /// Who looks for jobs that nobody follows.
    case sweep
    /// The records of a job: its starts and its end.
    case result
    /// The events of a job, in chunks.
    case events
    /// A follower asks a gateway for events that it misses.
    case wanted
    /// What a gateway observes.
    case sightings
    /// Something waits for a device.
    case announce
  }

  /// The first part of the name.
  public let kind: Kind
  /// The second part of the name.
  public let name: String

  /// The key of something of this kind.
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

  /// The subject on which waiting jobs of a device are announced.
  public static func announcement(of address: BluetoothAddress) -> StoreKey {
    StoreKey(.announce, spelled(address))
  }

  /// The entry with what a job is.
  public static func job(_ job: JobID) -> StoreKey { StoreKey(.job, job.text) }

  /// The entry with the text of a chain: under its SHA-256, so that each text is stored once.
  public static func chain(of text: String) -> StoreKey {
    StoreKey(.chain, ContentHash.digest(of: text))
  }

  /// The subject of the records of a job.
  public static func result(of job: JobID) -> StoreKey { StoreKey(.result, job.text) }

  /// The subject of the events of a job.
  public static func events(of job: JobID) -> StoreKey { StoreKey(.events, job.text) }

  /// The subject on which a gateway is asked for events.
  public static func eventsWanted(of gateway: String) -> StoreKey { StoreKey(.wanted, gateway) }

  /// The subject on which a gateway reports what it observes.
  public static func sightings(of gateway: String) -> StoreKey { StoreKey(.sightings, gateway) }

  /// The entry of a gateway.
  public static func gateway(_ name: String) -> StoreKey { StoreKey(.gateway, name) }

  /// The entry of whoever looks for jobs that nobody follows.
  public static let sweep = StoreKey(.sweep, "turn")

  /// The address in the name of a device or of an announcement.
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

/// Which keys are meant.
public enum KeyPattern: Hashable, Sendable, CustomStringConvertible {
  /// One key.
  case one(StoreKey)
  /// All keys of a kind.
  case all(StoreKey.Kind)

  /// Whether a key is meant.
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
  /// The identity as it is written.
  public let text: String

  /// Nil for a text that cannot be part of a key.
  public init?(_ text: String) {
    guard StoreName.isValid(text) else { return nil }
    self.text = text
  }

  public static func < (a: JobID, b: JobID) -> Bool { a.text < b.text }

  public var description: String { text }
}

/// What may be part of a key.
public enum StoreName {
  /// The greatest length, in bytes.
  public static let longest = MemberName.longest

  /// Whether a text is not empty, not too long, and has only letters, digits, `-` and `_`.
  public static func isValid(_ text: String) -> Bool { MemberName.isValid(text) }
}
