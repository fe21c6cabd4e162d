// Steps with a single value: a read of the device, or the parameters of its connection.

import Bluetooth
import Signals

extension ChainRun {
  /// Requests a value, reports it, captures it and checks it.
  ///
  /// A value that does not match its format is reported all the same, with only its octets. One
  /// with a field out of its range fails only a step that uses its fields.
  ///
  /// - Parameters:
  ///   - octets: The octets of the response; empty for parameters of the connection.
  ///   - decode: Decodes the response.
  func ask<Answer: Sendable>(
    _ asking: Signal<Answer>,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    octets: (Answer) -> [UInt8],
    decode: (Answer) throws(ValueError) -> DecodedValue
  ) async throws {
    var answer: Answer?
    try await limited(asking, placed) { answer = $0 }
    guard let answer else { throw NoValue(operation: placed.step.doing) }
    let decoded = Result { () throws(ValueError) in try decode(answer) }
    let value = StepValue(octets(answer), decoded)
    outcome = .value(value)
    emit(.value(placed.reported, value))
    let usable = try placed.step.usable(decoded, value.octets)
    capture(usable, octets: value.octets, as: placed.step.capture)
    try check(usable, value.octets, of: placed)
  }

  /// Reads a value.
  func read(
    _ reading: Signal<[UInt8]>,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    _ decode: ([UInt8]) throws(ValueError) -> DecodedValue
  ) async throws {
    try await ask(reading, placed, &outcome, octets: { $0 }, decode: decode)
  }

  /// Requests parameters of the connection.
  func measure<Fact: LinkFact>(
    _ measuring: Signal<Fact>,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    try await ask(measuring, placed, &outcome, octets: { _ in [] }, decode: { $0.decoded })
  }
}

extension Step {
  /// The value for checks and captures.
  ///
  /// - Parameter conditions: The stop conditions of the step.
  /// - Returns: The octets for a value out of its range, when the step does not use its fields.
  /// - Throws: ``ValueError`` for other values that cannot be decoded.
  func usable(
    _ decoded: Result<DecodedValue, ValueError>,
    _ octets: [UInt8],
    until conditions: [Expectation] = []
  ) throws(ValueError) -> DecodedValue {
    do {
      return try decoded.get()
    } catch {
      let isUsed =
        capture != nil || (expectations + conditions).contains { $0.subject.isOfDecodedValue }
      guard error.isOutOfRange, !isUsed else { throw error }
      return .octets(octets)
    }
  }
}

/// Parameters of a connection, as the value of a step.
protocol LinkFact: Sendable {
  var decoded: DecodedValue { get }
}
