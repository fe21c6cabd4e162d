// `read`: reads a characteristic.

public import Bluetooth
public import Documents

/// Reads a characteristic.
public struct ReadStep: StepKind {
  /// The characteristic that is read.
  public var target: CharacteristicSelector
  /// The first byte to read.
  public var offset: Int
  /// The format of a value without a specification.
  public var format: ValueFormat?

  /// A read.
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
  /// The rest of a value is not what its characteristic promises.
  var subjects: Subjects? {
    offset == 0 ? Subjects(of: target.uuid, format: format, kind: .single) : .plain
  }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [(target, .read)] }
  var doing: String { "reading \(target)" }

  func run(_ run: StepRun) async throws {
    try await run.read(run.service.read(target, offset: offset)) { octets throws(ValueError) in
      if offset == 0 { return try StepValue.decode(octets, of: target, format: format) }
      // A part of a value does not match the format of its characteristic.
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
  /// The target is one of a chain file: `battery-level`, `180f/2a19#1`.
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
