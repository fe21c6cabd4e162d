// Shell-like quotes for words of the one-line form.

/// Quotes words where necessary.
enum Quoting {
  /// `text` as one word: in double quotes when it is empty or contains a space, quote, `;` or `\`.
  static func quoted(_ text: String) -> String {
    let special = " \t\n;\"'\\"
    guard text.isEmpty || text.contains(where: { special.contains($0) }) else { return text }
    return always(text)
  }

  /// `text` in double quotes.
  static func always(_ text: String) -> String {
    let escaped = text.flatMap { character -> [Character] in
      character == "\"" || character == "\\" ? ["\\", character] : [character]
    }
    return "\"" + String(escaped) + "\""
  }
}
