// The values in the store of a fleet, and their form there: one JSON object with a version.

import Documents
import Jobs

/// A value of the store.
public enum StoredValue: Equatable, Sendable {
  /// The value at ``StoreKey/Kind/device``.
  case device(DeviceEntry)
  /// The value at ``StoreKey/Kind/job``.
  case job(FleetJob)
  /// The value at ``StoreKey/Kind/chain``: the text of a chain.
  case chain(String)
  /// The value at ``StoreKey/Kind/gateway`` and ``StoreKey/Kind/known``.
  case gateway(GatewayEntry)
  /// The value at ``StoreKey/Kind/sweep``.
  case sweep(SweepTurn)
  /// The value at ``StoreKey/Kind/result``.
  case record(ResultRecord)
  /// The value at ``StoreKey/Kind/events``.
  case events(EventChunk)
  /// The value at ``StoreKey/Kind/wanted``.
  case eventsWanted(EventRequest)
  /// The value at ``StoreKey/Kind/sightings``.
  case sightings(SightingReport)
  /// The value at ``StoreKey/Kind/announce``: a job waits for the device.
  case announcement

  /// The format version that is written. A value of another version is read if its form is the
  /// same.
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
    // A job's own version is the one that a gateway must be able to read.
    if members.first?.key != "version" {
      members.insert(.init("version", Self.version.json), at: 0)
    }
    return JSONValue.object(members).text
  }

  /// Parses the text stored under a key.
  ///
  /// The text is not trusted: any program with access to the store may have written it. Missing
  /// keys and values out of bounds are errors. Unknown keys are ignored, because a later version
  /// may write them.
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
    case .gateway, .known: self = .gateway(try GatewayEntry.read(text, key))
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
  /// The key that it is stored under.
  public let key: StoreKey
  /// All problems of the text.
  public let problems: [String]

  public var description: String {
    "the value of \(key) in the store is invalid: " + problems.joined(separator: "; ")
  }
}

private struct ChainText: StoredForm, JSONObjectForm {
  static let noun = "the text of a chain"
  static let form = JSONKeys<ChainText>(
    { ChainText(text: $0) }, JSONKey("text", \.text, .text(bytes: FleetBounds.chain))
  )

  let text: String
}

private struct Announcement: StoredForm {
  static let noun = "an announcement"
  static let part = StoredPart<Announcement>(
    expected: noun, write: { _ in .object([]) }, read: { _, _, _ in Announcement() }
  )
}

/// The limits of values in the store.
public enum FleetBounds {
  /// The size of the text of a chain, in bytes.
  public static let chain = 512 << 10
  /// The size of any value, in bytes.
  public static let value = 1 << 20
  /// The number of variables that a job sets.
  public static let values = 64
  /// The size of the value of a variable, in bytes.
  public static let valueText = 4 << 10
  /// The number of capabilities that a job needs or a gateway has.
  public static let needs = 32
  /// The number of sightings in a report.
  public static let sightings = 1000
  /// The size of the name of a device, in bytes.
  public static let deviceName = 248
  /// The size of ``EndRecord/detail``, in bytes.
  public static let detail = 4 << 10
  /// How long events are kept, by the store and by the gateway that ran the chain.
  public static let eventAge = Duration.seconds(24 * 3600)
  /// The total size of the events that are kept, in bytes; the oldest are deleted first.
  public static let eventBytes = 256 << 20
  /// The deadlines that a job may have.
  public static let deadline = Duration.seconds(1)...Duration.seconds(7 * 24 * 3600)
  /// The leases that a claim may have.
  public static let lease = Duration.seconds(1)...Duration.seconds(3600)
}
