// Files of names, which several chains share, and of keys.

public import Bluetooth
public import Documents

/// A file of names: names for UUIDs, and keys of devices.
///
/// ```swift
/// let file = try NamesFile("names.yaml")
/// let plan = try Plan(file: "soil.yaml", names: file.names)
/// ```
public struct NamesFile: Hashable, Sendable {
  /// The names, as in the key `names` of a chain.
  public var names = AttributeNames.assigned
  /// The keys with which devices encrypt what they advertise.
  public var keys: [BindKey] = []

  /// Neither names nor keys.
  public init() {}

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file, from the working directory.
  ///   - base: The names that are valid besides, unless the file has the same.
  ///   - limits: Its limit on the number of names is that of keys, too.
  /// - Throws: `DocumentErrors` with all errors, also for a file that is missing or cannot be read.
  ///   No key is in them.
  public init(
    _ path: String,
    over base: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    let root = try Document.parse(TextFile.read(path), file: path)
    var reader = StepReader(limits: limits, names: base)
    let file = Self.read(
      root,
      &reader,
      expected:
        "the key 'names', with names and their UUIDs, or 'keys', with devices and their keys"
    )
    guard let file, reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    self = file
  }

  /// Whether a file with these keys is one of names: a chain has others, too.
  package static func isMeant(by keys: [String]) -> Bool {
    let known = Self.keys.map(\.name)
    return !keys.isEmpty && keys.allSatisfy(known.contains)
  }
}

extension NamesFile: Described {
  static let keys: [Key<Self>] = [
    .names(\.names),
    Key(
      "keys",
      \.keys,
      .bindKeys,
      default: [],
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
    file path: String,
    over base: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    self = try NamesFile(path, over: base, limits: limits).names
  }
}
