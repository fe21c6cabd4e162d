// Everything that a fleet keeps in its store, and its form there: one object of JSON with a version.

import Documents
import Jobs

/// A value of the store.
public enum StoredValue: Equatable, Sendable {
  /// At ``StoreKey/Kind/device``.
  case device(DeviceEntry)
  /// At ``StoreKey/Kind/job``.
  case job(FleetJob)
  /// At ``StoreKey/Kind/chain``: the text of a chain.
  case chain(String)
  /// At ``StoreKey/Kind/gateway``.
  case gateway(GatewayEntry)
  /// At ``StoreKey/Kind/sweep``.
  case sweep(SweepTurn)
  /// At ``StoreKey/Kind/result``.
  case record(ResultRecord)
  /// At ``StoreKey/Kind/events``.
  case events(EventChunk)
  /// At ``StoreKey/Kind/wanted``.
  case eventsWanted(EventRequest)
  /// At ``StoreKey/Kind/sightings``.
  case sightings(SightingReport)
  /// At ``StoreKey/Kind/announce``: something waits for the device.
  case announcement

  /// The version of the format that is written. Those of other versions are read as far as they are
  /// the same.
  public static let version = 1

  /// The JSON text.
  public var text: String {
    var members: JSONMembers =
      switch self {
      case .job(let job): job.members
      case .record(let record): record.members
      case .device(let entry): entry.members
      case .chain(let text): [.init("text", .string(text))]
      case .gateway(let entry): entry.members
      case .sweep(let turn): turn.members
      case .events(let chunk): chunk.members
      case .eventsWanted(let request): request.members
      case .sightings(let report): report.members
      case .announcement: []
      }
    // A job has the version that its reader has to know.
    if members.first?.key != "version" {
      members.insert(.init("version", Self.version.json), at: 0)
    }
    return JSONValue.object(members).text
  }

  /// Reads what somebody stored under a key.
  ///
  /// It may come from anybody who can write to the store, so it is checked like a file: missing keys
  /// and values out of bounds are errors. Keys that are not known are those of a later version, and
  /// are ignored.
  ///
  /// - Throws: ``UnreadableValue``.
  public init(_ text: String, at key: StoreKey) throws(UnreadableValue) {
    switch key.kind {
    case .device: self = .device(try DeviceEntry.read(text, key))
    case .job: self = .job(try FleetJob.read(text, key))
    case .chain:
      let chain = try ChainText.read(text, key).text
      guard ContentHash.digest(of: chain) == key.name else {
        throw UnreadableValue(key: key, problems: ["the SHA-256 of the text is another one"])
      }
      self = .chain(chain)
    case .gateway: self = .gateway(try GatewayEntry.read(text, key))
    case .sweep: self = .sweep(try SweepTurn.read(text, key))
    case .result: self = .record(try ResultRecord.read(text, key))
    case .events: self = .events(try EventChunk.read(text, key))
    case .wanted: self = .eventsWanted(try EventRequest.read(text, key))
    case .sightings: self = .sightings(try SightingReport.read(text, key))
    case .announce:
      _ = try Announcement.read(text, key)
      self = .announcement
    }
  }
}

/// A stored value that cannot be read: not of this format, or out of bounds.
public struct UnreadableValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is stored.
  public let key: StoreKey
  /// What is wrong, an error each.
  public let problems: [String]

  public var description: String {
    "the value of \(key) in the store is invalid: " + problems.joined(separator: "; ")
  }
}

private struct ChainText: StoredForm, JSONObjectForm {
  static let what = "the text of a chain"
  static let form = JSONKeys<ChainText>(
    { ChainText(text: $0) }, JSONKey("text", \.text, .text(bytes: FleetBounds.chain))
  )

  let text: String
}

private struct Announcement: StoredForm {
  static let what = "an announcement"
  static let part = StoredPart<Announcement>(
    expected: what, write: { _ in .object([]) }, read: { _, _, _ in Announcement() }
  )
}

/// What a value of the store may be at most.
public enum FleetBounds {
  /// The size of the text of a chain, in bytes.
  public static let chain = 512 << 10
  /// The size of any value, in bytes.
  public static let value = 1 << 20
  /// How many variables a job sets.
  public static let values = 64
  /// The size of the value of a variable, in bytes.
  public static let valueText = 4 << 10
  /// How many capabilities a job needs, or a gateway has.
  public static let needs = 32
  /// How many sightings are reported at once.
  public static let sightings = 1000
  /// The size of the name of a device, in bytes.
  public static let deviceName = 248
  /// The size of a detail for people, in bytes.
  public static let detail = 4 << 10
  /// How long events are kept, by the store and by the gateway that had them.
  public static let eventAge = Duration.seconds(24 * 3600)
  /// The size of all events that are kept, in bytes; the oldest go first.
  public static let eventBytes = 256 << 20
  /// How long a job may wait and run.
  public static let deadline = Duration.seconds(1)...Duration.seconds(7 * 24 * 3600)
  /// How long a claim holds without a renewal.
  public static let lease = Duration.seconds(1)...Duration.seconds(3600)
}
