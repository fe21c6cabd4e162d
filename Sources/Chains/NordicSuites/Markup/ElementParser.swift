// The XML parser: builds elements within limits, and describes errors. Only this file calls expat.
//
// Document types are refused, and so are the entities that they could declare.

import CExpat
import Documents
import Signals

/// Builds the tree of one document from the callbacks of expat.
final class ElementParser {
  /// The encodings that a document may declare, in lower case. It is always parsed as UTF-8.
  private static let encodings = ["utf-8", "utf8", "us-ascii"]
  /// The maximum expansion of entities, as a multiple of the size of the document.
  private static let maximumAmplification: Float = 10

  private let file: String
  private let limits: MarkupLimits
  private let document: [UInt8]
  private let parser: XML_Parser
  private var count = 0
  /// The elements that are open, outermost first.
  private var open: [Element] = []
  private var root: Element?
  /// The first problem; later ones are ignored.
  private var problem: Problem?

  private init(_ document: [UInt8], file: String, limits: MarkupLimits) {
    self.document = document
    self.file = file
    self.limits = limits
    // The encoding given here overrides the one that the document declares.
    guard let parser = XML_ParserCreate("UTF-8") else { endProcess("no memory is left for expat") }
    self.parser = parser
    let amplification = Self.maximumAmplification
    let hasLimits =
      XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, amplification) != 0
      && XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, UInt64(limits.bytes)) != 0
    // expat may have been built without these limits.
    if !hasLimits { endProcess("the libexpat of this system cannot limit entities: update it") }
  }

  deinit { XML_ParserFree(parser) }

  /// Parses a text and returns the root element.
  ///
  /// - Throws: `DocumentErrors` with the first error in the XML, or the first exceeded limit.
  static func parse(
    _ text: String, file: String, limits: MarkupLimits
  ) throws(DocumentErrors) -> Element {
    let elements = ElementParser(Array(text.utf8), file: file, limits: limits)
    elements.parse()
    if let problem = elements.problem { throw DocumentErrors([problem]) }
    guard let root = elements.root else {
      preconditionFailure("expat accepted a document without an element")
    }
    return root
  }

  private func parse() {
    guard document.count <= min(limits.bytes, Int(Int32.max)) else {
      return refuse(Place(file: file), "the file is longer than \(limits.bytes) bytes")
    }
    // expat parses a document with a zero in its first two bytes as UTF-16, regardless of the encoding given
    // to the parser (expat 2.5.0, lib/xmltok_ns.c, initScan). It refuses any later zero itself.
    if let zero = document.prefix(2).firstIndex(of: 0) {
      return refuse(Place(file: file, line: 1, column: zero + 1), Self.control)
    }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetXmlDeclHandler(parser) { elements, _, encoding, _ in
      if let encoding { ElementParser.at(elements)?.declared(String(cString: encoding)) }
    }
    XML_SetElementHandler(
      parser,
      { elements, name, attributes in
        guard let name, let attributes else { return }
        ElementParser.at(elements)?.start(String(cString: name), attributes)
      },
      { elements, _ in ElementParser.at(elements)?.end() }
    )
    XML_SetCharacterDataHandler(parser) { elements, bytes, count in
      ElementParser.at(elements)?.text(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    // Receives every token without another handler: comments and processing instructions, which are
    // ignored, and the start of a document type.
    XML_SetDefaultHandler(parser) { elements, bytes, count in
      let token = UnsafeBufferPointer(start: bytes, count: Int(count))
      guard token.prefix(9).map({ UInt8(bitPattern: $0) }) == Array("<!DOCTYPE".utf8),
        let elements = ElementParser.at(elements)
      else { return }
      elements.refuse(elements.place, ElementParser.documentType)
    }
    let status = document.withUnsafeBytes { bytes in
      // Parse everything at once: with pieces, expat would parse a long token again for each of them.
      XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), 1)
    }
    if status != XML_STATUS_OK { refuse(XML_GetErrorCode(parser)) }
  }

  // MARK: Callbacks

  /// Returns the receiver of a callback; nil if the document has been refused, because expat may report one or
  /// two more events after it was stopped.
  private static func at(_ pointer: UnsafeMutableRawPointer?) -> ElementParser? {
    guard let pointer else { preconditionFailure("expat lost the data of its callbacks") }
    let elements = Unmanaged<ElementParser>.fromOpaque(pointer).takeUnretainedValue()
    return elements.problem == nil ? elements : nil
  }

  /// The current place of the parser. Lines and columns count characters from 1.
  private var place: Place { place(after: 0) }

  private func place(after columns: Int) -> Place {
    Place(
      file: file, line: Int(XML_GetCurrentLineNumber(parser)),
      column: Int(XML_GetCurrentColumnNumber(parser)) + 1 + columns
    )
  }

  private var index: Int { Int(XML_GetCurrentByteIndex(parser)) }

  private func declared(_ encoding: String) {
    guard !Self.encodings.contains(encoding.lowercased()) else { return }
    refuse(place, "expected the encoding UTF-8 or US-ASCII, found \(encoding)")
  }

  /// Handles the start of an element.
  ///
  /// - Parameter list: Alternating names and values of attributes, up to a null pointer.
  private func start(_ name: String, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
    var texts = list
    var attributes: [(name: String, value: String)] = []
    while let name = texts[0], let value = texts[1] {
      attributes.append((String(cString: name), String(cString: value)))
      texts += 2
    }
    let place = place
    count += 1
    guard attributes.count <= limits.attributes else {
      return refuse(place, "an element has more than \(limits.attributes) attributes")
    }
    guard open.count < limits.depth else {
      return refuse(place, "elements are nested more than \(limits.depth) deep")
    }
    guard count <= limits.elements else {
      return refuse(place, "there are more than \(limits.elements) elements")
    }
    var tag = TagReader(document, index, place)
    var element = Element(name: name, place: place, attributes: [])
    for (name, value) in attributes {
      let place = tag.nextAttribute()
      guard value.utf8.count <= limits.attributeBytes else {
        return refuse(place, "the text is longer than \(limits.attributeBytes) bytes")
      }
      element.attributes.append(.init(name: name, value: value, place: place))
    }
    open.append(element)
  }

  private func end() {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  /// Handles text between two line ends, or a line end.
  private func text(_ bytes: UnsafeBufferPointer<CChar>) {
    guard let last = open.indices.last, open[last].text == nil else { return }
    let first = bytes.firstIndex { !Self.isBlank(UInt8(bitPattern: $0)) }
    open[last].text = first.map { place(after: $0) }
  }

  // MARK: Errors

  private static let control = "expected text, found a control character"
  private static let documentType = "a document type is not allowed here: no suite needs one"

  private func refuse(_ place: Place, _ message: String, expected: String? = nil) {
    guard problem == nil else { return }
    problem = Problem(message, expected: expected).at(place, path: "")
    XML_StopParser(parser, 0)
  }

  private func refuse(_ error: XML_Error) {
    let index = max(0, index)
    // In a place where no document type is allowed, expat only reports that '!' does not begin a name.
    if Self.declares(document[index...]) { return refuse(place, Self.documentType) }
    if Self.declares(document[max(0, index - 2)...]) {
      return refuse(place(after: -2), Self.documentType)
    }
    switch error {
    case XML_ERROR_NO_ELEMENTS where count == 0: refuse(place, "there is no element in this file")
    case XML_ERROR_NO_ELEMENTS: refuseUnclosed("the file ends before")
    case XML_ERROR_TAG_MISMATCH:
      let name = document[index...].drop { "</".utf8.contains($0) }
        .prefix { !Self.isBlank($0) && $0 != UInt8(ascii: ">") }
      refuseUnclosed("found </\(String(decoding: name, as: UTF8.self))> before")
    case XML_ERROR_INVALID_TOKEN:
      let isControl = document[index...].first.map { $0 < 0x20 && !Self.isBlank($0) } ?? false
      if isControl { return refuse(place, Self.control) }
      refuse(place, unexpected(at: index))
    default:
      let text = XML_ErrorString(error).map { String(cString: $0) } ?? "unknown error"
      refuse(place, Self.meanings[error.rawValue] ?? "invalid XML: \(text)")
    }
  }

  /// Reports that the innermost open element is not closed.
  ///
  /// - Parameter before: The beginning of a sentence: "the file ends before".
  private func refuseUnclosed(_ before: String) {
    guard let last = open.last else {
      return refuse(place, "\(before) all elements are closed")
    }
    let end = "</\(last.name)>"
    refuse(
      place, "\(before) the <\(last.name)> of line \(last.place.line) is closed", expected: end
    )
  }

  /// Whether bytes begin a declaration, and not a comment or a CDATA section.
  private static func declares(_ bytes: ArraySlice<UInt8>) -> Bool {
    let start = Array(bytes.prefix(3))
    return start.count == 3 && start.starts(with: "<!".utf8)
      && !"-[".utf8.contains(start[2])
  }

  /// Describes a byte that is not allowed, judging by the text before it.
  private func unexpected(at index: Int) -> String {
    let byte = index < document.count ? document[index] : 0
    let before = document[..<min(index, document.count)]
    let word = before.reversed().prefix { !Self.isBlank($0) && !"<>&;'\"=".utf8.contains($0) }
    if before.dropLast(word.count).last == UInt8(ascii: "&") {
      return "a reference is not closed by ';': a plain '&' is written '&amp;'"
    }
    switch before.last(where: { !Self.isBlank($0) }) {
    case UInt8(ascii: "="): return "the value of an attribute must be in quotes"
    case UInt8(ascii: "<"): return "a tag must begin with a name: a plain '<' is written '&lt;'"
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      if let last = before.last, !Self.isBlank(last) { return "a space is missing here" }
    default: break
    }
    switch byte {
    case UInt8(ascii: "<"): return "'<' is not allowed here: it is written '&lt;'"
    case UInt8(ascii: ">"), UInt8(ascii: "/"): return "the tag is incomplete: a value is missing"
    default: return "this character is not allowed here"
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }

  /// The messages for expat's errors.
  ///
  /// - Source: expat 2.5.0, `expat.h` (XML_Error).
  private static let meanings: [XML_Error.RawValue: String] = [
    XML_ERROR_SYNTAX.rawValue: "there is no element at the start of this file",
    XML_ERROR_UNCLOSED_TOKEN.rawValue: "the file ends inside a tag, a comment or an instruction",
    XML_ERROR_DUPLICATE_ATTRIBUTE.rawValue: "duplicate attribute",
    XML_ERROR_JUNK_AFTER_DOC_ELEMENT.rawValue: "only comments may follow the last element",
    XML_ERROR_UNDEFINED_ENTITY.rawValue: "undeclared entity",
    XML_ERROR_BAD_CHAR_REF.rawValue: "this reference is to a character that XML does not allow",
    XML_ERROR_MISPLACED_XML_PI.rawValue: "an XML declaration must be at the start of the file",
    XML_ERROR_XML_DECL.rawValue: "invalid XML declaration",
    XML_ERROR_UNCLOSED_CDATA_SECTION.rawValue: "the file ends inside a CDATA section",
    XML_ERROR_AMPLIFICATION_LIMIT_BREACH.rawValue: "the entities of this file expand too far",
  ]
}

/// Finds the places of the attributes in a start tag that expat has accepted.
///
/// expat reports where a tag begins, but the places of attributes only if it was compiled with XML_ATTR_INFO,
/// which distributions do not do.
private struct TagReader {
  private let document: [UInt8]
  private let file: String
  private var index: Int
  private var line: Int
  private var column: Int

  init(_ document: [UInt8], _ index: Int, _ place: Place) {
    self.document = document
    self.index = index
    (file, line, column) = (place.file, place.line, place.column)
    skip { !" \t\r\n/>".utf8.contains($0) }
  }

  /// Returns the place of the next attribute, which must exist.
  mutating func nextAttribute() -> Place {
    skip { " \t\r\n".utf8.contains($0) }
    let place = Place(file: file, line: line, column: column)
    skip { !"'\"".utf8.contains($0) }
    let quote = document[index]
    advance()
    skip { $0 != quote }
    advance()
    return place
  }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) {
    while index < document.count, isSkipped(document[index]) { advance() }
  }

  /// Moves to the next byte. Columns count characters, as expat's do, so continuation bytes do not count.
  private mutating func advance() {
    let byte = document[index]
    index += 1
    let isReturn = byte == UInt8(ascii: "\r") && document[index...].first != UInt8(ascii: "\n")
    if byte == UInt8(ascii: "\n") || isReturn {
      line += 1
      column = 1
    } else if byte & 0xc0 != 0x80 {
      column += 1
    }
  }
}
