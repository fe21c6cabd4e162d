// The result of a step.

public import Bluetooth

/// The result of one step of a run.
public struct StepResult: Equatable, Sendable {
  /// How a step ended.
  public enum Status: String, Hashable, Sendable {
    /// It succeeded.
    case ok
    /// It did not end as expected, which the suite accepts, or its notes matter. Of a chain: it failed,
    /// and only warns.
    case warning
    /// It failed; the rest of the chain is not run.
    case failed
    /// The run was cancelled while it ran.
    case cancelled
    /// The condition of a `when` did not hold.
    case skipped
  }

  /// The step.
  public let step: ReportedStep
  /// How it ended.
  public internal(set) var status: Status
  /// Its outcome; also of a failed step whose value is not as expected.
  public let outcome: StepOutcome?
  /// Why it failed. Nil for a `repeat` or `when` in which another step failed. A step whose failure
  /// was expected has one too, with the status `ok`.
  public internal(set) var failure: RunFailure?
  /// Remarks, a sentence each: of a warning, its reasons.
  public internal(set) var notes: [String]
  /// Its tries, in order, where there was more than one.
  public let tries: [StepTry]
  /// How long it took.
  public let took: Duration

  /// The result of a step.
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

/// One try of a step that was tried several times.
public struct StepTry: Equatable, Sendable {
  /// When it began, counted from the start of the run.
  public let began: Duration
  /// How long it took.
  public let took: Duration
  /// Why it failed; nil for the last one, whose end is that of the step.
  public let why: String?

  /// A try, and why it failed.
  public init(began: Duration, took: Duration, why: String?) {
    self.began = began
    self.took = took
    self.why = why
  }

  /// A remark on each try that failed, of so many that there may be.
  static func notes(on tries: [StepTry], of most: Int) -> [String] {
    tries.enumerated().compactMap { index, each in
      each.why.map { "try \(index + 1) of \(most) failed: \($0)" }
    }
  }
}

/// The outcome of a step.
public enum StepOutcome: Equatable, Sendable {
  /// The connection is up: it was made, is shared, or was found and is left up. Where several devices matched, or
  /// a pattern selected one, they are there, the one that was used first.
  case linked(LinkOrigin, candidates: [DeviceCandidate] = [])
  /// The connection is left up: others on this host use it.
  case left
  /// The value of a `read`.
  case value(StepValue)
  /// The device is paired.
  case paired(PairingOutcome)
  /// The octets that a write wrote.
  case written([UInt8])
  /// Of a `notify`: the number of values, their rate per second, and the number of dropped values.
  case listened(count: Int, rate: Double, dropped: Int = 0)
  /// Of a `poll`: the number of values, their rate per second, and the latencies of the reads, if there
  /// were any.
  case polled(count: Int, rate: Double, latencies: Percentiles?)
  /// The answer of an `exchange`, and the times from the start of the write to its response and to
  /// the notification; either may come first.
  case exchanged(StepValue, answered: Duration, notified: Duration)
  /// The ATT MTU, in octets.
  case mtu(Int)
  /// The services of the device, with their characteristics and descriptors, and the names by which
  /// they are printed.
  case services([GATTService], names: AttributeNames = .assigned)
  /// The devices that a `scan` found, with their last advertisements, in the order of the first
  /// ones.
  case scanned([Advertisement])
  /// The text of a `log`.
  case logged(String)
}

/// A value that a device sent.
public struct StepValue: Equatable, Sendable {
  /// The bytes as the device sent them.
  public let octets: [UInt8]
  /// The decoded value; nil when the octets do not match their format or characteristic.
  public let decoded: DecodedValue?
  /// Why the octets are no value: there are too few, or a field is out of its range. Nil for a value.
  public let problem: String?

  /// A value and what it means.
  public init(octets: [UInt8], decoded: DecodedValue?, problem: String? = nil) {
    self.octets = octets
    self.decoded = decoded
    self.problem = problem
  }

  /// Octets, and what came of decoding them.
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

  /// Why the octets of an attribute, under its name in output, are no value; nil without a reason.
  package static func problem(hex: String, attribute: String) -> String? {
    guard let octets = try? ValueFormat("hex")?.encode(hex), let uuid = uuid(of: attribute) else {
      return nil
    }
    return StepValue(
      octets, Result { () throws(ValueError) in try decode(octets, of: uuid, format: nil) }
    ).problem
  }

  /// The UUID of the characteristic or descriptor with a name in output; nil for a handle.
  static func uuid(of attribute: String) -> BluetoothUUID? {
    if let selector = try? CharacteristicSelector(parsing: attribute) { return selector.uuid }
    return (try? DescriptorSelector(parsing: attribute))?.uuid
  }

  /// Decodes octets: in `format` if there is one, otherwise in the layout of the characteristic,
  /// otherwise as plain octets.
  ///
  /// ```swift
  /// let level = try StepValue.decode([87], of: "battery-level", format: nil)
  /// print(level)  // 87 %
  /// ```
  ///
  /// - Throws: `ValueError` when the octets do not match.
  public static func decode(
    _ octets: [UInt8], of selector: CharacteristicSelector, format: ValueFormat?
  ) throws(ValueError) -> DecodedValue {
    try decode(octets, of: selector.uuid, format: format)
  }

  /// The same for a characteristic or descriptor; plain octets where its UUID is unknown.
  static func decode(
    _ octets: [UInt8], of uuid: BluetoothUUID?, format: ValueFormat?
  ) throws(ValueError) -> DecodedValue {
    if let format { return try format.decode(octets) }
    guard let decode = uuid.flatMap({ StandardValues.decoder(for: $0) }) else {
      return .octets(octets)
    }
    return try decode(octets)
  }
}
