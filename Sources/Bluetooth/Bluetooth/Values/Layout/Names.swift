// Names for numbers.

/// The names of an enumeration.
struct Names: Sendable {
  private let pairs: [(number: UInt64, name: String)]
  /// Whether numbers without a name are valid too: those of assigned numbers, which grow, and the
  /// commands of vendors.
  private let isOpen: Bool

  /// Names for the numbers from 0.
  init(_ names: [String]) {
    pairs = names.enumerated().map { (number: UInt64($0.offset), name: $0.element) }
    isOpen = false
  }

  /// Names of assigned numbers.
  init(pairs: [(number: UInt64, name: String)]) {
    self.pairs = pairs
    isOpen = true
  }

  init(_ names: KeyValuePairs<UInt64, String>, isOpen: Bool = false) {
    pairs = names.map { (number: $0.key, name: $0.value) }
    self.isOpen = isOpen
  }

  /// All names of a closed list; nil for an open one.
  var closed: [String]? { isOpen ? nil : pairs.map(\.name) }

  /// The name of a number that was read.
  ///
  /// - Throws: ``ValueError`` for a reserved number.
  func name(_ number: UInt64, of field: String, at octet: Int) throws(ValueError) -> String {
    guard isOpen || known(number) != nil else {
      let problem = "\(number) is reserved"
      throw ValueError(field: field, octet: octet, problem: problem, isOutOfRange: true)
    }
    return name(number)
  }

  /// The name of a number; `reserved (n)` when it has none, so that no number is lost.
  func name(_ number: UInt64) -> String {
    known(number) ?? "reserved (\(number))"
  }

  /// The name of a number that has one.
  func known(_ number: UInt64) -> String? { pairs.first { $0.number == number }?.name }

  /// The number for a name, for `reserved (n)`, or for the digits of a number; nil for other texts.
  func number(_ text: String) -> UInt64? {
    if let pair = pairs.first(where: { $0.name == text }) { return pair.number }
    guard text.hasPrefix("reserved ("), text.hasSuffix(")") else { return UInt64(text) }
    return UInt64(text.dropFirst("reserved (".count).dropLast())
  }
}
