// Properties by name: `a{sv}`.

/// Values by name, in a fixed order, without the variants that D-Bus wraps them in.
///
/// The order counts for equality. Meant for the few dozen properties of an interface: a lookup is
/// O(n).
package struct PropertyMap: Sendable {
  /// The names and values, in order; each name once.
  package private(set) var entries: [(name: String, value: DBusValue)]

  /// No entries.
  package init() { entries = [] }

  /// Entries in order. A duplicate name keeps its first position and its last value.
  package init(_ entries: [(String, DBusValue)]) {
    self.entries = []
    self.entries.reserveCapacity(entries.count)
    for (name, value) in entries { self[name] = value }
  }

  /// The entries of a dictionary of type `a{sv}`.
  init(_ dictionary: DBusDictionary) {
    entries = []
    entries.reserveCapacity(dictionary.entries.count)
    for (key, value) in dictionary.entries {
      guard case .string(let name) = key, case .variant(let variant) = value else { continue }
      self[name] = variant.value
    }
  }

  /// The value for a name; nil if there is none. Setting nil removes the entry.
  package subscript(name: String) -> DBusValue? {
    get {
      for entry in entries where entry.name == name { return entry.value }
      return nil
    }
    set {
      let index = entries.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// The names, in order.
  package var names: [String] { entries.map(\.name) }

  /// The number of entries.
  package var count: Int { entries.count }

  /// Whether there are no entries.
  package var isEmpty: Bool { entries.isEmpty }
}

extension PropertyMap: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, DBusValue)...) { self.init(elements) }
}

extension PropertyMap: Hashable {
  package static func == (left: PropertyMap, right: PropertyMap) -> Bool {
    left.entries.elementsEqual(right.entries, by: ==)
  }

  package func hash(into hasher: inout Hasher) {
    for (name, value) in entries {
      hasher.combine(name)
      hasher.combine(value)
    }
  }
}
