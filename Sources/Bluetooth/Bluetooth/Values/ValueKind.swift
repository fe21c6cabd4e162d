// The type of a characteristic's decoded values, known before a value is read.
//
// It finds errors in files: a number is never equal to a text. An uncertain type is left out.

/// The type that a value, or one of its fields, always has.
package enum ValueKind: Hashable, Sendable {
  /// A number: within a range if one is known, and without fractions if it is whole. Some numbers
  /// on the wire may stand for something else, which is then a text.
  case number(orText: Bool, in: ClosedRange<Double>? = nil, isWhole: Bool = false)
  /// One of these names; of an open list also `reserved (n)`.
  case choice([String], isOpen: Bool = false)
  /// A date and time, such as `2026-01-31 23:59:00`.
  case time
  case boolean, text, octets
}

extension ValueFormat {
  /// The type of values in this format; nil if they have several fields.
  package var valueKind: ValueKind? {
    if let valueDescription { return valueDescription.kind }
    return switch name {
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
    layout(of: uuid)?.fieldKinds ?? [:]
  }

  /// The type of a characteristic's whole values: octets if there is no standard format, nil if
  /// they have several fields.
  package static func kind(of uuid: BluetoothUUID) -> ValueKind? {
    guard let layout = layout(of: uuid) else { return .octets }
    return layout.kind
  }
}

extension ValueLayout {
  /// The types of the fields, by path: `flags.tamper`. A field that may have either of two types is
  /// left out.
  var fieldKinds: [String: ValueKind] {
    guard !isBare else { return [:] }
    return Dictionary(grouping: fields, by: \.path).compactMapValues { parts in
      Set(parts.map(\.kind)).count == 1 ? parts[0].kind : nil
    }
  }

  /// The type of whole values; nil if they have several fields.
  var kind: ValueKind? {
    let kinds = parts.flatMap(\.kinds)
    return kinds.count == 1 ? kinds[0].kind : nil
  }

  /// The paths of the fields, also of those inside groups, each once.
  var fieldPaths: [String] {
    guard !isBare else { return [] }
    return fields.reduce(into: []) { paths, field in
      if !paths.contains(field.path) { paths.append(field.path) }
    }
  }

  fileprivate var fields: [(path: String, kind: ValueKind?)] {
    parts.flatMap { part -> [(path: String, kind: ValueKind?)] in
      let own = part.kinds.map { (path: $0.name, kind: $0.kind) }
      guard case .field(let format) = part.kind else { return own }
      return own + format.members.map { (path: "\(part.name).\($0.path)", kind: $0.kind) }
    }
  }
}

extension FieldFormat {
  /// The fields of a group, with their paths in it; empty for other formats.
  fileprivate var members: [(path: String, kind: ValueKind?)] {
    switch self {
    case .word(_, let bits): bits.map { (path: $0.name, kind: $0.valueKind) }
    case .layout(let layout): layout.isBare ? [] : layout.fields
    case .sized(_, let format): format.members
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .list, .enumeration, .real, .address, .terminated, .repeated, .adjusted, .moment:
      []
    }
  }
}

extension ValuePart {
  /// The fields.
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

  /// One of the names of a description, or a number without a name.
  fileprivate var describedKind: ValueKind { .choice(all, isOpen: isOpen) }
}

extension BitField {
  fileprivate var valueKind: ValueKind {
    switch meaning {
    case .boolean: .boolean
    case .number: .number(orText: false, in: 0...Double(largest), isWhole: true)
    case .named(let names): names.isOpen ? names.describedKind : names.valueKind
    case .quantity(let number):
      ValueKind.number(orText: number.hasMeanings, in: number.quantities, isWhole: number.isWhole)
        .within(range)
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
    case .enumeration(_, let names): names.describedKind
    case .real: .number(orText: false)
    case .address: .text
    case .terminated(_, let isText): isText ? .text : .octets
    case .adjusted(let number, _): .number(orText: number.hasMeanings)
    case .moment: .text
    case .sized(_, let format): format.valueKind
    case .layout(let layout): layout.isBare ? layout.kind : nil
    case .bits, .list, .repeated, .word: nil
    }
  }
}
