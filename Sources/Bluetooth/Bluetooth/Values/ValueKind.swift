// The type of a characteristic's decoded values, known before a value is read.
//
// It finds errors in files: a number is never equal to a text. An uncertain type is left out.

/// The type that a value, or one of its fields, always has.
package enum ValueKind: Hashable, Sendable {
  /// A number: within a range if one is known, and without fractions if it is whole. Some numbers
  /// on the wire may stand for something else, which is then a text.
  case number(orText: Bool, in: ClosedRange<Double>? = nil, isWhole: Bool = false)
  /// One of these names.
  case choice([String])
  /// A date and time, such as `2026-01-31 23:59:00`.
  case time
  case boolean, text, octets
}

extension ValueFormat {
  /// The type of values in this format.
  package var valueKind: ValueKind {
    switch name {
    case "utf8": .text
    case "hex": .octets
    // open: names of formats, all others of which are numbers
    default: .number(orText: false, in: range, isWhole: !name.hasPrefix("f"))
    }
  }
}

extension StandardValues {
  /// The types of the fields of a characteristic's values, by name; empty if the value has no
  /// fields. A field that may have either of two types is left out.
  package static func fieldKinds(of uuid: BluetoothUUID) -> [String: ValueKind] {
    guard let layout = layout(of: uuid), !layout.isBare else { return [:] }
    return Dictionary(grouping: layout.parts.flatMap(\.kinds), by: \.name)
      .compactMapValues { parts in
        Set(parts.map(\.kind)).count == 1 ? parts[0].kind : nil
      }
  }

  /// The type of a characteristic's whole values: octets if there is no standard format, nil if
  /// they have several fields.
  package static func kind(of uuid: BluetoothUUID) -> ValueKind? {
    guard let layout = layout(of: uuid) else { return .octets }
    let kinds = layout.parts.flatMap(\.kinds)
    return kinds.count == 1 ? kinds[0].kind : nil
  }
}

extension ValuePart {
  /// Its fields.
  fileprivate var kinds: [(name: String, kind: ValueKind?)] {
    if case .field(let format) = kind {
      let converted = conversion.map { [(name: $0.name, kind: format.valueKind?.withoutRange)] }
      return (converted ?? []) + [(name: name, kind: format.valueKind?.within(range))]
    }
    if case .flagged(let field) = kind { return [(name: name, kind: field.valueKind)] }
    if case .split(_, let fields) = kind {
      return fields.map { (name: $0.name, kind: $0.valueKind) }
    }
    return fieldNames.map { (name: $0, kind: nil) }
  }
}

extension ValueKind {
  /// The type without its range, which is in another unit.
  fileprivate var withoutRange: ValueKind {
    if case .number(let orText, _, _) = self { .number(orText: orText) } else { self }
  }

  /// The type limited to the range of a specification.
  fileprivate func within(_ range: ClosedRange<Double>?) -> ValueKind {
    if case .number(let orText, let sent, let isWhole) = self, let range {
      .number(orText: orText, in: sent.map(range.clamped) ?? range, isWhole: isWhole)
    } else {
      self
    }
  }
}

extension Names {
  /// One of the names if the list is closed, otherwise any text.
  fileprivate var valueKind: ValueKind { closed.map { .choice($0) } ?? .text }
}

extension BitField {
  fileprivate var valueKind: ValueKind {
    switch meaning {
    case .boolean: .boolean
    case .number: .number(orText: false, in: 0...Double(largest), isWhole: true)
    case .named(let names): names.valueKind
    }
  }
}

extension FieldFormat {
  fileprivate var valueKind: ValueKind? {
    switch self {
    case .number(let number):
      .number(orText: number.hasMeanings, in: number.quantities, isWhole: number.isWhole)
    case .float, .sfloat: .number(orText: true)
    case .named(_, let names): names.valueKind
    case .dateTime: .time
    case .text: .text
    case .boolean: .boolean
    case .octets, .half, .rest: .octets
    case .bits, .list: nil
    }
  }
}
