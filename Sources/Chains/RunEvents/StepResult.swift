// The result of a step: its status, outcome and failure, and the value type of its outcomes.

public import Bluetooth

/// The result of a step in a run.
public struct StepResult: Equatable, Sendable {
  /// The status of a finished step.
  public enum Status: String, Hashable, Sendable {
    case ok
    /// In a suite, an unexpected end that the suite accepts, or important notes. In a chain, a
    /// failure with `on-failure: warn`, or a warning of the step itself.
    case warning
    /// The step failed; the rest of the chain does not run, unless `on-failure` says otherwise.
    case failed
    /// The run was cancelled during the step.
    case cancelled
    /// The condition of a `when` did not hold, and it has no `else`.
    case skipped
  }

  public let step: ReportedStep
  public package(set) var status: Status
  /// The outcome; a step whose value fails an expectation has one, too.
  public let outcome: StepOutcome?
  /// The failure. Nil for a `repeat` or `when` in which an inner step failed. An expected failure
  /// is here, too, with the status `ok`.
  public package(set) var failure: RunFailure?
  /// Remarks, one sentence each; for a warning, its reasons.
  public package(set) var notes: [String]
  /// The attempts in order, if there was more than one.
  public let tries: [StepTry]
  /// The duration of the step.
  public let took: Duration

  public init(
    _ step: ReportedStep, status: Status, outcome: StepOutcome?, failure: RunFailure?,
    notes: [String] = [], tries: [StepTry] = [], took: Duration
  ) {
    self.step = step
    self.status = status
    self.outcome = outcome
    self.failure = failure
    self.notes = notes
    self.tries = tries
    self.took = took
  }
}

/// One attempt of a step that was tried several times.
public struct StepTry: Equatable, Sendable {
  /// The start, as the time since the start of the run.
  public let began: Duration
  /// The duration of the attempt.
  public let took: Duration
  /// The failure; nil for the last attempt, whose failure is that of the step.
  public let why: String?

  public init(began: Duration, took: Duration, why: String?) {
    self.began = began
    self.took = took
    self.why = why
  }

  /// The remarks on failed attempts.
  ///
  /// - Parameter most: The maximum number of attempts.
  package static func notes(on tries: [StepTry], of most: Int) -> [String] {
    tries.enumerated().compactMap { index, each in
      each.why.map { "try \(index + 1) of \(most) failed: \($0)" }
    }
  }
}

/// The data that a step produced.
public enum StepOutcome: Equatable, Sendable {
  /// The connection is up: made by this run, shared, or found and therefore kept at the end. If a
  /// pattern matched devices, `candidates` lists them, the one in use first.
  case linked(LinkOrigin, candidates: [DeviceCandidate] = [])
  /// The connection was kept, because other programs on this host use it.
  case left
  /// The value of a `read`.
  case value(StepValue)
  /// The device is paired.
  case paired(PairingOutcome)
  /// The bytes that were written.
  case written([UInt8])
  /// The values of a `notify`: their number, their rate per second, and the number of dropped
  /// values.
  case listened(count: Int, rate: Double, dropped: Int = 0)
  /// The reads of a `poll`: their number, their rate per second, and their latencies; nil if there
  /// were none.
  case polled(count: Int, rate: Double, latencies: Percentiles?)
  /// The answer of an `exchange`, and the times from the start of the write to its response and to
  /// the notification, in either order.
  case exchanged(StepValue, answered: Duration, notified: Duration)
  /// The ATT MTU, in bytes.
  case mtu(Int)
  /// The services with their characteristics and descriptors, and the names to print them with.
  case services([GATTService], names: AttributeNames = .assigned)
  /// The devices that a `scan` found, each with its last advertisement, in the order of first
  /// reception.
  case scanned([Advertisement])
  /// The text of a `log`.
  case logged(String)
}

/// A value from a device.
public struct StepValue: Equatable, Sendable {
  /// The bytes as the device sent them.
  public let octets: [UInt8]
  /// The decoded value; nil if the bytes do not match their format.
  public let decoded: DecodedValue?
  /// The reason that the bytes do not decode, such as too few bytes or a field out of range; nil if
  /// they do.
  public let problem: String?

  public init(octets: [UInt8], decoded: DecodedValue?, problem: String? = nil) {
    self.octets = octets
    self.decoded = decoded
    self.problem = problem
  }

  /// Creates a value from bytes and the result of decoding them.
  package init(_ octets: [UInt8], _ decoded: Result<DecodedValue, ValueError>) {
    self.octets = octets
    switch decoded {
    case .success(let value):
      self.decoded = value
      problem = nil
    case .failure(let error):
      self.decoded = nil
      problem = "\(error)"
    }
  }

  /// The reason that recorded bytes do not decode as the value of an attribute; nil if they do.
  package static func problem(hex: String, attribute: String) -> String? {
    guard let octets = try? ValueFormat("hex")?.encode(hex), let uuid = uuid(of: attribute) else {
      return nil
    }
    return StepValue(
      octets, Result { () throws(ValueError) in try decode(octets, of: uuid, format: nil) }
    ).problem
  }

  /// The UUID of the characteristic or descriptor with an assigned name in output; nil for a handle
  /// and for other names.
  package static func uuid(of attribute: String) -> BluetoothUUID? {
    let start = attribute.lastIndex(of: "/").map { attribute.index(after: $0) }
    let name = String(attribute[(start ?? attribute.startIndex)...].prefix { $0 != "#" })
    let names = AttributeNames.assigned
    return names.uuid(name, .characteristic) ?? names.uuid(name, .descriptor)
  }

  /// Decodes bytes in `format`; without one, in the layout of the characteristic, or else as plain
  /// bytes.
  ///
  /// ```swift
  /// let level = try StepValue.decode([87], of: "battery-level", format: nil)
  /// print(level)  // 87 %
  /// ```
  ///
  /// - Throws: `ValueError` if the bytes do not match.
  public static func decode(
    _ octets: [UInt8], of selector: CharacteristicSelector, format: ValueFormat?
  ) throws(ValueError) -> DecodedValue {
    try decode(octets, of: selector.uuid, format: format, names: selector.names)
  }

  /// Decodes bytes of a characteristic or descriptor; as plain bytes if its UUID is nil or unknown.
  ///
  /// - Parameter names: The names whose descriptions of values come before those of specifications.
  package static func decode(
    _ octets: [UInt8], of uuid: BluetoothUUID?, format: ValueFormat?,
    names: AttributeNames = .assigned
  ) throws(ValueError) -> DecodedValue {
    if let format { return try format.decode(octets) }
    return try names.description(of: uuid)?.decode(octets) ?? .octets(octets)
  }
}
