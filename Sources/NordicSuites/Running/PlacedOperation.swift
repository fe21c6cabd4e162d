// An operation and its place in the run of a test.

import Jobs

/// An operation that is under way.
struct PlacedOperation: Sendable {
  /// The ordinal of the operation in its test, from 1.
  let number: Int
  let operation: Operation
  /// The target it is done to; nil for operations on no device.
  let target: String?
  /// The operation as events describe it.
  let step: ReportedStep

  /// - Parameter device: The device of the target, as output names it.
  init(number: Int, operation: Operation, target: String?, device: (String) -> String) {
    self.number = number
    self.operation = operation
    self.target = target
    step = ReportedStep(
      number: number,
      operation: operation.name,
      action: operation.doing,
      attribute: operation.path?.description,
      label: operation.title == operation.name ? nil : operation.title,
      target: target.map { ReportedStep.Target(id: $0, device: device($0)) },
      source: operation.place
    )
  }
}
