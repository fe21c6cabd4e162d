// `connection-parameters`: reads `interval` and `supervisionTimeout` in ms, and `latency`, or changes them.
//
// The values that are read come from captured HCI traffic, so this needs `--trace`. A change needs CAP_NET_RAW.

public import Bluetooth
import Documents
import Signals

/// A step that reads or changes the parameters of the connection.
public struct ConnectionParametersStep: StepKind {
  /// The parameters to change to; nil: they are only read.
  public var wanted: ConnectionParameters?

  public init(_ wanted: ConnectionParameters?) { self.wanted = wanted }

  init() { self.init(nil) }

  static let verb = "connection-parameters"
  static let documentation =
    "reads the connection parameters: `interval` and `supervisionTimeout` in ms, and `latency`; needs `--trace`. "
    + "With wanted values it changes them, and its value is what the device agreed to; needs CAP_NET_RAW"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "connection-parameters", \.wanted, ConnectionParameters.shape.orNull,
      line: .members(ConnectionParameters.keys.map(\.description)), "the wanted parameters"
    )
  ]

  var action: Step.Action { .connectionParameters(self) }
  var subjects: Subjects? { ConnectionParameters.subjects }
  var participle: String {
    wanted == nil ? "reading the connection parameters" : "changing the connection parameters"
  }
  var privilege: String? { wanted == nil ? nil : "changes the connection parameters" }
  /// A change takes at least six connection events: 24 s at the longest interval.
  func limit(_ usual: Duration) -> Duration { wanted == nil ? usual : max(usual, .seconds(45)) }

  func run(_ run: StepRun) async throws {
    let parameters =
      wanted.map { run.service.changeConnectionParameters(to: $0) }
      ?? run.service.connectionParameters()
    try await run.measure(parameters.map(\.decoded))
  }
}

extension Step {
  /// Reads the interval, latency and supervision timeout of the connection.
  ///
  /// The fields are `interval` in ms, `latency` in connection events, and `supervisionTimeout` in
  /// ms. Fails with `timing-unknown` when no trace recorded the parameters.
  ///
  /// ```swift
  /// try Step.connectionParameters.expect("interval", .atMost(50))
  /// ```
  public static var connectionParameters: Step {
    Step(.connectionParameters(ConnectionParametersStep()))
  }

  /// Changes the interval, latency and supervision timeout of the connection, and waits until both
  /// sides use them.
  ///
  /// The value is what the device agreed to, with the fields of ``connectionParameters``. Fails with
  /// `refused` when the device does not agree, and with `capability-missing` without CAP_NET_RAW.
  ///
  /// ```swift
  /// try Step.connectionParameters(interval: .milliseconds(15)).expect("interval", .atMost(20))
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between two connection events: 7.5 ms to 4 s, in steps of 1.25 ms.
  ///   - latency: The number of connection events that the device may skip: at most 499.
  ///   - timeout: The silence after which the connection counts as lost: 100 ms to 32 s, and more than
  ///     2 × (1 + latency) × interval.
  public static func connectionParameters(
    interval: Duration, latency: Int = 0, timeout: Duration = ConnectionParameters.usualTimeout
  ) -> Step {
    let wanted = ConnectionParameters(
      interval: interval, latency: latency, supervisionTimeout: timeout
    )
    return Step(.connectionParameters(ConnectionParametersStep(wanted)))
  }
}

extension ConnectionParameters {
  /// The supervision timeout of a step that wants other parameters: 4 s.
  public static let usualTimeout = Duration.seconds(4)
}

extension ConnectionParameters: Described {
  /// Creates parameters whose interval is a placeholder.
  init() {
    self.init(
      interval: Self.intervals.lowerBound, latency: 0, supervisionTimeout: Self.usualTimeout
    )
  }

  static let keys: [Key<Self>] = [
    Key(
      "interval", \.interval, .duration("15ms", intervals, unit: intervalUnit),
      "the time between two connection events"
    ),
    Key(
      "latency", \.latency, .integer("a number of connection events", "events") { _ in latencies },
      default: 0, "how many connection events the device may skip"
    ),
    Key(
      "timeout", \.supervisionTimeout,
      .duration("4s", supervisionTimeouts, unit: supervisionTimeoutUnit), default: usualTimeout,
      "the silence after which the connection counts as lost"
    ),
  ]

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard supervisionTimeout <= silence else { return nil }
    let problem = Problem(
      "the timeout is too short for this interval and this latency",
      expected: "more than \(silence.written), which is 2 × (1 + latency) × interval"
    )
    return (["timeout", "interval"], problem)
  }

  static var shape: Shape<Self> {
    var shape = Shape<Self>(
      "parameters such as { interval: 15ms, latency: 0, timeout: 4s }",
      line: "parameters such as interval 15ms latency 0 timeout 4s",
      schema: schema("the wanted parameters"), words: { [$0.words(keys).joined(separator: " ")] }
    ) { node, reader in
      guard node.mapping != nil else { return nil }
      return read(node, &reader) ?? ConnectionParameters()
    }
    shape.operations.problem = { value, limits in value.problem(limits) }
    return shape
  }

  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.1 (LE Connection Complete event).
  fileprivate static let subjects = Subjects(of: [
    ("interval", 0...4000), ("latency", 0...499), ("supervisionTimeout", 100...32_000),
  ])

  /// The value of a step: interval and supervision timeout in ms, and the latency.
  package var decoded: DecodedValue {
    .fields([
      DecodedValue.Field("interval", .real(interval / .milliseconds(1), decimals: 2), unit: "ms"),
      DecodedValue.Field("latency", .integer(Int128(latency))),
      DecodedValue.Field(
        "supervisionTimeout", .integer(Int128((supervisionTimeout / .milliseconds(1)).rounded())),
        unit: "ms timeout"
      ),
    ])
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
