// The container types of D-Bus: arrays, dictionaries, structures and variants.

/// An array of elements of one type.
package struct DBusArray: Hashable, Sendable {
  /// The type of each element.
  package let elementSignature: Signature
  /// The elements.
  package let elements: [DBusValue]

  /// Validates and stores elements.
  ///
  /// - Throws: ``DBusValueError/notOneType(_:)``,
  ///   ``DBusValueError/typeMismatch(expected:found:index:)``, ``DBusValueError/octetsAreBytes`` or
  ///   ``DBusValueError/signature(_:)``.
  package init(_ elementSignature: Signature, _ elements: [DBusValue]) throws(DBusValueError) {
    guard elementSignature.isSingle else { throw .notOneType(elementSignature) }
    guard elementSignature.text != "y" else { throw .octetsAreBytes }
    if !elementSignature.isBasic { try DBusValueError.check("a" + elementSignature.text) }
    for (index, element) in elements.enumerated() where element.signature != elementSignature {
      throw .typeMismatch(expected: elementSignature, found: element.signature, index: index)
    }
    self.init(valid: elementSignature, elements)
  }

  /// Unchecked elements, which must have the type.
  init(valid elementSignature: Signature, _ elements: [DBusValue]) {
    self.elementSignature = elementSignature
    self.elements = elements
  }

  /// The type of the array.
  package var signature: Signature { Signature(valid: "a" + elementSignature.text) }
}

/// A dictionary with one type of key and one type of value, in a fixed order.
///
/// The order is kept and counts for equality, so that encoding is repeatable byte for byte. D-Bus
/// permits duplicate keys: all entries are kept, and a lookup returns the last one.
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

  /// Unchecked entries, which must have the types.
  init(valid signature: Signature, _ entries: [(key: DBusValue, value: DBusValue)]) {
    self.signature = signature
    self.entries = entries
  }

  /// The value for a key; nil if there is none. O(n) in the number of entries.
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

/// A structure of one or more fields, each of its own type.
package struct DBusStructure: Hashable, Sendable {
  /// The fields, in order.
  package let fields: [DBusValue]

  /// Validates and stores fields.
  ///
  /// - Throws: ``DBusValueError/emptyStructure`` or ``DBusValueError/signature(_:)``.
  package init(_ fields: [DBusValue]) throws(DBusValueError) {
    guard !fields.isEmpty else { throw .emptyStructure }
    self.fields = fields
    try DBusValueError.check(signature.text)
  }

  /// Unchecked fields, at least one.
  init(valid fields: [DBusValue]) { self.fields = fields }

  /// The type of the structure.
  package var signature: Signature {
    Signature(valid: "(" + Signature(joining: fields).text + ")")
  }
}

/// One value of any type.
package struct DBusVariant: Hashable, Sendable {
  /// The value inside.
  package let value: DBusValue

  /// Wraps a value.
  package init(_ value: DBusValue) { self.value = value }
}
