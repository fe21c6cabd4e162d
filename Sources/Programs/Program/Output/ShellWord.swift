// Words as they are typed in a shell, for commands that are printed.

extension String {
  /// The text as one word for a shell: in single quotes where it has other characters than names of
  /// files have.
  var asShellWord: String {
    let isPlain = utf8.allSatisfy { octet in
      let character = Character(Unicode.Scalar(octet))
      return octet > 127 || character.isLetter || character.isNumber
        || "/._-+:@,=".contains(character)
    }
    guard !isPlain || isEmpty else { return self }
    // By Unicode scalars: a combining mark may follow a quote.
    let escaped = unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar == "'" { escaped += "'\\''" } else { escaped.unicodeScalars.append(scalar) }
    }
    return "'\(escaped)'"
  }
}

extension Sequence<String> {
  /// The words as one line for a shell.
  var asShellLine: String { map(\.asShellWord).joined(separator: " ") }
}
