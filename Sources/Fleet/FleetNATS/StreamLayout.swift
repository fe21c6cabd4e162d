// The places of a fleet's keys on the server: streams, subjects, and the settings of each stream.
//
// Entries are in key-value buckets, which any NATS client can read. A bucket is a stream that keeps
// one message for each key.

import Documents
import Fleet
import Jobs

/// The streams and subjects of one fleet.
struct StreamLayout: Sendable {
  /// One stream and its settings.
  struct Stream: Sendable {
    let name: String
    let subject: String
    /// The number of values kept for each key; -1 for all.
    let perKey: Int
    /// How long a value is kept; nil for no limit.
    let age: Duration?
    /// The greatest size in bytes; nil for no limit. The oldest values are deleted first.
    var bytes: Int?

    /// Whether it holds jobs and their ends, not only what gateways send again by themselves.
    var isLasting: Bool { age.map { $0 >= StreamLayout.month } ?? true }
  }

  let fleet: String

  fileprivate static let month = Duration.seconds(30 * 24 * 3600)

  /// Returns the stream that stores the keys of a kind; nil for values that are only published.
  func stream(_ kind: StoreKey.Kind) -> Stream? {
    switch kind {
    case .device, .sweep, .known: bucket("devices", age: nil)
    case .job: bucket("jobs", age: Self.month)
    case .chain: bucket("chains", age: nil)
    case .gateway: bucket("gateways", age: .seconds(30))
    case .result: log("results", .result, age: Self.month, bytes: nil)
    case .events: log("events", .events, age: FleetBounds.eventAge, bytes: FleetBounds.eventBytes)
    case .sightings, .announce, .wanted: nil
    }
  }

  /// All streams of the fleet.
  var streams: [Stream] {
    var all: [Stream] = []
    for stream in StoreKey.Kind.allCases.compactMap({ stream($0) })
    where !all.contains(where: { $0.name == stream.name }) {
      all.append(stream)
    }
    return all
  }

  private func bucketName(_ what: String) -> String { "blerun_\(what)_\(fleet)" }

  private func bucket(_ what: String, age: Duration?) -> Stream {
    let name = bucketName(what)
    return Stream(name: "KV_\(name)", subject: "$KV.\(name).>", perKey: 1, age: age)
  }

  private func log(_ what: String, _ kind: StoreKey.Kind, age: Duration, bytes: Int?) -> Stream {
    Stream(
      name: bucketName(what), subject: "\(prefix)\(kind.rawValue).*", perKey: -1, age: age,
      bytes: bytes
    )
  }

  private var prefix: String { "blerun.\(fleet)." }

  /// Returns the part of a subject before `kind.name`.
  private func prefix(_ kind: StoreKey.Kind) -> String {
    guard let stream = stream(kind), stream.perKey == 1 else { return prefix }
    return String(stream.subject.dropLast())
  }

  /// Returns the subject of a key.
  func subject(_ key: StoreKey) -> String { prefix(key.kind) + key.description }

  /// Returns the subject of a pattern, which may have a wildcard.
  func subject(_ pattern: KeyPattern) -> String {
    switch pattern {
    case .one(let key): subject(key)
    case .all(let kind): prefix(kind) + kind.rawValue + ".*"
    }
  }

  /// Returns the key of a subject; nil for a subject that is not the fleet's.
  func key(of subject: String) -> StoreKey? {
    let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 2, let kind = StoreKey.Kind(rawValue: String(parts[parts.count - 2])),
      StoreName.isValid(String(parts[parts.count - 1]))
    else { return nil }
    let key = StoreKey(kind, String(parts[parts.count - 1]))
    return self.subject(key) == subject ? key : nil
  }
}

extension StreamLayout.Stream {
  /// The request that creates the stream.
  var settings: JSONValue {
    let window = min(age ?? .seconds(120), .seconds(120)) / 2
    return [
      "name": .string(name), "subjects": [.string(subject)], "retention": "limits",
      "storage": "file", "discard": "old", "num_replicas": 1,
      "max_msgs_per_subject": JSONValue(perKey), "max_bytes": JSONValue(bytes ?? -1),
      "max_msg_size": JSONValue(FleetBounds.value),
      "max_age": .number("\(Self.nanoseconds(age ?? .zero))"),
      "duplicate_window": .number("\(Self.nanoseconds(window))"), "allow_direct": true,
      "deny_delete": true,
    ]
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    Int64(duration / .nanoseconds(1))
  }

  /// Describes the first setting of an existing stream that is wrong; nil if all are right.
  ///
  /// A setting is missing if the server does not know it: servers ignore unknown settings.
  func difference(from found: JSONValue?) -> String? {
    guard let found else { return "the server does not report its settings" }
    // The number of replicas and the ages of values may be changed by the server's administrator.
    for key in ["max_msgs_per_subject", "allow_direct"] {
      guard let wanted = settings[key]?.text, found[key]?.text != wanted else { continue }
      return "its setting \(key) is \(found[key]?.text ?? "missing"), and \(wanted) is needed"
    }
    let subjects = found["subjects"]?.elements.compactMap(\.string) ?? []
    return subjects == [subject] ? nil : "its subjects are \(subjects), expected [\(subject)]"
  }
}
