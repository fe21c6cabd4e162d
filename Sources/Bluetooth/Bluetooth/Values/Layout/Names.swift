// Names for numbers.

/// The names of an enumeration.
struct Names: Sendable {
  private let pairs: [(number: UInt64, name: String)]
  /// Names of several numbers in a row, in descriptions.
  private let ranges: [(numbers: ClosedRange<UInt64>, name: String)]
  /// The pairs by number, where there are too many to search.
  private let table: [UInt64: String]
  /// Whether numbers without a name are valid too: those of assigned numbers, which grow, and the
  /// commands of vendors.
  let isOpen: Bool

  /// Names for the numbers from 0.
  init(_ names: [String]) {
    self.init(
      names.enumerated().map { (number: UInt64($0.offset), name: $0.element) }, isOpen: false)
  }

  /// Names of assigned numbers.
  init(pairs: [(number: UInt64, name: String)]) { self.init(pairs, isOpen: true) }

  init(_ names: KeyValuePairs<UInt64, String>, isOpen: Bool = false) {
    self.init(names.map { (number: $0.key, name: $0.value) }, isOpen: isOpen)
  }

  /// Names of a description.
  init(ranges: [(numbers: ClosedRange<UInt64>, name: String)], isOpen: Bool) {
    let single = ranges.filter { $0.numbers.lowerBound == $0.numbers.upperBound }
    self.init(
      single.map { (number: $0.numbers.lowerBound, name: $0.name) },
      ranges.filter { $0.numbers.lowerBound < $0.numbers.upperBound }, isOpen: isOpen
    )
  }

  private init(
    _ pairs: [(number: UInt64, name: String)],
    _ ranges: [(numbers: ClosedRange<UInt64>, name: String)] = [], isOpen: Bool
  ) {
    self.pairs = pairs
    self.ranges = ranges
    self.isOpen = isOpen
    table =
      pairs.count > 8
      ? Dictionary(pairs.map { ($0.number, $0.name) }) { first, _ in first } : [:]
  }

  /// All names.
  var all: [String] { pairs.map(\.name) + ranges.map(\.name) }

  /// All names of a closed list; nil for an open one.
  var closed: [String]? { isOpen ? nil : all }

  /// The name of a number that was read.
  ///
  /// - Throws: ``ValueError`` for a reserved number.
  func name(_ number: UInt64, of field: String, at octet: Int) throws(ValueError) -> String {
    if let name = known(number) { return name }
    guard isOpen else {
      let problem = "\(number) is reserved"
      throw ValueError(field: field, octet: octet, problem: problem, isOutOfRange: true)
    }
    return Self.reserved("\(number)")
  }

  /// The name of a number; `reserved (n)` when it has none, so that no number is lost.
  func name(_ number: UInt64) -> String { known(number) ?? Self.reserved("\(number)") }

  /// The text of a number without a name.
  static func reserved(_ number: String) -> String { "reserved (\(number))" }

  /// The name of a number that has one.
  func known(_ number: UInt64) -> String? {
    let own = table.isEmpty ? pairs.first { $0.number == number }?.name : table[number]
    return own ?? (ranges.isEmpty ? nil : ranges.first { $0.numbers.contains(number) }?.name)
  }

  /// The number for a name, for `reserved (n)`, or for the digits of a number; nil for other texts.
  func number(_ text: String) -> UInt64? {
    if let pair = pairs.first(where: { $0.name == text }) { return pair.number }
    if let range = ranges.first(where: { $0.name == text }) { return range.numbers.lowerBound }
    return UInt64(Self.digits(text))
  }

  /// The numbers with a name; nil for other texts.
  func numbers(of name: String) -> ClosedRange<UInt64>? {
    pairs.first { $0.name == name }.map { $0.number...$0.number }
      ?? ranges.first { $0.name == name }?.numbers
  }

  /// The digits in `reserved (n)`; other texts as they are.
  static func digits(_ text: String) -> String {
    guard text.hasPrefix("reserved ("), text.hasSuffix(")") else { return text }
    return String(text.dropFirst("reserved (".count).dropLast())
  }
}
