// XML-specific damage: tags, attributes, entities, document types, depth.
//
// Pure: takes bytes and a generator, returns bytes.

import Signals

enum MarkupDamage: CaseIterable {
  case insert, swapValue, removeTag, repeatTag, nest, crowd, expand, encoding, closeEarly

  private static let pieces: [[UInt8]] = [
    "<!DOCTYPE a [<!ENTITY x 'y'>]>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>", "&x;", "&lt;",
    "&#0;", "&#x10FFFF;", "&#xD800;", "&amp;", "<![CDATA[", "]]>", "<!--", "-->", "<?xml?>", "<?",
    "?>", "<", ">", "</", "/>", "<a", "<a xmlns='u'/>", "<x:a xmlns:x='u'/>", "xml:lang='en' ",
    "<a b='1' b='2'/>", "\u{FEFF}", "\u{0}", "\u{B}", "${", "${}", "${A", "}", "${ADDRESS}",
    "<connect/>", "<sleep timeout='0'/>", "<read-phy><assert-value tx='LE_1M | LE_2M'/></read-phy>",
    "<set name='A' value='${A}${A}'/>", "<run-test ref='writes'/>", "<assert-value/>",
    "<scan data='((A{9}){9}){9}'/>", "<scan-for data='(A|A)*$' bind-target='echo'/>",
    "<begin-reliable-write/>", "<dfu file='x'/>", "<macro name='m'>", "</macro>",
  ].map { Array($0.utf8) }

  private static let values: [[UInt8]] = [
    "", "0", "-1", "86400000", "86400001", "99999999999999999999", "SUCCESS", "FAIL",
    "FAIL_WARNING_ON_SUCCESS", "SUCCESS_WARNING_ON_FAIL", "WRITE_COMMAND", "180d", "2902", "0x00",
    "00000000-0000-0000-0000-000000000000", "C0:FF:EE:00:00:04", "echo", "-50+", "-50-", "+", "-",
    "LE_1M|LE_CODED", "[^", "{1,", "(?", "\\", "^$", ".*.*.*.*.*.*.*x", "é", "🦷", "&#10;", "a\nb",
    "MANDATORY", "true", "00", "0", "zz", "${ADDRESS}${ADDRESS}", "${NO}",
  ].map { Array($0.utf8) }

  static func damage(
    _ text: inout [UInt8], with corpus: Corpus, _ generator: inout SeededGenerator
  ) {
    for _ in 0..<generator.pick([1, 1, 2, 3, 8]) {
      generator.pick(allCases).apply(to: &text, &generator)
    }
  }

  private func apply(to text: inout [UInt8], _ generator: inout SeededGenerator) {
    switch self {
    case .insert:
      text.insert(contentsOf: generator.pick(Self.pieces), at: generator.place(in: text))
    case .swapValue:
      let values = Self.ranges(in: text, from: UInt8(ascii: "\""), to: UInt8(ascii: "\""))
      guard !values.isEmpty else { return }
      text.replaceSubrange(generator.pick(values), with: generator.pick(Self.values))
    case .removeTag, .repeatTag, .closeEarly:
      let tags = Self.tags(in: text)
      guard !tags.isEmpty else { return }
      let tag = generator.pick(tags)
      let (start, end) = (tag.lowerBound - 1, min(text.count, tag.upperBound + 1))
      switch self {
      case .removeTag: text.removeSubrange(start..<end)
      case .repeatTag:
        let copies = [[UInt8]](
          repeating: Array(text[start..<end]), count: generator.pick([1, 3, 50])
        )
        text.insert(contentsOf: copies.joined(), at: start)
      case .closeEarly: text.insert(contentsOf: Array("/".utf8), at: tag.upperBound)
      case .insert, .swapValue, .nest, .crowd, .expand, .encoding: break
      }
    case .nest:
      let depth = generator.pick([2, 15, 17, 300, 20_000])
      let before = Array(String(repeating: "<test>", count: depth).utf8)
      text.insert(contentsOf: before, at: generator.place(in: text))
    case .crowd:
      let many = (0..<generator.pick([3, 23, 25, 2_000])).map { " a\($0)='x'" }.joined()
      let tags = Self.tags(in: text)
      guard !tags.isEmpty else { return }
      text.insert(contentsOf: Array(many.utf8), at: generator.pick(tags).upperBound)
    case .expand:
      var bomb = ""
      for level in 1...generator.pick([3, 20, 60]) {
        bomb += "<set name='V\(level)' value='${V\(level - 1)}${V\(level - 1)}x'/>"
      }
      let set = "<set name='V0' value='\(String(repeating: "y", count: 100))'/>"
      let tags = Self.tags(in: text)
      guard !tags.isEmpty else { return }
      text.insert(contentsOf: Array((set + bomb).utf8), at: generator.pick(tags).lowerBound - 1)
    case .encoding:
      let name = generator.pick(["UTF-16", "ISO-8859-1", "US-ASCII", "UCS-4", "x", ""])
      text = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?>".utf8) + text
    }
  }

  /// The shortest ranges between the two delimiters, at most a thousand.
  private static func ranges(in text: [UInt8], from start: UInt8, to end: UInt8) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var from: Int?
    for (index, octet) in text.enumerated() where ranges.count < 1_000 {
      if let begun = from {
        guard octet == end else { continue }
        ranges.append(begun..<index)
        from = nil
      } else if octet == start {
        from = index + 1
      }
    }
    return ranges
  }

  private static func tags(in text: [UInt8]) -> [Range<Int>] {
    ranges(in: text, from: UInt8(ascii: "<"), to: UInt8(ascii: ">"))
  }
}
