// `read`: reads a characteristic.

public import Bluetooth
public import Documents
import RunEvents

/// The characteristic, offset and format of a `read` step.
public struct ReadStep: StepKind {
  public var target: CharacteristicSelector
  /// The offset of the first byte to read.
  public var offset: Int
  /// The format; nil uses that of the characteristic's specification.
  public var format: ValueFormat?

  /// Creates a read.
  ///
  /// ```swift
  /// let step = Step(.read(ReadStep("battery-level")), capture: "battery")
  /// ```
  public init(_ target: CharacteristicSelector, offset: Int = 0, format: ValueFormat? = nil) {
    self.target = target
    self.offset = offset
    self.format = format
  }

  init() { self.init(.unread) }

  static let verb = "read"
  static let synonyms = ["get"]
  static let documentation = "reads a characteristic"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let titleKeys = 2
  static let keys: [Key<Self>] = [
    Key("read", \.target, .characteristic, line: .target, "the characteristic"),
    Key("offset", \.offset, .offset, default: 0, "the first byte to read"),
    Key(
      "format",
      \.format,
      .format,
      "the format of the value; by default that of its specification"
    ),
  ]

  var action: Step.Action { .read(self) }
  /// With an offset, no fields: the characteristic's format describes only the whole value.
  var subjects: Subjects? {
    offset == 0 ? Subjects(of: target, format: format, kind: .single) : .plain
  }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [(target, .read)] }
  var participle: String { "reading \(target)" }

  func run(_ run: StepRun) async throws {
    try await run.read(run.service.read(target, offset: offset)) { octets throws(ValueError) in
      if offset == 0 { return try StepValue.decode(octets, of: target, format: format) }
      // A partial value does not match the characteristic's own format; only an explicit one
      // applies.
      return try format?.decode(octets) ?? .octets(octets)
    }
  }
}

extension Step {
  /// Reads a characteristic.
  ///
  /// ```swift
  /// try Step.read("3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77", format: "u16")
  ///   .captured(as: "moisture").expect("value", .between(1000, 6000))
  /// ```
  ///
  /// The target is spelled as in a chain file: `battery-level`, `180f/2a19#1`.
  ///
  /// - Throws: `Problem` for an invalid target or format.
  public static func read(
    _ target: String, offset: Int = 0, format: String? = nil, file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let format = try ValueFormat(written: format)
      return Step(.read(ReadStep(selector, offset: offset, format: format)))
    }
  }
}
