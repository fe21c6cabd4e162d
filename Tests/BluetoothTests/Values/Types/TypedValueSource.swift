// The Swift types and accessors of characteristics, made of the layouts of their values.
//
// What is made here is in Sources/Bluetooth/Values/Types, one file for each family of layouts.

@testable import Bluetooth

/// The source of the types of one family.
struct TypedValueSource {
  /// A property of a type: a field of the layout.
  struct Property {
    let field: String
    let type: String
    let isOptional: Bool
    let unit: String?

    var name: String { Spelled.property(field) }
    var isFlag: Bool { type == "Bool" }

    var abstract: String {
      let unit = unit.map { ", in \($0)" } ?? ""
      return "`\(field)`\(unit)\(isOptional ? "; nil when it is not sent" : "")."
    }
  }

  let family: String
  let layouts: [(short: UInt16, layout: ValueLayout)]

  /// The families of characteristics.
  static var all: [TypedValueSource] {
    StandardValues.families.filter { $0.key != "Descriptor" }.map {
      TypedValueSource(family: $0.key, layouts: $0.value)
    }
  }

  var path: String { "Sources/Bluetooth/Values/Types/Generated/\(family)Types.swift" }

  var text: String {
    var parts = [
      """
      // The types of the values of \(family)Values.swift, and their characteristics.
      //
      // Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.
      """
    ]
    var done: [String] = []
    for (_, layout) in layouts where !layout.isScalar && !done.contains(layout.typeName) {
      done.append(layout.typeName)
      parts.append(structure(layout))
      parts.append(conversions(layout))
    }
    for (short, layout) in layouts { parts.append(accessor(short, layout)) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  static let tablePath = "Tests/BluetoothTests/Values/Types/TypedAccessors.swift"

  /// The source of a list of all accessors.
  static var table: String {
    var lines = [
      "// All accessors of characteristics with a type.",
      "//",
      "// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.",
      "", "import Bluetooth", "", "/// The accessors, in the order of the families.",
      "func typedAccessors() -> [TypedAccessor] {", "  var all: [TypedAccessor] = []",
    ]
    for source in all { lines.append("  all += \(source.tableName)()") }
    lines += ["  return all", "}"]
    for source in all {
      lines += ["", "private func \(source.tableName)() -> [TypedAccessor] {", "  ["]
      let comma = source.layouts.count == 1 ? "" : ","
      lines += source.layouts.map { "    TypedAccessor(.\(accessorName($0.short)))\(comma)" }
      lines += ["  ]", "}"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var tableName: String { family.prefix(1).lowercased() + family.dropFirst() + "Accessors" }

  /// `.heartRateMeasurement`.
  static func accessorName(_ short: UInt16) -> String {
    Spelled.property(AssignedNumbers.characteristicIdentifier(BluetoothUUID(short: short)) ?? "")
  }

  private func accessor(_ short: UInt16, _ layout: ValueLayout) -> String {
    let name = AssignedNumbers.characteristicName(BluetoothUUID(short: short)) ?? ""
    let hex = String(short, radix: 16)
    let unit = layout.isScalar ? layout.properties[0].unit.map { ", in \($0)" } ?? "" : ""
    return """
      extension Characteristic where Value == \(layout.typeName) {
        /// \(name)\(unit).
        public static var \(Self.accessorName(short)): Self { .standard(0x\(hex)) }
      }
      """
  }

  private func structure(_ layout: ValueLayout) -> String {
    let properties = layout.properties
    var lines = [
      "/// The fields of: \(layout.name).",
      "public struct \(layout.typeName): Hashable, Sendable {",
    ]
    for property in properties {
      lines.append("  /// \(property.abstract)")
      let type = property.type + (property.isOptional ? "?" : "")
      lines.append("  public var \(property.name): \(type)")
    }
    lines += ["", "  /// A value with these fields.", "  public init("]
    lines += properties.enumerated().map { index, property in
      let fallback = property.isOptional ? "? = nil" : property.isFlag ? " = false" : ""
      let comma = index == properties.count - 1 ? "" : ","
      return "    \(property.name): \(property.type)\(fallback)\(comma)"
    }
    lines.append("  ) {")
    lines += properties.map { "    self.\($0.name) = \($0.name)" }
    return (lines + ["  }", "}"]).joined(separator: "\n")
  }

  private func conversions(_ layout: ValueLayout) -> String {
    let properties = layout.properties
    var lines = [
      "extension \(layout.typeName): LayoutRecord {",
      "  init(_ fields: DecodedFields) throws(ValueError) {",
    ]
    lines += properties.map {
      "    \($0.name) = try fields.\($0.isOptional ? "optional" : "value")(\"\($0.field)\")"
    }
    lines += ["  }", "", "  var fields: [DecodedValue.Field?] {", "    ["]
    lines += properties.map { "      field(\"\($0.field)\", \($0.name))," }
    return (lines + ["    ]", "  }", "}"]).joined(separator: "\n")
  }
}

// MARK: Types of layouts

extension ValueLayout {
  /// Whether the value is one quantity, and so has no type of its own.
  var isScalar: Bool { isBare || (properties.count == 1 && !properties[0].isOptional) }

  /// The Swift type of the value.
  var typeName: String {
    if isScalar { return properties[0].type }
    return name.split { !($0.isLetter || $0.isNumber) }.map {
      $0.prefix(1).uppercased() + $0.dropFirst()
    }.joined()
  }

  /// The fields, in order, as properties.
  var properties: [TypedValueSource.Property] {
    let names = isBare ? [parts[0].name] : fieldNames
    return names.map { name in
      let found = parts.flatMap { $0.types(of: name) }
      let types = Set(found.map(\.type))
      precondition(types.count == 1, "\(self.name), \(name): \(types)")
      return TypedValueSource.Property(
        field: name,
        type: found[0].type,
        isOptional: !Presence.isCertain(found.map(\.presence)),
        unit: found[0].unit
      )
    }
  }
}

extension ValuePart {
  typealias Typed = (type: String, unit: String?, presence: Presence)

  /// The type of a field, where this part has it.
  fileprivate func types(of field: String) -> [Typed] {
    switch kind {
    case .flags, .unused: return []
    case .selector: return field == name ? [("String", nil, presence)] : []
    case .flagged(let bits): return field == name ? [(bits.type, bits.unit, presence)] : []
    case .split(_, let fields):
      return fields.filter { $0.name == field }.map { ($0.type, $0.unit, presence) }
    case .field(let format):
      if field == name { return [(format.type, unit, presence)] }
      guard let conversion, conversion.name == field else { return [] }
      let type = format.type.hasPrefix("Quantity") ? "Quantity<Double>" : "Double"
      return [(type, conversion.unit, presence)]
    }
  }
}

extension Presence {
  /// Whether one of several alternatives is always present.
  fileprivate static func isCertain(_ alternatives: [Presence]) -> Bool {
    var mask: UInt64 = 0
    for alternative in alternatives {
      if case .bits(let own, _) = alternative { mask |= own }
    }
    // Every value of the flags under the mask.
    var flags: UInt64 = 0
    repeat {
      let isHeld = alternatives.contains {
        $0.isAlways || $0.isOfBits && $0.holds(flags, isMore: false)
      }
      guard isHeld else { return false }
      flags = (flags &- mask) & mask
    } while flags != 0
    return true
  }

  private var isAlways: Bool { self == .always }
  private var isOfBits: Bool { if case .bits = self { true } else { false } }
}

extension BitField {
  fileprivate var type: String {
    switch meaning {
    case .boolean: "Bool"
    case .number: "Int"
    case .named: "String"
    }
  }
}

extension FieldFormat {
  fileprivate var type: String {
    switch self {
    case .number(let number):
      let type = number.isWhole ? "Int" : "Double"
      return number.hasMeanings ? "Quantity<\(type)>" : type
    case .float, .sfloat: return "Double"
    case .named, .text: return "String"
    case .bits: return "[String]"
    case .boolean: return "Bool"
    case .dateTime: return "DateTime"
    case .octets, .half, .rest: return "[UInt8]"
    case .list(let format): return "[\(format.type)]"
    }
  }
}

/// Names in Swift.
private enum Spelled {
  private static let acronyms = [
    "id": "ID", "dst": "DST", "2d": "2D", "3d": "3D", "pm1": "PM1", "pm2": "PM2", "pm10": "PM10",
  ]
  private static let keywords = ["operator", "default", "in", "is", "as", "repeat", "where"]

  /// `rr-intervals` is `rrIntervals`.
  static func property(_ name: String) -> String {
    let words = name.split { !($0.isLetter || $0.isNumber) }.map(String.init)
    let spelled = words.enumerated().map { index, word in
      if index == 0 { return word.lowercased() }
      return acronyms[word.lowercased()] ?? word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    return keywords.contains(spelled) ? "`\(spelled)`" : spelled
  }
}
