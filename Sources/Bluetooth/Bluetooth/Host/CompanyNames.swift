// The port to company names, which are not part of this module.

/// The names behind the company identifiers of manufacturer data and controllers.
public protocol CompanyNames: Sendable {
  /// The name of a company; nil when the identifier is unknown.
  ///
  /// - Source: Bluetooth Assigned Numbers, "Company Identifiers".
  func name(of company: UInt16) -> String?
}
