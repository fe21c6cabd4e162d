// Silent defaults: a `default:` in a switch over an enumeration of this project.
//
// It reads lines and knows no types. Which names belong to enumerations of the project is collected
// from their declarations; a switch whose patterns use none of these names is about something open:
// bytes, words of a file, codes of another library.

/// The names of the cases that the project's own enumerations declare.
struct DeclaredCases: Sendable {
  let names: Set<String>

  init(in files: [SourceFile]) {
    names = Set(files.flatMap(\.lines).flatMap(Self.declared))
  }

  /// The names after `case`, unless a colon behind them makes the line a pattern.
  private static func declared(in line: Substring) -> [String] {
    var text = line.drop { $0 == " " }
    if text.hasPrefix("indirect ") { text = text.dropFirst("indirect ".count) }
    guard text.hasPrefix("case "), let names = outside(text.dropFirst("case ".count)),
      !names.contains(":"), !names.contains(".")
    else { return [] }
    return names.split(separator: ",").map { name in
      String(name.drop { " `".contains($0) }.prefix { $0.isLetter || $0.isNumber })
    }
    .filter { $0.first?.isLowercase == true && !["let", "var", "is"].contains($0) }
  }

  /// The text up to a colon outside of brackets, with it, and without what is in brackets or quotes.
  private static func outside(_ text: Substring) -> String? {
    var (kept, depth, isQuoted) = ("", 0, false)
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if isQuoted { continue }
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth == 0 { kept.append(character) }
      if depth == 0, character == ":" { break }
    }
    return isQuoted ? nil : kept
  }

  /// The lines, from 1, of each default beside one of the cases, with that case.
  func silentDefaults(in file: SourceFile) -> [(line: Int, name: String)] {
    file.lines.indices.compactMap { index in
      let text = file.lines[index].drop { $0 == " " }
      guard text.hasPrefix("default:") || text.hasPrefix("case _:") else { return nil }
      let isOpen = file.lines[max(0, index - 1)...index].contains { $0.contains("// open:") }
      guard !isOpen else { return nil }
      let named = Self.caseNames(above: index, in: file.lines).first(where: names.contains)
      return named.map { (index + 1, $0) }
    }
  }

  /// The names with a dot in the patterns of the switch that a line belongs to.
  private static func caseNames(above end: Int, in lines: [Substring]) -> [String] {
    func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
    let own = indent(lines[end])
    let present = lines[..<end].reversed().prefix { line in
      line.isEmpty || indent(line) > own || indent(line) == own && !line.contains("switch ")
    }
    return present.filter { indent($0) == own && $0.dropFirst(own).hasPrefix("case ") }
      .flatMap { line in
        pattern(line.dropFirst(own)).matches(of: /[\s(]\.(\w+)/).map { String($0.1) }
      }
  }

  /// From `case` to the colon outside of brackets, without a `where` clause.
  private static func pattern(_ line: Substring) -> Substring {
    var depth = 0
    return line.split(separator: " where ")[0].prefix { character in
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      return depth > 0 || character != ":"
    }
  }
}
