// `write`: writes a characteristic.

public import Bluetooth
public import Documents
import Signals

/// The value and target characteristic of a `write` step.
public struct WriteStep: Hashable, Sendable {
  /// The way that the value reaches bluetoothd.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// A D-Bus call of `WriteValue`.
    case call
    /// A Write Command through the socket of `AcquireWrite`, which is closed once bluetoothd has
    /// read the value. Until then no other program can write the characteristic.
    case acquire
  }

  public var target: CharacteristicSelector
  /// The value; captured values are substituted when the step runs.
  public var value: WrittenValue
  /// Write with or without response.
  public var kind: WriteKind
  /// The offset in the attribute's value, in bytes.
  public var offset: Int
  public var delivery: Delivery

  /// Creates a write of one value.
  ///
  /// ```swift
  /// let value = try WrittenValue([.init(ValueFormat("u8")!, "2")])
  /// let alarm = Step(.write(WriteStep(value, to: "alert-level", kind: .command)))
  /// ```
  public init(
    _ value: WrittenValue, to target: CharacteristicSelector, kind: WriteKind = .automatic,
    offset: Int = 0, delivery: Delivery = .call
  ) {
    self.target = target
    self.value = value
    self.kind = kind
    self.offset = offset
    self.delivery = delivery
  }
}

extension WriteStep: StepKind {
  init() { self.init(.nothing, to: .unread) }

  static let verb = "write"
  static let synonyms = ["send", "put"]
  static let documentation = "writes a characteristic"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let titleKeys = 5
  static let keys: [Key<WriteStep>] =
    [
      Key("write", \.target, .characteristic, line: .target, "the characteristic")
    ] + valueKeys + [
      Key("delivery", \.delivery, .choice, default: .call, "how the value reaches bluetoothd")
    ]

  private static let kinds = WriteKind.allCases.map(\.rawValue)

  /// The keys of the value, the kind and the offset; `exchange` has them too.
  static let valueKeys: [Key<WriteStep>] = [
    .value(\.value),
    Key(
      "kind", \.kind, .choice, default: .automatic,
      line: .bare(kinds, what: kinds.joined(separator: ", ")), "the kind of write"
    ),
    Key("offset", \.offset, .offset, default: 0, "the first byte to write"),
  ]

  var action: Step.Action { .write(self) }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [operation] }
  var participle: String { "writing \(target)" }

  var writtenFormat: ValueDescription? { target.names.description(of: target.uuid) }

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    problemOfParameters.map { (["offset", "delivery"], $0) }
  }

  func run(_ run: StepRun) async throws {
    try await run.limited(run.service.write(self))
    run.outcome = .written(value.octets)
  }
}

extension Key {
  static func value(_ path: any WritableKeyPath<Owner, WrittenValue> & Sendable) -> Key {
    let documentation =
      "a value in a format, or a list of such values; or the fields of a [description](values.md)"
    return Key("value", path, .written, line: .parts, documentation)
  }
}

extension WriteStep: CustomStringConvertible {
  /// The one-line form, without the verb.
  public var description: String { words(Self.keys).joined(separator: " ") }
}

extension WriteStep {
  var operation: (CharacteristicSelector, CharacteristicOperation) {
    switch delivery {
    case .call: (target, .write(kind))
    case .acquire: (target, .acquireWriter)
    }
  }

  /// The problem of parameters that no device can accept together; nil if there is none.
  var problemOfParameters: Problem? {
    if delivery == .acquire, kind != .automatic, kind != .command {
      return Problem(
        "'delivery: acquire' only writes without response",
        expected: "a command, or no 'delivery: acquire'"
      )
    }
    guard offset > 0 else { return nil }
    if kind == .command || delivery == .acquire {
      return Problem(
        "a write without response cannot have an offset", expected: "a request, or no offset"
      )
    }
    let end = offset + value.octets.count
    guard end > WrittenValue.longest else { return nil }
    return Problem(
      "the value would end at byte \(end), but an attribute has at most \(WrittenValue.longest)"
    )
  }
}

extension Step {
  /// Writes a characteristic.
  ///
  /// ```swift
  /// try Step.write("alert-level", "u8:1")
  /// try Step.write("6e400002-b5a3-f393-e0a9-e50e24dcca9e", "hex:01", "utf8:on", kind: .request)
  /// ```
  ///
  /// Values are those of the one-line form: `u8:1`, `utf8:two words`, `u8:{level.percent}`.
  ///
  /// - Throws: `Problem` for an invalid target or value.
  public static func write(
    _ target: String, _ values: String..., kind: WriteKind = .automatic, offset: Int = 0,
    delivery: WriteStep.Delivery = .call, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let write = WriteStep(
        try WrittenValue(written: values), to: try CharacteristicSelector(parsing: target),
        kind: kind, offset: offset, delivery: delivery
      )
      if let problem = write.problemOfParameters { throw problem }
      return Step(.write(write))
    }
  }
}

extension Device {
  /// Writes with the delivery that the step chose.
  func write(_ write: WriteStep) -> Signal<Void> {
    switch write.delivery {
    case .call:
      self.write(write.value.octets, to: write.target, kind: write.kind, offset: write.offset)
    case .acquire:
      acquireWriter(write.target).flattenMap { writer in
        Signal { sink in
          try await writer.write(write.value.octets)
          try await sink(())
        }
      }
    }
  }
}
