// Reads a page as XML, and what tests ask of its structure.

import Foundation
import FoundationXML

/// The contents of a page, which is parsed once and must be well-formed.
final class PageReader: NSObject, XMLParserDelegate {
  /// The size of a table.
  struct Table {
    var hasCaption = false
    var columns = 0
    /// The number of cells of each row of the body.
    var rows: [Int] = []
    fileprivate var isInHead = false
  }

  private(set) var count: [String: Int] = [:]
  private(set) var ids: [String] = []
  /// The identifiers that links within the page lead to.
  private(set) var links: [String] = []
  private(set) var foreignLinks: [String] = []
  private(set) var policy: String?
  private(set) var tables: [Table] = []
  /// The text outside of script and style.
  private(set) var text = ""
  private(set) var error: String?
  private var isCode = false

  init(_ page: String) {
    super.init()
    let parser = XMLParser(data: Data(page.utf8))
    parser.delegate = self
    if !parser.parse() {
      error = "line \(parser.lineNumber): \(String(describing: parser.parserError))"
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    count[name, default: 0] += 1
    if let id = attributes["id"] { ids.append(id) }
    if let link = attributes["href"] {
      if link.hasPrefix("#") {
        links.append(String(link.dropFirst()))
      } else {
        foreignLinks.append(link)
      }
    }
    if attributes["http-equiv"] == "Content-Security-Policy" { policy = attributes["content"] }
    isCode = name == "script" || name == "style"
    read(name)
  }

  private func read(_ name: String) {
    if name == "table" { tables.append(Table()) }
    guard let last = tables.indices.last else { return }
    switch name {
    case "caption": tables[last].hasCaption = true
    case "thead": tables[last].isInHead = true
    case "tbody": tables[last].isInHead = false
    case "tr" where !tables[last].isInHead: tables[last].rows.append(0)
    case "th" where tables[last].isInHead: tables[last].columns += 1
    case "th", "td": tables[last].rows[tables[last].rows.count - 1] += 1
    default: break
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    isCode = false
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if !isCode { self.text += text }
  }
}
