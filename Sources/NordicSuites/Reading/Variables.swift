// The variables of a suite: `${NAME}` in any attribute.

/// Variables and their values.
struct Variables: Hashable, Sendable {
  /// The reasons why the variables of a text cannot be filled in.
  enum Problem: Error, Hashable, Sendable {
    case missing(String)
    case tooLong
  }

  private var values: [(name: String, value: String)] = []

  static func == (a: Variables, b: Variables) -> Bool {
    a.values.elementsEqual(b.values) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) { for (name, _) in values { hasher.combine(name) } }

  /// The names of the variables, in the order in which they were set.
  var names: [String] { values.map(\.name) }

  subscript(name: String) -> String? {
    get { values.first { $0.name == name }?.value }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append((name, newValue)) }
    }
  }

  /// The names in a text; a `${` without `}` is plain text.
  static func names(in text: String) -> [String] {
    var names: [String] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else { break }
      names.append(String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return names
  }

  /// A text with its variables filled in, once: `${…}` in a value stays.
  ///
  /// - Parameter limit: The maximum length of the result, in bytes.
  func filled(_ text: String, limit: Int) throws(Problem) -> String {
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
