// `write-descriptor`: writes a descriptor.

public import Bluetooth
public import Documents

/// Writes a descriptor.
public struct WriteDescriptorStep: StepKind {
  /// The descriptor that is written.
  public var target: DescriptorSelector
  /// What is written, with its captured values.
  public var value: WrittenValue

  /// A write of one value.
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
  var doing: String { "writing \(target)" }
  var privilege: String? { "writes descriptor \(target)" }

  func run(_ run: StepRun) async throws {
    try await run.limited(run.service.writeDescriptor(value.octets, to: target))
    run.outcome = .written(value.octets)
  }
}

extension Step {
  /// Writes a descriptor.
  ///
  /// With a write request. bluetoothd writes the Client Characteristic Configuration itself:
  /// `notify` subscribes.
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
