// Where the tags of a document stand, found before anything parses it.
//
// It refuses what no suite needs and hostile files live by: document types, and with them every
// declared entity. Processing instructions it takes out. It is no parser: whether tags match is the
// parser's to say.

import Documents

/// The start tags of a text, in order, with the places of their attributes.
struct TagScanner {
  struct Tag: Equatable {
    let place: Place
    /// The places of the attributes by name; of one that stands there twice, the first.
    var attributes: [(name: String, place: Place)] = []

    static func == (a: Tag, b: Tag) -> Bool {
      a.place == b.place && a.attributes.elementsEqual(b.attributes) { $0 == $1 }
    }
  }

  /// The document; once it was scanned, with blanks in the place of processing instructions.
  ///
  /// FoundationXML reads from nowhere where one has no content, as `<?a?>` (Swift 6.3).
  private(set) var octets: [UInt8]
  private let file: String
  private let limits: MarkupLimits
  private var index = 0
  private var line = 1
  private var column = 1
  private var depth = 0
  private(set) var tags: [Tag] = []

  /// - Parameter octets: The document, in UTF-8.
  init(_ octets: [UInt8], file: String, limits: MarkupLimits) {
    self.octets = octets
    self.file = file
    self.limits = limits
  }

  /// Finds the tags.
  ///
  /// - Throws: The first thing that is refused.
  mutating func scan() throws(DocumentErrors) -> [Tag] {
    guard octets.count <= limits.octets else {
      throw refusal("the file is longer than \(limits.octets) octets", at: Place(file: file))
    }
    while index < octets.count {
      if octets[index] == UInt8(ascii: "<") { try markup() } else { advance() }
    }
    return tags
  }

  private mutating func markup() throws(DocumentErrors) {
    let place = here
    if skip("<!--") { return passOver("-->") }
    if skip("<![CDATA[") { return passOver("]]>") }
    let start = index
    if skip("<?") {
      passOver("?>")
      for index in start..<index where octets[index] != UInt8(ascii: "\n") {
        octets[index] = UInt8(ascii: " ")
      }
      return
    }
    if skip("<!") {
      throw refusal("a document type is not allowed here: no suite needs one", at: place)
    }
    let isEnd = skip("</")
    if isEnd {
      depth -= 1
      return passOver(">")
    }
    advance()
    guard index < octets.count, isName(octets[index]) else { return }
    try tag(at: place)
  }

  private mutating func tag(at place: Place) throws(DocumentErrors) {
    var tag = Tag(place: place)
    while index < octets.count, isName(octets[index]) { advance() }
    while index < octets.count, octets[index] != UInt8(ascii: ">") {
      let octet = octets[index]
      if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'") {
        advance()
        while index < octets.count, octets[index] != octet { advance() }
        if index < octets.count { advance() }
      } else if isName(octet) {
        let (place, start) = (here, index)
        while index < octets.count, isName(octets[index]) { advance() }
        tag.attributes.append((String(decoding: octets[start..<index], as: UTF8.self), place))
      } else {
        advance()
      }
      guard tag.attributes.count <= limits.attributes else {
        throw refusal("an element has more than \(limits.attributes) attributes", at: place)
      }
    }
    let isEmpty = index > 0 && index < octets.count && octets[index - 1] == UInt8(ascii: "/")
    if index < octets.count { advance() }
    tags.append(tag)
    depth += isEmpty ? 0 : 1
    guard depth <= limits.depth else {
      throw refusal("more than \(limits.depth) elements lie in one another", at: place)
    }
    guard tags.count <= limits.elements else {
      throw refusal("there are more than \(limits.elements) elements", at: place)
    }
  }

  // MARK: Octets

  private var here: Place { Place(file: file, line: line, column: column) }

  /// Columns count characters: what follows the first octet of one counts for none.
  private mutating func advance() {
    let octet = octets[index]
    index += 1
    if octet == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if octet & 0xc0 != 0x80 {
      column += 1
    }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard octets[index...].starts(with: wanted) else { return false }
    for _ in wanted { advance() }
    return true
  }

  private mutating func passOver(_ end: StaticString) {
    while index < octets.count {
      if skip(end) { return }
      advance()
    }
  }

  private func isName(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: ":"), UInt8(ascii: "."), 0x80...0xff:
      true
    default: false
    }
  }

  private func refusal(_ message: String, at place: Place) -> DocumentErrors {
    DocumentErrors([DocumentProblem(place, path: "", message)])
  }
}
