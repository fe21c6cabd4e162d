// `exchange`: writes a request and waits for the notification that answers it.

public import Bluetooth
public import Documents
import RunEvents
import Signals

/// The request and the answer of an `exchange` step.
public struct ExchangeStep: Hashable, Sendable {
  /// The request, written once the subscription is active so that no answer is missed.
  public var write: WriteStep
  /// The characteristic that notifies the answer; by default the one that is written.
  public var answer: CharacteristicSelector {
    get { otherAnswer ?? write.target }
    set { otherAnswer = newValue == write.target ? nil : newValue }
  }
  /// The characteristic of the answer; nil if it is the one that is written.
  var otherAnswer: CharacteristicSelector?
  /// The format; nil uses that of the characteristic's specification.
  public var format: ValueFormat?
  /// The conditions that a notification must meet to count as the answer. Others are ignored.
  public var conditions: [Expectation]
  /// The D-Bus mechanism that delivers the answer.
  public var delivery: SubscriptionOptions.Delivery

  /// Creates an exchange.
  ///
  /// ```swift
  /// let count = try WrittenValue([.init(ValueFormat("hex")!, "0401")])
  /// let exchange = ExchangeStep(WriteStep(count, to: "record-access-control-point"))
  /// ```
  public init(
    _ write: WriteStep, answer: CharacteristicSelector? = nil, format: ValueFormat? = nil,
    where conditions: [Expectation] = [], delivery: SubscriptionOptions.Delivery = .signals
  ) {
    self.write = write
    otherAnswer = answer == write.target ? nil : answer
    self.format = format
    self.conditions = conditions
    self.delivery = delivery
  }

  /// Whether a notification is the answer. A value that cannot be decoded is compared as bytes.
  func isAnswer(_ octets: [UInt8]) -> Bool {
    let value = (try? StepValue.decode(octets, of: answer, format: format)) ?? .octets(octets)
    return conditions.areMet(by: value, octets: octets)
  }
}

extension ExchangeStep: StepKind {
  init() { self.init(WriteStep()) }

  static let verb = "exchange"
  static let synonyms = ["request"]
  static let documentation = "subscribes, writes, and waits for the notification that answers"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let titleKeys = 4
  static let keys: [Key<ExchangeStep>] =
    [
      Key(
        "exchange", \.write.target, .characteristic, line: .target,
        "the characteristic that is written"
      )
    ] + WriteStep.valueKeys.map { $0.of(\.write) } + [
      Key(
        "answer",
        \.otherAnswer,
        .characteristic,
        "the characteristic that answers; by default the one that is written"
      ),
      Key("format", \.format, .format, "the format of the answer"),
      Key(
        "where", \.conditions, .expectations, default: [], line: .comparisons(after: "where"),
        "what a notification must be to count as the answer"
      ),
      Key(
        "delivery", \.delivery, .choice, default: .signals,
        "how the answer arrives from bluetoothd"
      ),
    ]

  var action: Step.Action { .exchange(self) }
  var characteristic: CharacteristicSelector? { answer }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] {
    [(answer, .subscribe), write.operation]
  }
  var writtenFormat: ValueDescription? { write.writtenFormat }
  var subjects: Subjects? { Subjects(of: answer, format: format, kind: .single) }
  var written: String? { write.target.description }
  var participle: String { "writing \(write.target) and waiting for \(answer)" }

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    write.problemOfParameters.map { (["offset", "delivery"], $0) }
  }

  func run(_ run: StepRun) async throws {
    let progress = Guarded((isWritten: false, others: 0, last: [UInt8]()))
    let writing = run.service.write(write)
      .map { progress.withLock { $0.isWritten = true } }
    let exchange = run.service.exchange(
      writing, expectingOn: answer, options: SubscriptionOptions(delivery: delivery)
    ) { notification in
      let isAnswer = isAnswer(notification.value)
      if !isAnswer {
        progress.withLock { ($0.others, $0.last) = ($0.others + 1, notification.value) }
      }
      return isAnswer
    }
    let done = try await run.limited(exchange) { limit in
      let (isWritten, others, last) = progress.withLock { $0 }
      return late(isWritten: isWritten, others: others, last: last, within: limit)
    }
    let octets = done.notification.value
    try run.report(decoded(octets), octets, at: done.notification.at) { value in
      .exchanged(
        value, answered: done.answered - done.begun, notified: done.notification.at - done.begun
      )
    }
  }

  private func decoded(_ octets: [UInt8]) -> Result<DecodedValue, ValueError> {
    Result { () throws(ValueError) in try StepValue.decode(octets, of: answer, format: format) }
  }

  private func late(
    isWritten: Bool, others: Int, last: [UInt8], within limit: Duration
  ) -> Lateness {
    let time = "within \(limit.written)"
    if others > 0 {
      let values = counted(others, "value")
      let shown = Lateness.last(StepValue(last, decoded(last)))
      return .silent("\(answer) notified \(values) \(time), none of which is the answer\(shown)")
    }
    guard isWritten else { return Lateness("the write was not answered \(time)") }
    return .silent("the value was written, and \(answer) notified nothing \(time)")
  }
}

extension Step {
  /// Writes a request and waits for the notification that answers it.
  ///
  /// The first notification is the answer, unless ``answered(_:_:file:line:)`` adds a condition.
  ///
  /// ```swift
  /// try Step.exchange("record-access-control-point", "hex:0401").answered("hex", .like("05*"))
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target, value or format.
  public static func exchange(
    _ target: String, _ values: String..., answer: String? = nil, format: String? = nil,
    file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let exchange = ExchangeStep(
        WriteStep(try WrittenValue(written: values), to: selector),
        answer: try answer.map { try CharacteristicSelector(parsing: $0) },
        format: try ValueFormat(written: format)
      )
      return Step(.exchange(exchange))
    }
  }

  /// Adds a condition that a notification must meet to count as the answer of an `exchange`.
  ///
  /// ```swift
  /// try Step.exchange("record-access-control-point", "hex:0401").answered("hex", .like("05*"))
  /// ```
  ///
  /// - Throws: `Problem` for a step other than `exchange`, and for an unknown subject.
  public func answered(
    _ subject: String, _ check: Check, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      guard case .exchange(var exchange) = action else {
        throw Problem("'\(operation)' has no answer")
      }
      exchange.conditions.append(Expectation(try self.subject(subject), check))
      return setting(\.action, .exchange(exchange))
    }
  }
}
