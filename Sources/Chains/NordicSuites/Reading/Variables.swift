// The variables of a suite: `${NAME}` in any attribute.

/// Variables and their values.
struct Variables: Sendable {
  /// The reason why the variables of a text cannot be filled in.
  enum Refusal: Error, Hashable, Sendable {
    case missing(String)
    case tooLong
  }

  private var values: [(name: String, value: String)] = []

  /// The names of the variables, in the order in which they were set.
  var names: [String] { values.map(\.name) }

  subscript(name: String) -> String? {
    get { values.first { $0.name == name }?.value }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append((name, newValue)) }
    }
  }

  /// Returns the names in a text.
  static func names(in text: String) -> [String] {
    text.split(separator: "${", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstIndex(of: "}").map { String(part[..<$0]) }
    }
  }

  /// Fills the variables of a text in, once: a `${…}` in a value is not replaced again. A `${` without `}` is
  /// kept.
  ///
  /// - Parameter limit: The maximum length of the result, in bytes.
  func filled(_ text: String, limit: Int) throws(Refusal) -> String {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
    var filled = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${"),
      let end = rest[start.upperBound...].firstIndex(of: "}")
    {
      let name = String(rest[start.upperBound..<end])
      guard let value = self[name] else { throw .missing(name) }
      filled += rest[..<start.lowerBound] + value
      guard filled.utf8.count <= limit else { throw .tooLong }
      rest = rest[rest.index(after: end)...]
    }
    filled += rest
    guard filled.utf8.count <= limit else { throw .tooLong }
    return filled
  }
}

extension Element {
  /// The variables that this element, or one inside it, uses or sets.
  var variables: [String] {
    let set = name == "set" ? attribute("name").map { [$0.value] } ?? [] : []
    return set + attributes.flatMap { Variables.names(in: $0.value) }
      + children.flatMap(\.variables)
  }
}
