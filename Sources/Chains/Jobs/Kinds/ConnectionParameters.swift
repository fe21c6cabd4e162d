// `connection-parameters`: reads `interval` and `supervisionTimeout` in ms, `latency` and `phy`, or
// changes them.
//
// The PHY is read from the controller; the other values come from captured HCI traffic, which needs
// `--trace`. A change needs CAP_NET_RAW.

public import Bluetooth
import Documents
import Signals

/// A step that reads or changes the parameters and the PHY of the connection.
public struct ConnectionParametersStep: StepKind {
  /// The properties to change; nil: they are only read.
  public var wanted: WantedConnection?

  public init(_ wanted: WantedConnection?) { self.wanted = wanted }

  init() { self.init(nil) }

  static let verb = "connection-parameters"
  static let documentation =
    "reads the connection parameters: `interval` and `supervisionTimeout` in ms, `latency`, and "
    + "`phy`; needs `--trace`. With wanted values it changes them, and its value is what the "
    + "device agreed to; needs CAP_NET_RAW"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "connection-parameters", \.wanted, WantedConnection.shape.asMapping.orNull,
      line: .members(WantedConnection.keys.map(\.description)), "the wanted parameters"
    )
  ]

  var action: Step.Action { .connectionParameters(self) }
  var subjects: Subjects? { ConnectionFacts.subjects }
  var participle: String {
    wanted == nil ? "reading the connection parameters" : "changing the connection parameters"
  }
  var privilege: String? { wanted == nil ? nil : "changes the connection parameters" }

  /// Each change takes at least six connection events: 24 s at the longest interval.
  func limit(_ usual: Duration) -> Duration {
    max(usual, .seconds(45) * (wanted?.changes ?? 0))
  }

  func run(_ run: StepRun) async throws {
    let (service, wanted) = (run.service, wanted)
    let facts = Signal<ConnectionFacts> { sink in
      var facts = ConnectionFacts()
      // The PHY first: a host or device without it is noticed before anything has changed.
      if let phy = wanted?.phy { facts.phy = try await service.changePHY(to: phy).first() }
      if let parameters = wanted?.parameters {
        facts.parameters = try await service.changeConnectionParameters(to: parameters).first()
      } else if wanted == nil {
        facts.parameters = try await service.connectionParameters().first()
      } else {
        facts.parameters = try await service.connectionParameters().ifKnown.first()
      }
      if wanted?.phy == nil { facts.phy = try await service.phy().ifKnown.first() }
      try await sink(facts)
    }
    try await run.measure(facts.map(\.decoded))
  }
}

/// The value of the step.
private struct ConnectionFacts: Sendable {
  /// nil: unknown, and not wanted.
  var parameters: ConnectionParameters?
  /// nil: the controller does not report it.
  var phy: LinkPHY?

  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.1 (LE Connection Complete event).
  static let subjects = Subjects(
    of: [("interval", 0...4000), ("latency", 0...499), ("supervisionTimeout", 100...32_000)],
    choices: [("phy", phys)]
  )

  /// The names of each PHY in both directions, then those of a different PHY in each direction.
  private static var phys: [String] {
    let all = PHY.allCases
    let pairs = all.flatMap { one in all.map { LinkPHY(transmit: one, receive: $0) } }
    return all.map { LinkPHY($0).description }
      + pairs.filter { $0.transmit != $0.receive }.map(\.description)
  }

  var decoded: DecodedValue {
    let phy = phy.map { DecodedValue.Field("phy", .text("\($0)")) }
    return .fields((parameters?.fields ?? []) + (phy.map { [$0] } ?? []))
  }
}

extension ConnectionParameters {
  /// Interval and supervision timeout in ms, and the latency.
  fileprivate var fields: [DecodedValue.Field] {
    [
      DecodedValue.Field("interval", .real(interval / .milliseconds(1), decimals: 2), unit: "ms"),
      DecodedValue.Field("latency", .integer(Int128(latency))),
      DecodedValue.Field(
        "supervisionTimeout", .integer(Int128((supervisionTimeout / .milliseconds(1)).rounded())),
        unit: "ms", qualifier: "timeout"
      ),
    ]
  }

  /// The value of a change without the PHY.
  package var decoded: DecodedValue { .fields(fields) }
}

extension Step {
  /// Reads the interval, latency, supervision timeout and PHY of the connection.
  ///
  /// The fields are `interval` in ms, `latency` in connection events, `supervisionTimeout` in ms, and,
  /// if the adapter reports it, `phy`: `1m`, `2m` or `coded`. Fails with `timing-unknown` when no trace
  /// recorded the parameters.
  ///
  /// ```swift
  /// try Step.connectionParameters.expect("interval", .atMost(50))
  /// ```
  public static var connectionParameters: Step {
    Step(.connectionParameters(ConnectionParametersStep()))
  }

  /// Changes the interval, latency and supervision timeout of the connection, and also its PHY if one
  /// is given, and waits until both sides use them.
  ///
  /// The value has the parameters that the device agreed to, in the fields of
  /// ``connectionParameters``. Fails with `refused` when the device does not agree, and with
  /// `capability-missing` without CAP_NET_RAW.
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
  ///   - phy: The PHY in both directions, as in ``connectionParameters(phy:)``; nil: it stays.
  public static func connectionParameters(
    interval: Duration, latency: Int = 0, timeout: Duration = ConnectionParameters.usualTimeout,
    phy: PHY? = nil
  ) -> Step {
    let wanted = WantedConnection(
      interval: interval, latency: latency, supervisionTimeout: timeout, phy: phy
    )
    return Step(.connectionParameters(ConnectionParametersStep(wanted)))
  }

  /// Changes the PHY of the connection in both directions, and waits until both sides use it.
  ///
  /// The field `phy` of the value is the PHY that the device agreed to, which may be the previous
  /// one. Fails with `not-supported` when the adapter lacks the PHY, or the device cannot change
  /// it, and with `capability-missing` without CAP_NET_RAW.
  ///
  /// ```swift
  /// try Step.connectionParameters(phy: .twoMegabit).expect("phy", .equal("2m"))
  /// ```
  public static func connectionParameters(phy: PHY) -> Step {
    Step(.connectionParameters(ConnectionParametersStep(WantedConnection(phy: phy))))
  }
}
