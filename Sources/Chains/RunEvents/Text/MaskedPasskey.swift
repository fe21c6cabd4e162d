// Masks passkeys that users typed in the wrong place, for messages.

extension String {
  /// The text with an asterisk for each digit of a possible passkey: four digits or more after a
  /// word such as `passkey=` or `pin:`, or anywhere in a text that contains "passkey".
  package var withoutPasskeys: String {
    let characters = Array(self)
    let isAboutPasskeys = contains("passkey")
    var result = characters
    var start = 0
    while start < characters.count {
      guard characters[start].isASCIIDigit else {
        start += 1
        continue
      }
      let end = characters[start...].firstIndex { !$0.isASCIIDigit } ?? characters.count
      if end - start >= 4, isAboutPasskeys || Self.namesPasskey(characters[..<start]) {
        for index in start..<end { result[index] = "*" }
      }
      start = end
    }
    return String(result)
  }

  /// Whether the text before a number ends in a word for a passkey, perhaps misspelled, and `=` or
  /// `:`.
  private static func namesPasskey(_ before: ArraySlice<Character>) -> Bool {
    var rest = before
    var isAssigned = false
    while let last = rest.last, "=: '\"".contains(last) {
      isAssigned = isAssigned || last == "=" || last == ":"
      rest.removeLast()
    }
    let word = String(rest.reversed().prefix { $0.isLetter || $0 == "-" }.reversed()).lowercased()
    return isAssigned && ["pa", "ps", "pin"].contains { word.hasPrefix($0) }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
