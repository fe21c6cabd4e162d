// What a step does that asks once: for a value of the device, or for what is known of its link.

import Bluetooth
import Signals

extension ChainRun {
  /// Asks, reports the answer, keeps it and checks it.
  ///
  /// A value that is not what its format promises is reported all the same, with its octets alone.
  ///
  /// - Parameters:
  ///   - octets: What came as octets; none of what is known of a link.
  ///   - decode: What it stands for.
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
    let value = StepValue(octets: octets(answer), decoded: try? decoded.get())
    outcome = .value(value)
    emit(.value(placed.reported, value))
    try capture(decoded.get(), as: placed.step.capture)
    try check(decoded.get(), value.octets, of: placed)
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

  /// Asks for what is known of the link.
  func measure<Fact: LinkFact>(
    _ measuring: Signal<Fact>,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    try await ask(measuring, placed, &outcome, octets: { _ in [] }, decode: { $0.decoded })
  }
}

/// What is known of a link, as the value of a step.
protocol LinkFact: Sendable {
  /// The names of the fields of ``decoded``.
  static var fieldNames: [String] { get }

  var decoded: DecodedValue { get }
}
