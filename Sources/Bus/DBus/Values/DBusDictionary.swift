// A dictionary: `a{…}`.

/// Entries of one type of key and one type of value, in a fixed order.
///
/// The order is kept and counts for equality, so that encoding is repeatable byte for byte. The
/// bus permits duplicate keys: then both entries are kept, and the last one counts.
package struct DBusDictionary: Sendable {
  /// The type of the dictionary: `a{sv}`.
  package let signature: Signature
  /// The entries, in order.
  package let entries: [(key: DBusValue, value: DBusValue)]

  /// Validates and stores entries.
  ///
  /// - Throws: ``DBusValueError/keyNotBasic(_:)``, ``DBusValueError/notOneType(_:)``,
  ///   ``DBusValueError/typeMismatch(expected:found:index:)`` or ``DBusValueError/signature(_:)``.
  package init(
    key: Signature, value: Signature, _ entries: [(DBusValue, DBusValue)]
  ) throws(DBusValueError) {
    guard key.isBasic else { throw .keyNotBasic(key) }
    guard value.isSingle else { throw .notOneType(value) }
    signature = Signature(valid: "a{\(key.text)\(value.text)}")
    try DBusValueError.check(signature.text)
    for (index, entry) in entries.enumerated() {
      guard entry.0.signature == key else {
        throw .typeMismatch(expected: key, found: entry.0.signature, index: index)
      }
      guard entry.1.signature == value else {
        throw .typeMismatch(expected: value, found: entry.1.signature, index: index)
      }
    }
    self.entries = entries.map { (key: $0.0, value: $0.1) }
  }

  /// Entries that are known to have the types.
  init(valid signature: Signature, _ entries: [(key: DBusValue, value: DBusValue)]) {
    self.signature = signature
    self.entries = entries
  }

  /// The value for a key; nil when there is none. O(n) in the number of entries.
  package subscript(key: DBusValue) -> DBusValue? {
    entries.last { $0.key == key }?.value
  }
}

extension DBusDictionary: Hashable {
  package static func == (left: DBusDictionary, right: DBusDictionary) -> Bool {
    left.signature == right.signature && left.entries.elementsEqual(right.entries, by: ==)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(signature)
    for (key, value) in entries {
      hasher.combine(key)
      hasher.combine(value)
    }
  }
}
