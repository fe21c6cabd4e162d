// The fields of a value that a chain writes by a description.

import Bluetooth

/// The fields of a described value; captured values are substituted when the step runs.
struct WrittenFields: Hashable, Sendable, CustomStringConvertible {
  /// The value of one field, or of all of them.
  indirect enum Content: Hashable, Sendable {
    /// A text, a number, yes or no, or bytes in hexadecimal digits: the format decides.
    case text(MessageTemplate)
    case list([Content])
    case group([Member])
  }

  struct Member: Hashable, Sendable {
    let name: String
    var value: Content
  }

  let format: ValueDescription
  let content: Content

  /// The captured values in them.
  var references: [VariablePath] { content.references }

  /// The bytes; nil as long as captured values are missing.
  ///
  /// - Throws: `ValueError` with the path of the field.
  func octets() throws(ValueError) -> [UInt8]? {
    guard let value = content.decoded else { return nil }
    return try format.encode(value)
  }

  /// The first field that the description does not have; nil without one.
  ///
  /// For values that cannot be encoded yet.
  var unknown: String? {
    let known = format.fieldNames
    return content.paths(inside: "").first { path in
      !known.contains(path) && !known.contains { path.hasPrefix("\($0).") }
    }
  }

  /// The mistakes in values that cannot be encoded yet, each with the path of its field.
  var mistakes: [ValueError] { format.mistakes(in: content.described, .encoded) { _ in nil } }

  /// The one-line form: `interval=600 mode=eco flags.tamper=yes`.
  var description: String { content.assignments(inside: "").joined(separator: " ") }
}

extension WrittenFields.Content {
  /// A group of fields whose names may have dots: `flags.tamper`.
  static func group(_ members: [(path: [String], value: Self)]) -> Self {
    var group: [WrittenFields.Member] = []
    for (path, value) in members {
      let rest = Array(path.dropFirst())
      let value = rest.isEmpty ? value : .group([(rest, value)])
      if let index = group.firstIndex(where: { $0.name == path[0] }),
        case .group(let old) = group[index].value,
        case .group(let new) = value
      {
        group[index].value = .group(old + new)
      } else {
        group.append(WrittenFields.Member(name: path[0], value: value))
      }
    }
    return .group(group)
  }

  /// Parses the one-line form of fields; of a text without `=`, the value itself. Nil for a text
  /// that is neither.
  init?(written text: String) {
    var members: [(path: [String], value: Self)] = []
    let words = Self.words(of: text)
    for word in words {
      guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
        guard words.count == 1, let template = MessageTemplate(text) else { return nil }
        self = .text(template)
        return
      }
      let path = word[..<sign].split(separator: ".", omittingEmptySubsequences: false).map(
        String.init)
      guard path.allSatisfy({ !$0.isEmpty }),
        let template = MessageTemplate(Self.unquoted(word[word.index(after: sign)...]))
      else { return nil }
      members.append((path, .text(template)))
    }
    guard !members.isEmpty else { return nil }
    self = .group(members)
  }

  /// The words of a text; spaces in quotes do not separate.
  private static func words(of text: String) -> [Substring] {
    var words: [Substring] = []
    var quote: Character?
    var start: String.Index?
    for index in text.indices {
      let character = text[index]
      if quote == nil, character == " " {
        if let begin = start { words.append(text[begin..<index]) }
        start = nil
        continue
      }
      if start == nil { start = index }
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      }
    }
    if let start { words.append(text[start...]) }
    return words
  }

  private static func unquoted(_ text: Substring) -> String {
    guard text.count > 1, let first = text.first, first == text.last, first == "\"" || first == "'"
    else {
      return String(text)
    }
    return String(text.dropFirst().dropLast())
  }

  /// The captured values in it.
  var references: [VariablePath] { templates.flatMap(\.variables) }

  private var templates: [MessageTemplate] {
    switch self {
    case .text(let template): [template]
    case .list(let values): values.flatMap(\.templates)
    case .group(let members): members.flatMap(\.value.templates)
    }
  }

  fileprivate var decoded: DecodedValue? {
    switch self {
    case .text(let template): return template.constant.map { .text($0) }
    case .list(let values):
      let decoded = values.compactMap(\.decoded)
      return decoded.count == values.count ? .list(decoded) : nil
    case .group(let members):
      let fields = members.compactMap { member in
        member.value.decoded.map { DecodedValue.Field(member.name, $0) }
      }
      return fields.count == members.count ? .fields(fields) : nil
    }
  }

  /// The content to check; what is captured may be any value.
  fileprivate var described: DescribedContent {
    switch self {
    case .text(let template): template.constant.map { .text($0) } ?? .calculated(.zero)
    case .list(let values): .list(values.map(\.described))
    case .group(let members):
      DescribedContent(group: members.map { (path: [$0.name], value: $0.value.described) })
    }
  }

  fileprivate func paths(inside outer: String) -> [String] {
    guard case .group(let members) = self else { return outer.isEmpty ? [] : [outer] }
    return members.flatMap {
      $0.value.paths(inside: outer.isEmpty ? $0.name : "\(outer).\($0.name)")
    }
  }

  fileprivate func assignments(inside outer: String) -> [String] {
    switch self {
    case .text(let template):
      let text = template.description
      let quote = text.contains("\"") ? "'" : "\""
      let shown = text.contains(" ") || text.isEmpty ? "\(quote)\(text)\(quote)" : text
      return [outer.isEmpty ? text : "\(outer)=\(shown)"]
    case .list(let values):
      let texts = values.flatMap { $0.assignments(inside: "") }
      return ["\(outer)=\(texts.joined(separator: ","))"]
    case .group(let members):
      return members.flatMap {
        $0.value.assignments(inside: outer.isEmpty ? $0.name : "\(outer).\($0.name)")
      }
    }
  }

  /// Returns the fields with their captured values.
  func filled<Failure: Error>(
    _ fill: (MessageTemplate) throws(Failure) -> MessageTemplate
  ) throws(Failure) -> Self {
    switch self {
    case .text(let template): return .text(try fill(template))
    case .list(let values):
      var filled: [Self] = []
      for value in values { filled.append(try value.filled(fill)) }
      return .list(filled)
    case .group(let members):
      var filled: [WrittenFields.Member] = []
      for member in members {
        filled.append(WrittenFields.Member(name: member.name, value: try member.value.filled(fill)))
      }
      return .group(filled)
    }
  }
}
