// The declaration that an XML file may begin with.
//
// The parser never sees it: what a file says of its own encoding would make the parser read other
// signs than were looked through before, document types among them.

import Documents

/// The first line of many XML files: `<?xml version="1.0" encoding="UTF-8"?>`.
enum XMLDeclaration {
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// The text without its declaration, in whose place blanks stand.
  ///
  /// - Throws: `DocumentErrors` when it says that the file is not in UTF-8, and for signs that XML
  ///   does not allow.
  static func blanked(_ text: String, file: String) throws(DocumentErrors) -> [UInt8] {
    var octets = Array(text.utf8)
    try refuseControls(octets, file)
    let start = octets.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    guard octets[start...].starts(with: Array("<?xml".utf8)),
      let end = octets[start...].firstIndex(of: UInt8(ascii: ">"))
    else { return octets }
    let words = String(decoding: octets[start..<end], as: UTF8.self)
      .split { " \t\r\n=\"'?".contains($0) }
    if let key = words.firstIndex(of: "encoding"), key + 1 < words.count {
      let encoding = words[key + 1].lowercased()
      guard ["utf-8", "utf8", "us-ascii"].contains(encoding) else {
        throw problem(file, 1, 1, "the file says that it is in \(words[key + 1])", "UTF-8")
      }
    }
    for index in start...end where octets[index] != UInt8(ascii: "\n") {
      octets[index] = UInt8(ascii: " ")
    }
    return octets
  }

  /// - Source: Extensible Markup Language 1.0, §2.2 (Char).
  private static func refuseControls(
    _ octets: [UInt8],
    _ file: String
  ) throws(DocumentErrors) {
    let allowed: [UInt8] = [0x09, 0x0a, 0x0d]
    guard let index = octets.firstIndex(where: { $0 < 0x20 && !allowed.contains($0) }) else {
      return
    }
    let before = octets[..<index]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = before[lineStart...].count { $0 & 0xc0 != 0x80 } + 1
    throw problem(file, line, column, "a control character stands here", "text")
  }

  private static func problem(
    _ file: String,
    _ line: Int,
    _ column: Int,
    _ message: String,
    _ expected: String
  ) -> DocumentErrors {
    let place = Place(file: file, line: line, column: column)
    return DocumentErrors([DocumentProblem(place, path: "", message, expected: expected)])
  }
}
