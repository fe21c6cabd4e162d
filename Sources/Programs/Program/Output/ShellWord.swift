// Quotes words for a shell, in printed commands.

extension String {
  /// The text as one shell word: in single quotes if it has other characters than ordinary file names.
  var asShellWord: String {
    let isPlain = utf8.allSatisfy { octet in
      let character = Character(Unicode.Scalar(octet))
      return octet > 127 || character.isLetter || character.isNumber
        || "/._-+:@,=".contains(character)
    }
    return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}

extension Sequence<String> {
  /// The words as one shell command.
  var asShellLine: String { map(\.asShellWord).joined(separator: " ") }
}
