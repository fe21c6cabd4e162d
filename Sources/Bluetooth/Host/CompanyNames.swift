// The port to the names of companies: who knows them is not this module's business.

/// The names behind the company identifiers of manufacturer data and controllers.
public protocol CompanyNames: Sendable {
  /// The name of a company; nil when the identifier is not known.
  ///
  /// - Source: Bluetooth Assigned Numbers, "Company Identifiers".
  func name(of company: UInt16) -> String?
}
