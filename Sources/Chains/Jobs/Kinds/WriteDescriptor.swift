// `write-descriptor`: writes a descriptor.

public import Bluetooth
public import Documents

/// The value and target descriptor of a `write-descriptor` step.
public struct WriteDescriptorStep: StepKind {
  public var target: DescriptorSelector
  /// The value; captured values are substituted when the step runs.
  public var value: WrittenValue

  public init(_ value: WrittenValue, to target: DescriptorSelector) {
    self.target = target
    self.value = value
  }

  init() { self.init(.nothing, to: .unread) }

  static let verb = "write-descriptor"
  static let documentation = "writes a descriptor"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let titleKeys = 2
  static let keys: [Key<Self>] = [
    Key("write-descriptor", \.target, .descriptor, line: .target, "the descriptor"),
    .value(\.value),
  ]

  var action: Step.Action { .writeDescriptor(self) }
  var attribute: String? { target.description }
  var writtenFormat: ValueDescription? { target.characteristic.names.description(of: target.uuid) }
  var participle: String { "writing \(target)" }
  var privilege: String? { "writes descriptor \(target)" }

  func run(_ run: StepRun) async throws {
    try await run.limited(run.service.writeDescriptor(value.octets, to: target))
    run.outcome = .written(value.octets)
  }
}

extension Step {
  /// Writes a descriptor, with a Write Request.
  ///
  /// bluetoothd alone writes the Client Characteristic Configuration; use `notify` to subscribe.
  ///
  /// ```swift
  /// try Step.writeDescriptor("temperature-measurement/2906", "u16:5", "u16:60")
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or value.
  public static func writeDescriptor(
    _ target: String, _ values: String..., file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      let value = try WrittenValue(written: values)
      return Step(.writeDescriptor(WriteDescriptorStep(value, to: selector)))
    }
  }
}
