// XML into elements. The one file that meets FoundationXML.
//
// External entities stay unresolved, and document types are refused before the parser sees one.

import Documents
import Foundation
import FoundationXML

/// Parses one document.
final class ElementParser: NSObject, XMLParserDelegate {
  private let file: String
  private let limits: MarkupLimits
  private let tags: [TagScanner.Tag]
  private var count = 0
  /// The elements that are open, outermost first.
  private var open: [Element] = []
  private var root: Element?
  private var problem: DocumentProblem?

  private init(file: String, limits: MarkupLimits, tags: [TagScanner.Tag]) {
    self.file = file
    self.limits = limits
    self.tags = tags
  }

  /// The root element of a text.
  ///
  /// - Throws: `DocumentErrors` with the first thing that is not XML, or that is more than allowed.
  static func parse(
    _ text: String,
    file: String,
    limits: MarkupLimits
  ) throws(DocumentErrors) -> Element {
    let octets = try XMLDeclaration.blanked(text, file: file)
    var scanner = TagScanner(octets, file: file, limits: limits)
    let tags = try scanner.scan()
    let start = Place(file: file, line: 1, column: 1)
    guard !tags.isEmpty else {
      throw DocumentErrors([DocumentProblem(start, path: "", "there is no element in this file")])
    }
    let document = ElementParser(file: file, limits: limits, tags: tags)
    let parser = XMLParser(data: Data(scanner.octets))
    parser.shouldResolveExternalEntities = false
    parser.delegate = document
    let isWhole = parser.parse()
    if let problem = document.problem { throw DocumentErrors([problem]) }
    guard isWhole, let root = document.root, document.open.isEmpty else {
      throw DocumentErrors([document.complaint(about: parser)])
    }
    return root
  }

  // MARK: What the parser tells

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard count < tags.count, open.count < limits.depth else {
      return refuse(parser, Place(file: file), "the tags of this file cannot be told apart")
    }
    let tag = tags[count]
    count += 1
    guard root == nil else { return refuse(parser, tag.place, Self.meaning(5)) }
    var element = Element(name: name, place: tag.place, attributes: [])
    for (name, place) in tag.attributes {
      guard let value = attributes[name] else { continue }
      guard value.utf8.count <= limits.attributeOctets else {
        let message = "the text is longer than \(limits.attributeOctets) octets"
        return refuse(parser, place, message)
      }
      element.attributes.append(.init(name: name, value: value, place: place))
    }
    guard element.attributes.count == attributes.count else {
      return refuse(parser, tag.place, "the attributes of <\(name)> cannot be told apart")
    }
    open.append(element)
  }

  func parser(
    _ parser: XMLParser,
    didEndElement name: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    let isBlank = string.utf8.allSatisfy { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    guard !isBlank, let last = open.indices.last, open[last].text == nil else { return }
    open[last].text = open[last].place
  }

  /// The first error is the cause; what the parser makes of the rest is not worth telling.
  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    let code = (error as NSError).code
    // Where elements are open, what is missing is their ends.
    refuse(parser, here(parser), Self.meaning(code == 5 && !open.isEmpty ? 77 : code))
  }

  private func refuse(_ parser: XMLParser, _ place: Place, _ message: String) {
    if problem == nil { problem = DocumentProblem(place, path: "", message) }
    parser.abortParsing()
  }

  // MARK: What is wrong

  private func complaint(about parser: XMLParser) -> DocumentProblem {
    let code = (parser.parserError as NSError?)?.code ?? 0
    return DocumentProblem(here(parser), path: "", Self.meaning(code))
  }

  private func here(_ parser: XMLParser) -> Place {
    Place(file: file, line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
  }

  private static func meaning(_ code: Int) -> String {
    meanings[code]
      ?? (code == 0 ? "this is not XML" : "this is not well-formed XML (libxml2's error \(code))")
  }

  /// - Source: libxml2, `xmlerror.h` (xmlParserErrors).
  private static let meanings: [Int: String] = [
    4: "the file does not begin with an element",
    5: "something stands behind the last element",
    9: "a character stands here that XML does not allow",
    22: "an entity is not closed: '&' is written '&amp;'",
    23: "an entity is not closed by ';': '&' is written '&amp;'",
    26: "an entity stands here that is not declared",
    38: "'<' stands in an attribute: it is written '&lt;'",
    39: "the text of an attribute stands in quotes",
    41: "an attribute has no value",
    42: "an attribute stands here twice",
    65: "a space is missing here",
    68: "a name is missing here",
    73: "the tag is not closed by '>'",
    76: "an end tag does not match its start tag",
    77: "the file ends before its elements do",
    81: "the file is not UTF-8, which it must be",
  ]
}
