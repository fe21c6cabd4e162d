// The names of attributes that one chain or one command uses.
//
// A value that is passed along. Whoever reads a selector and whoever prints an attribute use the same
// one; there is no other place that knows names.

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

    init(_ entries: [AttributeName]) {
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
    }
  }

  /// Nil without given names.
  private let table: Table?

  /// Given names, before those of `base`.
  ///
  /// - Parameters:
  ///   - entries: The names. Of two with the same name the first counts; of two for the same UUID the
  ///     first is printed.
  ///   - base: The names that are valid besides, unless `entries` has the same.
  public init(_ entries: [AttributeName], over base: AttributeNames? = nil) {
    let all = entries + (base?.entries ?? [])
    table = all.isEmpty ? nil : Table(all)
  }

  /// The given names, those that count first at the beginning; a name is in it once.
  public var entries: [AttributeName] { table?.entries ?? [] }

  /// These names, and those of `base` that they do not override.
  public func over(_ base: AttributeNames) -> AttributeNames {
    if base.table == nil { return self }
    return table == nil ? base : AttributeNames(entries, over: base)
  }

  /// The name that a user gave a UUID; nil without one.
  public func given(_ uuid: BluetoothUUID) -> String? { table?.names[uuid] }

  /// The name of an attribute: the given one, else the assigned one.
  public func name(of uuid: BluetoothUUID, _ kind: AttributeKind) -> String? {
    given(uuid) ?? kind.table.identifier(uuid)
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
        ? "a handle is not taken here: '\(name)'" : "unknown \(kind.rawValue) '\(name)'",
      nearest: isHandle ? nil : nearest(to: name, kind),
      expected:
        "an assigned name, a UUID, \(kind == .service || isHandle ? "" : "@ and a handle, ")"
        + "or a name that --names or 'names' defines"
    )
  }

  public static func == (a: AttributeNames, b: AttributeNames) -> Bool {
    a.table === b.table || a.entries == b.entries
  }

  /// Hashes the number of names: a table may be large, and is part of many values.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }
}
