// A structure: `(…)`.

/// One or more fields, each of its own type.
public struct DBusStructure: Hashable, Sendable {
  /// The fields, in order.
  public let fields: [DBusValue]

  /// Validates and stores fields.
  ///
  /// ```swift
  /// let pair = try DBusStructure([.string("hall"), .double(21.5)])
  /// print(pair.signature.text)  // (sd)
  /// ```
  ///
  /// - Throws: ``DBusValueError/emptyStructure`` or ``DBusValueError/signature(_:)``.
  public init(_ fields: [DBusValue]) throws(DBusValueError) {
    guard !fields.isEmpty else { throw .emptyStructure }
    self.fields = fields
    do {
      try SignatureParser.check(signature.text)
    } catch {
      throw .signature(error)
    }
  }

  /// Fields that are known to be at least one.
  init(valid fields: [DBusValue]) { self.fields = fields }

  /// The type of the structure.
  public var signature: Signature {
    Signature(valid: "(" + Signature(joining: fields).text + ")")
  }
}
