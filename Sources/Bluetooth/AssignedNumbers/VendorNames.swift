// UUIDs assigned by vendors.

/// Names of a vendor's services or characteristics, whose UUIDs differ in a few digits only.
struct VendorNames: Sendable {
  /// The prefix of every name, so that no name is mistaken for one of the Bluetooth SIG.
  let vendor: String
  /// The digits and the name of each.
  private let entries: [(digits: String, name: String)]
  private let before: String
  private let after: String

  /// UUIDs that consist of `before`, the digits and `after`.
  init(
    _ vendor: String,
    _ before: String,
    _ after: String,
    _ entries: KeyValuePairs<String, String>
  ) {
    self.vendor = vendor
    self.before = before
    self.after = after
    self.entries = entries.map { ($0.key, $0.value) }
  }

  /// UUIDs written in full, or in four digits.
  init(_ vendor: String, _ entries: KeyValuePairs<String, String>) {
    self.init(vendor, "", "", entries)
  }

  /// Each UUID as text, with its name.
  var all: [(uuid: String, name: String)] {
    entries.map { (before + $0.digits + after, "\(vendor) \($0.name)") }
  }
}
