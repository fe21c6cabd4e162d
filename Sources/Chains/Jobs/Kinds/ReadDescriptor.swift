// `read-descriptor`: reads a descriptor.

public import Bluetooth
public import Documents
import RunEvents

/// The descriptor and format of a `read-descriptor` step.
public struct ReadDescriptorStep: StepKind {
  public var target: DescriptorSelector
  /// The format; nil uses that of the descriptor's specification.
  public var format: ValueFormat?

  public init(_ target: DescriptorSelector, format: ValueFormat? = nil) {
    self.target = target
    self.format = format
  }

  init() { self.init(.unread) }

  static let verb = "read-descriptor"
  static let documentation = "reads a descriptor: `battery-level/2901`"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = [
    Key("read-descriptor", \.target, .descriptor, line: .target, "the descriptor"),
    Key("format", \.format, .format, "the format of the value"),
  ]

  var action: Step.Action { .readDescriptor(self) }
  var subjects: Subjects? { Subjects(of: target, format: format) }
  var attribute: String? { target.description }
  var participle: String { "reading \(target)" }
  var privilege: String? { "reads descriptor \(target)" }

  func run(_ run: StepRun) async throws {
    try await run.read(run.service.readDescriptor(target)) { octets throws(ValueError) in
      try StepValue.decode(
        octets, of: target.uuid, format: format, names: target.characteristic.names)
    }
  }
}

extension Step {
  /// Reads a descriptor: `battery-level/2901`.
  ///
  /// ```swift
  /// try Step.readDescriptor("battery-level/2901").captured(as: "description")
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or format.
  public static func readDescriptor(
    _ target: String, format: String? = nil, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      let format = try ValueFormat(written: format)
      return Step(.readDescriptor(ReadDescriptorStep(selector, format: format)))
    }
  }
}
