// The only file that calls expat: bytes in, events with their positions out.
//
// It knows nothing about suites. ElementParser decides which events are refused.

import CExpat
import Signals

/// What the parser found.
enum MarkupEvent {
  /// The encoding that the XML declaration names.
  case encoding(String)
  /// A document type declaration begins.
  case documentType
  /// A start tag; its attributes in the order of the document.
  case start(name: String, attributes: [(name: String, value: String)])
  case end
  /// Text that is not white space.
  case text
}

/// Where an event is in the document.
struct MarkupPosition {
  /// The line, from 1.
  let line: Int
  /// The column in characters, from 1.
  let column: Int
  /// The index of the first byte.
  let index: Int
}

/// Why a document is not well-formed.
struct MarkupError: Error {
  /// The code and the text of expat.
  let code: XML_Error
  let text: String
  let position: MarkupPosition
}

/// One expat parser, for one document in UTF-8.
struct MarkupParser: ~Copyable {
  /// Handles an event; false stops the parser.
  typealias Handler = (MarkupEvent, MarkupPosition) -> Bool

  /// The maximum expansion of entities, as a multiple of the size of the document.
  private static let maximumAmplification: Float = 10

  private let handle: XML_Parser

  /// - Parameter limit: The size in bytes above which the expansion of entities is limited.
  init(entityBytes limit: Int) {
    // The encoding given here overrides the one that the document declares.
    guard let handle = XML_ParserCreate("UTF-8") else { endProcess("no memory is left for expat") }
    self.handle = handle
    let hasLimits =
      XML_SetBillionLaughsAttackProtectionMaximumAmplification(handle, Self.maximumAmplification)
      != 0 && XML_SetBillionLaughsAttackProtectionActivationThreshold(handle, UInt64(limit)) != 0
    // A library that was built without them.
    if !hasLimits { endProcess("the libexpat of this system cannot limit entities: update it") }
  }

  deinit { XML_ParserFree(handle) }

  /// Parses a whole document.
  ///
  /// - Returns: Whether the handler has accepted every event.
  /// - Throws: ``MarkupError`` with the first place where the document is not well-formed.
  @discardableResult
  func parse(_ document: [UInt8], _ handler: @escaping Handler) throws(MarkupError) -> Bool {
    let receiver = Receiver(handle, handler)
    XML_SetUserData(handle, Unmanaged.passUnretained(receiver).toOpaque())
    XML_SetXmlDeclHandler(handle) { receiver, _, encoding, _ in
      guard let encoding else { return }
      Receiver.at(receiver).receive(.encoding(String(cString: encoding)))
    }
    XML_SetElementHandler(
      handle,
      { receiver, name, attributes in
        guard let name else { return }
        let list = Receiver.attributes(attributes)
        Receiver.at(receiver).receive(.start(name: String(cString: name), attributes: list))
      },
      { receiver, _ in Receiver.at(receiver).receive(.end) }
    )
    XML_SetCharacterDataHandler(handle) { receiver, bytes, count in
      Receiver.at(receiver).text(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    // Receives every token without a handler of its own: comments and processing instructions,
    // which are ignored, and the start of a document type.
    XML_SetDefaultHandler(handle) { receiver, bytes, count in
      let token = UnsafeBufferPointer(start: bytes, count: Int(count))
      let start = token.prefix(9).map { UInt8(bitPattern: $0) }
      if start == Array("<!DOCTYPE".utf8) { Receiver.at(receiver).receive(.documentType) }
    }
    let status = withExtendedLifetime(receiver) {
      document.withUnsafeBytes { bytes in
        // All at once: expat would parse a long token again for each piece of it.
        XML_Parse(handle, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), 1)
      }
    }
    guard status != XML_STATUS_OK else { return true }
    guard !receiver.hasRefused else { return false }
    let code = XML_GetErrorCode(handle)
    let text = XML_ErrorString(code).map { String(cString: $0) } ?? "unknown error"
    throw MarkupError(code: code, text: text, position: receiver.position)
  }
}

/// The state that the callbacks of expat share, for one call of `XML_Parse`.
private final class Receiver {
  private let handle: XML_Parser
  private let handler: MarkupParser.Handler
  private(set) var hasRefused = false

  init(_ handle: XML_Parser, _ handler: @escaping MarkupParser.Handler) {
    self.handle = handle
    self.handler = handler
  }

  static func at(_ pointer: UnsafeMutableRawPointer?) -> Receiver {
    guard let pointer else { preconditionFailure("expat lost the data of its callbacks") }
    return Unmanaged<Receiver>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Alternating names and values, up to a null pointer.
  static func attributes(
    _ texts: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) -> [(name: String, value: String)] {
    guard var texts else { return [] }
    var attributes: [(name: String, value: String)] = []
    while let name = texts[0], let value = texts[1] {
      attributes.append((String(cString: name), String(cString: value)))
      texts += 2
    }
    return attributes
  }

  var position: MarkupPosition {
    MarkupPosition(
      line: Int(XML_GetCurrentLineNumber(handle)),
      column: Int(XML_GetCurrentColumnNumber(handle)) + 1,
      index: Int(XML_GetCurrentByteIndex(handle))
    )
  }

  func receive(_ event: MarkupEvent) { receive(event, at: position) }

  /// Text between two line ends, or a line end.
  func text(_ bytes: UnsafeBufferPointer<CChar>) {
    let blanks: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]
    let isBlank = { (byte: CChar) in blanks.contains(UInt8(bitPattern: byte)) }
    guard let first = bytes.firstIndex(where: { !isBlank($0) }) else { return }
    let start = position
    let place = MarkupPosition(
      line: start.line,
      column: start.column + first,
      index: start.index + first
    )
    receive(.text, at: place)
  }

  private func receive(_ event: MarkupEvent, at position: MarkupPosition) {
    // expat may report one or two more events after it was stopped.
    guard !hasRefused, !handler(event, position) else { return }
    hasRefused = true
    XML_StopParser(handle, 0)
  }
}
