// An array of one type: `a…`, except octets and dictionaries, which have their own cases.

/// Elements of one type; may be empty.
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

  /// Elements that are known to have the type.
  init(valid elementSignature: Signature, _ elements: [DBusValue]) {
    self.elementSignature = elementSignature
    self.elements = elements
  }

  /// The type of the array.
  package var signature: Signature { Signature(valid: "a" + elementSignature.text) }
}
