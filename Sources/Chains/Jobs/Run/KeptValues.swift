// All values of a stream that a later step uses as a whole: `log.values`, `log.bytes`.

import Bluetooth

/// The values of one step with many, in the order of their arrival, and their bytes.
struct KeptValues {
  /// The most values that are kept.
  static let most = 10_000
  /// The most bytes that the kept values have together.
  static let mostOctets = 1_048_576

  private(set) var values: [DecodedValue] = []
  /// The bytes that the device sent, one value after the other.
  private(set) var octets: [UInt8] = []
  /// The number of values that came.
  private(set) var count = 0
  private var length = 0
  /// The last value that came, also after those that are kept.
  private var last: DecodedValue?

  /// Whether all values that came are kept.
  var isComplete: Bool { count == values.count }

  /// Keeps a value, unless there are too many; of those only the last.
  ///
  /// - Parameter length: The number of bytes of the value, also of one joined from several.
  mutating func add(_ value: DecodedValue, octets: [UInt8], length: Int) {
    let hasRoom =
      isComplete && count < Self.most && self.length + length <= Self.mostOctets
    count += 1
    last = value
    guard hasRoom else { return }
    values.append(value)
    self.octets += octets
    self.length += length
  }

  /// The part of the stream; nil for a field that no value has.
  func value(of part: KeptPart) -> DecodedValue? {
    switch part.word {
    case .bytes: part.field == nil ? .octets(octets) : nil
    case .first: values.first.flatMap(part.field(of:))
    case .last: last.flatMap(part.field(of:))
    case .values:
      .list(part.field == nil ? values : values.compactMap(part.field(of:)))
    }
  }

  /// The reason that the values cannot be used; nil if all are kept.
  func problem(of name: String) -> String? {
    guard !isComplete else { return nil }
    return "'\(name)' kept \(values.count) of \(counted(count, "value")), and keeps at most "
      + "\(Self.most) values and \(Self.mostOctets) bytes"
  }
}

/// A part of a captured stream as a whole: `log.values.sequence`, `log.first`, `log.bytes`.
struct KeptPart {
  enum Word: String, CaseIterable {
    /// A list of all values; behind a field, the list of that field.
    case values
    case first, last
    /// The bytes of all values, one after the other; of a single value, those of that.
    case bytes
  }

  let word: Word
  /// The field of each value; nil for whole values.
  let field: String?

  /// Parses the field of a captured value; nil for other fields.
  init?(_ field: String) {
    let dot = field.firstIndex(of: ".")
    guard let word = Word(rawValue: String(field[..<(dot ?? field.endIndex)])) else { return nil }
    self.word = word
    self.field = dot.map { String(field[field.index(after: $0)...]) }
  }

  fileprivate func field(of value: DecodedValue) -> DecodedValue? {
    guard let field else { return value }
    return value.field(at: field)?.value
  }
}

extension Plan {
  /// The names of the streams that a later step uses as a whole. The values of others are not kept.
  var keptStreams: Set<String> {
    Set(allSteps.flatMap(\.mentions).filter(\.isOfKeptValues).map(\.variable))
  }
}

extension Step {
  /// The captured values that the step uses.
  var mentions: [VariablePath] { kind.mentions + expectations.flatMap(\.check.references) }
}

extension VariablePath {
  /// Whether it may be a part of a stream as a whole; a field of that name comes before.
  var isOfKeptValues: Bool { field.flatMap { KeptPart($0) } != nil }
}
