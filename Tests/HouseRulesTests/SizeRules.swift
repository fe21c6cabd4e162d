// How long a file and a function may be.
//
// The length of lines is the formatter's business.

enum SizeRules {
  static let longestSource = 400
  static let longestTest = 600
  static let longestFunction = 70

  static func checkFile(_ file: SourceFile) -> [Finding] {
    let limit = file.isInTests ? longestTest : longestSource
    guard file.lineCount > limit else { return [] }
    return [file.finding(line: 0, "\(file.lineCount) lines, more than \(limit)")]
  }

  /// Functions and initialisers, found by the formatter's indentation.
  static func checkFunctions(_ file: SourceFile) -> [Finding] {
    let lines = file.codeLines
    return lines.indices.compactMap { start in
      guard isFunction(lines[start]) else { return nil }
      let indent = indentation(lines[start])
      guard let open = body(from: start, in: lines, indent: indent) else { return nil }
      let close = lines[open...].dropFirst().firstIndex {
        indentation($0) == indent && $0.dropFirst(indent).hasPrefix("}")
      }
      let count = (close ?? lines.endIndex - 1) - start + 1
      guard count >= longestFunction else { return nil }
      return file.finding(
        line: start + 1,
        "a function of \(count) lines, not under \(longestFunction)"
      )
    }
  }

  private static func isFunction(_ line: Substring) -> Bool {
    let words = line.split(separator: " ")
    return words.contains("func")
      || words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init<") || $0.hasPrefix("init?(") }
        && line.hasSuffix("{")
      || words.last.map { $0 == "init(" } ?? false
  }

  /// The line that opens the body; `nil` for a requirement or a body on one line.
  private static func body(from start: Int, in lines: [Substring], indent: Int) -> Int? {
    for index in start..<lines.count {
      let line = lines[index]
      let rest = line.dropFirst(indent)
      let isDeeper = rest.hasPrefix(" ")
      guard index == start || isDeeper || [")", "where", "{"].contains(where: rest.hasPrefix) else {
        return nil
      }
      if !isDeeper, line.hasSuffix("{") { return index }
      if index == start, line.hasSuffix("}") { return nil }
    }
    return nil
  }

  private static func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
}
