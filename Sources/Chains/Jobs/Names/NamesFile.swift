// Files of names and keys that several chains share; `names` is also a key of chains and batches.
//
// Error messages contain no key, nor text that may be one. The rules for names are in Bluetooth.

public import Bluetooth
import Descriptions
public import Documents

/// A file of names: names for UUIDs, and keys of devices.
///
/// ```swift
/// let file = try NamesFile("names.yaml")
/// let plan = try Plan(file: "soil.yaml", names: file.names)
/// ```
public struct NamesFile: Hashable, Sendable {
  /// The names, as under the key `names` of a chain.
  public var names = AttributeNames.assigned
  /// The keys with which devices encrypt their advertisements.
  public var keys: [BindKey] = []

  /// Creates a value without names and keys.
  public init() {}

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file, relative to the working directory.
  ///   - base: Names that the file extends and overrides.
  ///   - limits: The limit on names also applies to keys.
  /// - Throws: `DocumentErrors` with all errors, including a missing or unreadable file. They
  ///   contain no key.
  public init(
    _ path: String, over base: AttributeNames = .assigned, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    let root = try Document.parse(TextFile.read(path), file: path)
    var reader = StepReader(limits: limits, names: base)
    let file = Self.read(
      root, &reader,
      expected:
        "the key 'names', with names and their UUIDs, or 'keys', with devices and their keys"
    )
    guard let file, reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    self = file
  }

  /// Whether these top-level keys are those of a names file; a chain has others, too.
  package static func recognizes(keys: [String]) -> Bool {
    let known = Self.keys.map(\.name)
    return !keys.isEmpty && keys.allSatisfy(known.contains)
  }
}

extension NamesFile: Described {
  static let keys: [Key<Self>] = [
    .names(\.names),
    Key(
      "keys", \.keys, .bindKeys, default: [],
      "the keys of devices that encrypt what they advertise"
    ),
  ]
  static let rules: [KeyRule] = [
    .some(of: ["names", "keys"], "the key 'names' is missing", expected: "'names', 'keys' or both")
  ]
}

extension AttributeNames {
  /// Reads the names in a file of names, as ``NamesFile/init(_:over:limits:)`` does.
  ///
  /// ```swift
  /// let names = try AttributeNames(file: "names.yaml")
  /// let plan = try Plan(file: "soil.yaml", names: names)
  /// ```
  public init(
    file path: String, over base: AttributeNames = .assigned, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    self = try NamesFile(path, over: base, limits: limits).names
  }
}

extension Shape where Value == AttributeNames {
  /// Names with their UUIDs, which are valid in everything that is read after them.
  static var names: Self {
    let schema: JSONValue = [
      "type": "object", "propertyNames": .reference("attributeName"),
      "additionalProperties": .anyOf([
        DescriptionSchema.uuid, .reference("variable"), .reference("valueDescription"),
      ]),
    ]
    let expected = "names with their UUIDs such as { soil-moisture: \(AttributeNames.example) }"
    return Shape(expected, schema: schema) { node, reader in
      reader.names(node)
    }
  }
}

extension Key {
  static func names(_ path: any WritableKeyPath<Owner, AttributeNames> & Sendable) -> Key {
    Key(
      "names", path, .names, default: .assigned,
      "names for UUIDs, `soil-moisture: 0000a001-…`, for targets and for output: [names](#names); "
        + "also [descriptions of values](values.md)"
    )
  }
}

extension StepReader {
  /// Reads the names of a mapping, which override known ones.
  ///
  /// - Returns: Nil for a node that is not a mapping, and for too many names.
  fileprivate mutating func names(_ node: Node) -> AttributeNames? {
    guard let entries = node.mapping else { return nil }
    guard entries.count <= limits.names else {
      complain(node, Problem("more than \(limits.names) names"))
      return nil
    }
    let (names, problems, _) = AttributeNames.read(
      entries, over: includeContext.names, mayShadow: namesAreOfOneFile
    )
    self.problems += problems
    includeContext.names = names
    return includeContext.names
  }
}

extension Shape where Value == [BindKey] {
  static var bindKeys: Self {
    let key = JSONValue.object([
      .init("type", .string("string")), .init("pattern", .string("^[0-9A-Fa-f]{32}$")),
    ])
    return Shape(
      "devices with their keys",
      schema: .object([.init("type", .string("object")), .init("additionalProperties", key)]),
      words: { _ in [] }
    ) { node, reader in reader.bindKeys(node) }
  }
}

extension StepReader {
  private static let expectedKey = "a key of 16 bytes: 32 hexadecimal digits"

  /// Reads the keys of a mapping. Paths in errors do not contain device names: one may be a
  /// misplaced key.
  fileprivate mutating func bindKeys(_ node: Node) -> [BindKey]? {
    guard let entries = node.mapping else {
      complain(node, Problem(found: node.kind, expected: "devices with their keys"))
      return nil
    }
    guard entries.count <= limits.names else {
      complain(node, Problem("more than \(limits.names) keys"))
      return nil
    }
    var owners: [BindKey.Device: Place] = [:]
    return entries.compactMap { entry in
      do throws(Problem) {
        let device = try Self.device(entry)
        if let first = owners.updateValue(entry.keyPlace, forKey: device) {
          throw Problem("a device has two keys, the first at \(first)", at: entry.keyPlace)
        }
        return try Self.key(entry.value, of: device)
      } catch {
        problems.append(error.at(error.place, path: node.path))
        return nil
      }
    }
  }

  private static func key(_ node: Node, of device: BindKey.Device) throws(Problem) -> BindKey {
    guard let digits = node.text else {
      throw Problem(found: node.kind, expected: expectedKey, at: node.place)
    }
    do {
      return try BindKey(digits, of: device)
    } catch {
      throw Problem("\(error)", expected: expectedKey, at: node.place)
    }
  }

  /// Parses a device: an address, or else a name.
  private static func device(_ entry: Node.Entry) throws(Problem) -> BindKey.Device {
    let text = entry.key
    if let address = BluetoothAddress(text) { return .address(address) }
    let digits = text.filter { $0 != ":" && $0 != "-" }
    let isHexadecimal = digits.allSatisfy(\.isHexDigit)
    if isHexadecimal, digits.count >= 24 {
      // Not quoted: the text may be a key.
      let expected = "its address or name, then the key"
      throw Problem("the device comes first", expected: expected, at: entry.keyPlace)
    }
    if text.isEmpty || isHexadecimal && text.contains(":") {
      let expected = "\(BluetoothAddress.expected), or a name"
      throw Problem(found: "'\(text)'", expected: expected, at: entry.keyPlace)
    }
    return .name(text)
  }
}
