// The names of attributes that one chain or one command uses.
//
// A value that is passed along, so that selectors are parsed and attributes printed with the same
// names.

import Spelling

/// The names of services, characteristics and descriptors: those that a user gave, before the
/// assigned ones.
///
/// A name that is given to a UUID is valid for every kind of attribute.
///
/// ```swift
/// let level = BluetoothUUID(short: 0x2a19)
/// let names = AttributeNames([try AttributeName("charge", level)])
/// let selector = try CharacteristicSelector(parsing: "charge", names: names)
/// ```
public struct AttributeNames: Hashable, Sendable {
  /// The assigned names alone.
  public static let assigned = AttributeNames([])

  /// Made once, and shared by every selector that was read with it.
  private final class Table: Sendable {
    let entries: [AttributeName]
    let names: [BluetoothUUID: String]
    let uuids: [String: BluetoothUUID]
    let descriptions: [ValueDescription]
    let described: [BluetoothUUID: ValueDescription]
    let formats: [String: ValueDescription]

    init(_ entries: [AttributeName], _ descriptions: [ValueDescription]) {
      var uuids: [String: BluetoothUUID] = [:]
      var names: [BluetoothUUID: String] = [:]
      var kept: [AttributeName] = []
      for entry in entries {
        let key = entry.name.lowercased()
        // A name means one UUID: the first that has it.
        guard uuids[key] == nil else { continue }
        uuids[key] = entry.uuid
        if names[entry.uuid] == nil { names[entry.uuid] = entry.name }
        kept.append(entry)
      }
      (self.entries, self.names, self.uuids) = (kept, names, uuids)
      var described: [BluetoothUUID: ValueDescription] = [:]
      var formats: [String: ValueDescription] = [:]
      self.descriptions = descriptions.filter { description in
        let key = description.name.lowercased()
        guard formats[key] == nil else { return false }
        formats[key] = description
        if case .attribute(let uuid) = description.source, described[uuid] == nil {
          described[uuid] = description
        }
        return true
      }
      (self.described, self.formats) = (described, formats)
    }
  }

  /// The names that the user gave; nil without any.
  private let table: Table?

  /// Given names, before those of `base`.
  ///
  /// - Parameters:
  ///   - entries: The names. If two have the same name, the first counts; if two have the same
  ///     UUID, the first is printed.
  ///   - base: Further valid names; `entries` overrides them.
  public init(_ entries: [AttributeName], over base: AttributeNames? = nil) {
    self.init(entries, [], over: base)
  }

  /// Given names, and descriptions of values, before those of `base`.
  package init(
    _ entries: [AttributeName], _ descriptions: [ValueDescription], over base: AttributeNames? = nil
  ) {
    let all = entries + (base?.entries ?? [])
    let described = descriptions + (base?.descriptions ?? [])
    table = all.isEmpty && described.isEmpty ? nil : Table(all, described)
  }

  /// The given names, each once, in the order of precedence.
  public var entries: [AttributeName] { table?.entries ?? [] }

  /// The descriptions of values, each name once, in the order of precedence.
  public var descriptions: [ValueDescription] { table?.descriptions ?? [] }

  /// The user's description of the values of an attribute; nil without one.
  func described(_ uuid: BluetoothUUID) -> ValueDescription? { table?.described[uuid] }

  /// The description with a name; nil without one.
  func described(_ name: String) -> ValueDescription? { table?.formats[name.lowercased()] }

  /// These names, and those of `base` that they do not override.
  public func over(_ base: AttributeNames) -> AttributeNames {
    if base.table == nil { return self }
    return table == nil ? base : AttributeNames(entries, descriptions, over: base)
  }

  /// The name that a user gave a UUID; nil without one.
  public func given(_ uuid: BluetoothUUID) -> String? { table?.names[uuid] }

  /// These names without those that shadow assigned ones, for other files than the one that declares them.
  package var withoutShadows: AttributeNames {
    guard entries.contains(where: { $0.shadowed != nil }) else { return self }
    return AttributeNames(entries.filter { $0.shadowed == nil }, descriptions)
  }

  /// The name of an attribute: the given one, else the assigned one unless that is given to another UUID.
  public func name(of uuid: BluetoothUUID, _ kind: AttributeKind) -> String? {
    if let given = given(uuid) { return given }
    guard let assigned = kind.table.identifier(uuid) else { return nil }
    let owner = table?.uuids[assigned.lowercased()]
    return owner == nil || owner == uuid ? assigned : nil
  }

  /// The name of an attribute, else its UUID.
  public func title(of uuid: BluetoothUUID, _ kind: AttributeKind) -> String {
    name(of: uuid, kind) ?? "\(uuid)"
  }

  /// The UUID that a text names: a given name, an assigned one of this kind, or a UUID in any form.
  public func uuid(_ text: String, _ kind: AttributeKind) -> BluetoothUUID? {
    table?.uuids[text.lowercased()] ?? kind.table.uuid(text)
  }

  /// The name closest to `text`, if one is close.
  public func nearest(to text: String, _ kind: AttributeKind) -> String? {
    let known = entries.map(\.name) + kind.table.entries.map(\.identifier)
    return Spelling.nearest(to: text, among: known)
  }

  /// The UUID that a part of a selector names.
  ///
  /// - Parameter text: The complete selector.
  /// - Throws: ``SelectorError`` with the nearest known name.
  func uuid(
    _ name: String, _ kind: AttributeKind, of text: String
  ) throws(SelectorError) -> BluetoothUUID {
    if let uuid = uuid(name, kind) { return uuid }
    let isHandle = name.hasPrefix("@")
    throw SelectorError(
      text: text,
      problem: isHandle
        ? "a handle is not allowed here: '\(name)'" : "unknown \(kind.rawValue) '\(name)'",
      nearest: isHandle ? nil : nearest(to: name, kind),
      expected:
        "an assigned name, a UUID, \(kind == .service || isHandle ? "" : "@ and a handle, ")"
        + "or a name that --names or 'names' defines"
    )
  }

  public static func == (a: AttributeNames, b: AttributeNames) -> Bool {
    a.table === b.table || a.entries == b.entries && a.descriptions == b.descriptions
  }

  /// Hashes the number of names: a table may be large, and is part of many values.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }
}

extension AttributeNames {
  /// The error in an entry.
  package enum EntryProblem: Hashable, Sendable {
    /// The value is not a UUID.
    case uuid(expected: String)
    /// The name is invalid or a duplicate.
    case name(String, expected: String? = nil)
    /// The name is the assigned one of another UUID, which is permitted here.
    case shadow(String)
    /// A mistake in a description.
    case description(DescriptionProblem)
  }

  /// The UUIDs in files as a regular expression.
  package static let uuidPattern =
    "^(0[xX])?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"
  /// A UUID, for messages.
  package static let example = "0000a001-1212-efde-1523-785feabcd123"

  /// The names of a mapping, and the descriptions of values under them, before those of `base`.
  ///
  /// - Parameters:
  ///   - entries: Names with their UUIDs or descriptions, and where each is.
  ///   - base: The names that descriptions may use as formats.
  ///   - mayShadow: Whether a name may be the assigned one of another UUID.
  ///   - report: Receives each error and each shadow, with the index of the entry.
  package static func read(
    _ entries: [(name: String, value: DescriptionNode, place: String)], over base: AttributeNames,
    mayShadow: Bool = false, report: (_ index: Int, EntryProblem) -> Void
  ) -> AttributeNames {
    var read: [AttributeName] = []
    var named: [String: String] = [:]
    var owners: [BluetoothUUID: String] = [:]
    var reader = DescriptionReader(entries.map { ($0.name, $0.value) }, over: base)
    var descriptions: [ValueDescription] = []
    for (index, entry) in entries.enumerated() {
      do throws(InvalidAttributeName) {
        let uuid: BluetoothUUID?
        if entry.value.mapping == nil {
          uuid = BluetoothUUID(entry.value.text ?? "")
          guard uuid != nil else {
            report(index, Self.noUUID(entry.name, entry.value))
            continue
          }
        } else {
          let description = reader.description(named: entry.name)
          for problem in reader.removeProblems() { report(index, .description(problem)) }
          if let description { descriptions.append(description) }
          uuid = DescriptionReader.uuid(entry.value)
        }
        let key = entry.name.lowercased()
        let name = try uuid.map { uuid throws(InvalidAttributeName) in
          try AttributeName(entry.name, uuid, mayShadow: mayShadow)
        }
        if let shadowed = name?.shadowed {
          report(index, .shadow("\(shadowed), and of another UUID in this file"))
        }
        if name == nil { try AttributeName.check(entry.name) }
        if let first = named[key] {
          report(index, .name("duplicate name '\(entry.name)', first at \(first)"))
        } else if let uuid, let first = owners[uuid] {
          report(index, .name("\(uuid) has two names; the first is \(first)"))
        } else {
          named[key] = entry.place
          if let name {
            owners[name.uuid] = "'\(entry.name)' at \(entry.place)"
            read.append(name)
          }
        }
      } catch {
        report(index, .name("\(error)", expected: error.remedy))
      }
    }
    return AttributeNames(read, descriptions, over: base)
  }

  /// The error of an entry without a UUID: of one that is reversed, that the name comes first.
  private static func noUUID(_ name: String, _ value: DescriptionNode) -> EntryProblem {
    let text = value.text ?? ""
    if BluetoothUUID(name) != nil, !text.isEmpty {
      return .name("the name comes first", expected: "'\(text): \(name)'")
    }
    return .uuid(expected: "a UUID such as \(example), or of 4 or 8 digits")
  }
}

extension InvalidAttributeName {
  /// The valid texts, if the message does not list them.
  fileprivate var remedy: String? {
    switch self {
    case .malformed: nil
    case .uuid, .address, .assigned: "another name"
    }
  }
}
