// The properties that a step wants a connection to have, and their keys.

public import Bluetooth
import Documents

/// The properties of a connection that a step changes.
public struct WantedConnection: Hashable, Sendable {
  /// The time between two connection events; nil: interval, latency and supervision timeout stay.
  public var interval: Duration?
  /// The number of connection events that the device may skip.
  public var latency: Int
  /// The silence after which the connection counts as lost.
  public var supervisionTimeout: Duration
  /// The PHY in both directions; nil: it stays.
  public var phy: PHY?

  public init(
    interval: Duration? = nil, latency: Int = 0,
    supervisionTimeout: Duration = ConnectionParameters.usualTimeout, phy: PHY? = nil
  ) {
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.phy = phy
  }

  /// The wanted interval, latency and supervision timeout; nil: they stay.
  var parameters: ConnectionParameters? {
    interval.map {
      ConnectionParameters(
        interval: $0, latency: latency, supervisionTimeout: supervisionTimeout
      )
    }
  }

  /// The number of changes, each of which the two sides agree on.
  var changes: Int { (interval == nil ? 0 : 1) + (phy == nil ? 0 : 1) }
}

extension ConnectionParameters {
  /// The supervision timeout of a step that wants other parameters: 4 s.
  public static let usualTimeout = Duration.seconds(4)
}

extension WantedConnection: Described {
  init() { self.init(interval: nil) }

  static let keys: [Key<Self>] = [
    Key(
      "interval", \.interval,
      .duration(
        "15ms", ConnectionParameters.intervals, unit: ConnectionParameters.intervalUnit
      ),
      "the time between two connection events"
    ),
    Key(
      "latency", \.latency,
      .integer("a number of connection events", "events") { _ in ConnectionParameters.latencies },
      default: 0, "how many connection events the device may skip"
    ),
    Key(
      "timeout", \.supervisionTimeout,
      .duration(
        "4s", ConnectionParameters.supervisionTimeouts,
        unit: ConnectionParameters.supervisionTimeoutUnit
      ),
      default: ConnectionParameters.usualTimeout,
      "the silence after which the connection counts as lost"
    ),
    Key("phy", \.phy, .choice, "the PHY in both directions"),
  ]

  static let rules: [KeyRule] = [
    .some(
      of: ["interval", "phy"], "neither 'interval' nor 'phy' is given",
      expected: "one of them, or both"
    ),
    .key("latency", with: ["interval"]),
    .key("timeout", with: ["interval"]),
  ]

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard let silence = parameters?.silence, supervisionTimeout <= silence else { return nil }
    let problem = Problem(
      "the timeout is too short for this interval and this latency",
      expected: "more than \(silence.written), which is 2 × (1 + latency) × interval"
    )
    return (["timeout", "interval"], problem)
  }

  static var shape: Shape<Self> {
    var shape = Shape<Self>(
      "parameters such as { interval: 15ms, phy: 2m }",
      line: "parameters such as interval 15ms phy 2m",
      schema: schema("the wanted parameters"), words: { [$0.words(keys).joined(separator: " ")] }
    ) { node, reader in
      guard node.mapping != nil else { return nil }
      return read(node, &reader) ?? WantedConnection()
    }
    shape.operations.problem = { value, limits in value.problem(limits) }
    return shape
  }
}

extension Shape where Value == Duration {
  /// A whole number of units in a range.
  fileprivate static func duration(
    _ example: String, _ range: ClosedRange<Duration>, unit: Duration
  ) -> Self {
    let bounds = "from \(range.lowerBound.written) to \(range.upperBound.written)"
    let expected = "a duration such as \(example), \(bounds), in steps of \(unit.written)"
    let isValid = { @Sendable (value: Duration) in
      range.contains(value) && value.isMultiple(of: unit)
    }
    var shape = Shape(
      expected, schema: .reference("duration"), words: { [$0.written] }
    ) { node, _ in node.duration.flatMap { isValid($0) ? $0 : nil } }
    shape.operations.problem = { value, _ in
      isValid(value) ? nil : Problem(found: value.written, expected: expected)
    }
    return shape
  }
}
