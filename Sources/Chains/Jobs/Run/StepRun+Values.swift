// Reports, captures and checks the value of a step that has only one.
//
// Steps with many values are in StepRun+Streaming.swift.

import Bluetooth
import RunEvents
import Signals

extension StepRun {
  func read(
    _ reading: Signal<[UInt8]>, _ decode: ([UInt8]) throws(ValueError) -> DecodedValue
  ) async throws {
    let octets = try await limited(reading)
    try report(Result { () throws(ValueError) in try decode(octets) }, octets)
  }

  /// Requests parameters of the connection, which are not bytes from the device.
  func measure(_ measuring: Signal<DecodedValue>) async throws {
    try report(.success(try await limited(measuring)), [])
  }

  /// Reports a value, captures it and checks it.
  ///
  /// A value that does not match its format is still reported, with only its bytes. One with a
  /// field out of range fails only a step that uses its fields.
  ///
  /// - Parameters:
  ///   - octets: The bytes from the device; empty for parameters of the connection.
  ///   - instant: The arrival time; nil for now.
  ///   - outcome: Creates the outcome of the step.
  func report(
    _ decoded: Result<DecodedValue, ValueError>, _ octets: [UInt8], at instant: Instant? = nil,
    as outcome: (StepValue) -> StepOutcome = { .value($0) }
  ) throws {
    let value = StepValue(octets, decoded)
    self.outcome = outcome(value)
    chain.emit(.data(reported, .value(value)), at: instant)
    try use(try step.usable(decoded, octets), octets)
  }

  /// Captures the value of the step, and checks it.
  ///
  /// - Parameter octets: The bytes from the device; nil for a value that is not from the device.
  func use(_ value: DecodedValue, _ octets: [UInt8]? = nil) throws(ExpectationFailure) {
    capture(value, octets: octets)
    guard !step.expectations.isEmpty else { return }
    var progress = chain.progress(of: placed)
    try progress.check(value, octets: octets ?? [])
    chain.keep(progress, of: placed)
  }

  /// Stores a value under the capture name of the step, if it has one.
  func capture(_ value: DecodedValue, octets: [UInt8]? = nil) {
    chain.capture(value, octets: octets, as: step.capture)
  }
}

extension Step {
  /// Returns the value for checks and captures.
  ///
  /// - Parameter conditions: The stop conditions of the step.
  /// - Returns: The decoded value; for one out of range, its bytes, if the step does not use its
  ///   fields.
  /// - Throws: ``ValueError`` for other values that cannot be decoded.
  func usable(
    _ decoded: Result<DecodedValue, ValueError>, _ octets: [UInt8],
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

extension Signal {
  /// The value of a query about the connection; nil if the host or its controller does not tell it.
  ///
  /// Only the loss of the connection is a failure. A controller that does not answer tells nothing, either.
  var ifKnown: Signal<Value?> {
    Signal<Value?> { sink in
      var value: Value?
      do {
        value = try await first()
      } catch let failure as DeviceFailure
        where failure.code != .notConnected && failure.code != .linkLost
      {
        // It is not known.
      } catch is TimedOut where !Task.isCancelled {
        // It is not known, either.
      }
      try await sink(value)
    }
  }
}
