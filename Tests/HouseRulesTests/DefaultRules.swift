// No silent defaults: a switch over an enumeration of this project decides about each of its cases.
//
// It reads text and knows no types. Which names belong to enumerations of the project is collected
// from their declarations; a switch whose patterns use none of these names is about something open:
// octets, words of a file, codes of another library.

/// The names of the cases that the project's own enumerations declare.
struct EnumCases: Sendable {
  let names: Set<String>

  init(in files: [SourceFile]) {
    var names: Set<String> = []
    for file in files where file.isSwift {
      for line in file.codeLines { names.formUnion(Self.declared(in: line)) }
    }
    self.names = names
  }

  /// The names after `case` where the line declares cases: a pattern begins with a dot, `let` or a
  /// literal, or ends with a colon.
  private static func declared(in line: Substring) -> [String] {
    var rest = line.drop { $0 == " " }
    if rest.hasPrefix("indirect ") { rest = rest.dropFirst("indirect ".count) }
    guard rest.hasPrefix("case ") else { return [] }
    rest = rest.dropFirst("case ".count)
    var (names, depth, word, isName) = ([String](), 0, "", true)
    for character in rest {
      switch character {
      case "(": depth += 1
      case ")": depth -= 1
      // A pattern of a switch.
      case ":" where depth == 0: return []
      case "," where depth == 0:
        names.append(word)
        (word, isName) = ("", true)
        continue
      default: break
      }
      guard depth == 0, isName else { continue }
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else if character != "`", !(character == " " && word.isEmpty) {
        isName = false
      }
    }
    names.append(word)
    return names.filter { $0.first?.isLowercase == true && !["let", "var", "is"].contains($0) }
  }
}

enum DefaultRules {
  /// What makes a default right over names that look like our own: the set is open, for a reason.
  static let marker = "// open:"

  /// A default, or a lone wildcard, of a switch that names cases of the project's enumerations.
  static func check(_ file: SourceFile, cases: EnumCases) -> [Finding] {
    let lines = file.codeLines
    let texts = file.lines
    return lines.indices.compactMap { index in
      let line = lines[index]
      let indent = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(indent)
      guard rest.hasPrefix("default:") || rest.hasPrefix("case _:") else {
        return line.contains(" default:") && !line.contains(", default:")
          ? file.finding(line: index + 1, "a default stands on a line of its own") : nil
      }
      let before = index > 0 ? texts[index - 1] : ""
      guard !texts[index].contains(marker), !before.contains(marker) else { return nil }
      let named = patterns(above: index, indent: indent, in: lines).flatMap { caseNames(in: $0) }
      guard let own = named.first(where: cases.names.contains) else { return nil }
      return file.finding(
        line: index + 1,
        "a default beside .\(own): list the cases, or say after \(marker) why the set is open"
      )
    }
  }

  /// The patterns of the switch that the line belongs to, each up to its colon.
  private static func patterns(above end: Int, indent: Int, in lines: [Substring]) -> [String] {
    var found: [String] = []
    var index = end - 1
    while index >= 0 {
      let line = lines[index]
      let depth = line.prefix { $0 == " " }.count
      if !line.isEmpty,
        depth < indent
          || depth == indent && !line.dropFirst(depth).hasPrefix("case ")
            && !line.dropFirst(depth).hasPrefix("default:") && !line.dropFirst(depth).hasPrefix("}")
            && line.contains("switch ")
      {
        break
      }
      if depth == indent, line.dropFirst(depth).hasPrefix("case ") {
        found.append(pattern(from: index, in: lines))
      }
      index -= 1
    }
    return found
  }

  /// From `case` to the colon outside of brackets, without a `where` clause.
  private static func pattern(from start: Int, in lines: [Substring]) -> String {
    var (text, depth) = ("", 0)
    for line in lines[start...].prefix(20) {
      for character in line {
        if "([{".contains(character) { depth += 1 }
        if ")]}".contains(character) { depth -= 1 }
        if character == ":" && depth == 0 { return String(text.split(separator: " where ")[0]) }
        text.append(character)
      }
      text.append(" ")
    }
    return text
  }

  /// The names after a dot that no type or value stands before.
  private static func caseNames(in pattern: String) -> [String] {
    var names: [String] = []
    var before: Character = " "
    var rest = pattern[...]
    while let character = rest.first {
      rest = rest.dropFirst()
      if character == ".", !(before.isLetter || before.isNumber || ")]?\"".contains(before)) {
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        names.append(String(name))
      }
      before = character
    }
    return names
  }
}
