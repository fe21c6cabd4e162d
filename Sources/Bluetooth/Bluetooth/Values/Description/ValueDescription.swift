// The description of a value: a user's, or that of a specification.

/// The format of the values of one attribute, or of what a device advertises, with a name.
///
/// One description decodes, encodes, prints and tests.
public struct ValueDescription: Hashable, Sendable {
  /// The origin of the values.
  package enum Source: Hashable, Sendable {
    case attribute(BluetoothUUID)
    case serviceData(BluetoothUUID)
    case manufacturer(UInt16)
    /// Only a format, for other descriptions and for the `format` of a step.
    case none
  }

  /// The name, as it is written.
  public let name: String
  package let source: Source
  let layout: ValueLayout
  /// Whether octets behind the fields are an error.
  let isExact: Bool
  /// Whether one value comes in several notifications.
  package let isInPieces: Bool
  /// The text of the description, by which it is compared; nil for that of a specification.
  package let text: DescriptionNode?

  init(
    _ name: String, of source: Source, _ layout: ValueLayout, isExact: Bool = false,
    isInPieces: Bool = false, text: DescriptionNode? = nil
  ) {
    self.name = name
    self.source = source
    self.layout = layout
    self.isExact = isExact
    self.isInPieces = isInPieces
    self.text = text
  }

  /// Whether a user has described it.
  package var isOfUser: Bool { text != nil }

  /// Those of some names that it may use as formats.
  package func formats(among names: Set<String>) -> Set<String> {
    names.intersection(text?.texts ?? [])
  }

  /// The fields of a value as a file has them; nil where encoding them does not give the same octets.
  package func fields(of octets: [UInt8]) -> DescriptionNode? {
    guard let value = try? decode(octets) else { return nil }
    let node = DescriptionNode(value)
    return (try? encode(node.value)) == octets ? node : nil
  }

  /// Decodes octets.
  ///
  /// - Throws: ``ValueError`` where there are too few, or something is out of range.
  public func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    let value = try layout.decode(octets)
    if isExact, let further = value[DecodedValue.further], case .octets(let rest) = further {
      let count = rest.count
      throw ValueError(
        field: name, octet: octets.count - count,
        problem: "\(count) byte\(count == 1 ? "" : "s") too many"
      )
    }
    return value
  }

  /// Encodes a value: fields, or for a value without fields the value itself.
  ///
  /// Numbers and bytes may be texts. Lengths, checksums and constants may be left out.
  ///
  /// - Throws: ``ValueError`` with the path of the field.
  public func encode(_ value: DecodedValue) throws(ValueError) -> [UInt8] {
    let octets = try layout.encode(value)
    guard octets.count <= 512 else {
      throw ValueError(
        field: name, octet: 512, problem: "\(octets.count) bytes, but an attribute has at most 512"
      )
    }
    return octets
  }

  /// The paths of the fields that decoded values may have: `flags.tamper`.
  public var fieldNames: [String] { layout.fieldPaths }

  /// The types of the fields, by path; without those that may have either of two.
  package var fieldKinds: [String: ValueKind] { layout.fieldKinds }

  /// The type of whole values; nil if they have several fields.
  package var kind: ValueKind? { layout.kind }

  /// The records of a notification: several only where the format has the size of each.
  package func records(in octets: [UInt8]) -> [[UInt8]] { layout.records(in: octets) }

  public static func == (a: ValueDescription, b: ValueDescription) -> Bool {
    a.name == b.name && a.source == b.source && a.text == b.text
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(source)
  }
}

extension AttributeNames {
  /// The description of an attribute's values: the user's, else that of the specification; nil for
  /// an attribute without either, and for nil.
  package func description(of uuid: BluetoothUUID?) -> ValueDescription? {
    guard let uuid else { return nil }
    if let own = described(uuid) { return own }
    return StandardValues.layout(of: uuid).map {
      ValueDescription($0.name, of: .attribute(uuid), $0)
    }
  }

  /// The format with a name: that of plain numbers and texts, a description, or the format of the
  /// characteristic or descriptor with an assigned name; nil for other names.
  package func format(_ name: String) -> ValueFormat? {
    if let plain = ValueFormat(name) { return plain }
    if let own = described(name) { return ValueFormat(own) }
    for kind in [AttributeKind.characteristic, .descriptor] {
      if let uuid = uuid(name, kind), let layout = StandardValues.layout(of: uuid) {
        return ValueFormat(ValueDescription(name, of: .attribute(uuid), layout))
      }
    }
    return nil
  }

  /// The names of formats, for suggestions.
  package var formatNames: [String] { ValueFormat.names + descriptions.map(\.name) }
}
