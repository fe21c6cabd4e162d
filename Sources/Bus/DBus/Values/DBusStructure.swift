// A structure: `(…)`.

/// One or more fields, each of its own type.
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

  /// Fields that are known to be at least one.
  init(valid fields: [DBusValue]) { self.fields = fields }

  /// The type of the structure.
  package var signature: Signature {
    Signature(valid: "(" + Signature(joining: fields).text + ")")
  }
}
