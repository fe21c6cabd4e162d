// The target of a request line: path and query, decoded strictly.

/// The target of a request.
///
/// Source: RFC 9112 §3.2 (forms of the target), RFC 3986 §2.1 (percent-encoding).
struct RequestTarget: Equatable {
  /// The host of an absolute target (`http://host/path`); nil if the target is only a path.
  let host: HostName?
  let segments: [String]
  let query: [WebRequest.Field]

  /// Parses a target.
  ///
  /// Returns nil if the text is neither a path nor an absolute `http` target, if it is not UTF-8 or has
  /// control characters (also when encoded), or if it has a segment `.` or `..`.
  init?(_ text: String) {
    var rest = Substring(text)
    guard rest.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      return nil
    }
    if rest.hasPrefix("/") {
      host = nil
    } else {
      let scheme = "http://"
      guard rest.prefix(scheme.count).lowercased() == scheme else { return nil }
      rest = rest.dropFirst(scheme.count)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      guard let host = HostName(header: rest[..<end]) else { return nil }
      self.host = host
      rest = rest[end...]
    }
    let mark = rest.firstIndex(of: "?")
    guard let segments = Self.segments(of: rest[..<(mark ?? rest.endIndex)]),
      let query = FormFields.parse(mark.map { rest[rest.index(after: $0)...] } ?? "")
    else { return nil }
    self.segments = segments
    self.query = query
  }

  private static func segments(of path: Substring) -> [String]? {
    guard path.count > 1 else { return [] }
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentEncoding.decode(part), segment != ".", segment != ".." else {
        return nil
      }
      segments.append(segment)
    }
    return segments
  }
}

/// The fields of a query or a form: `name=value&other=a+b`.
enum FormFields {
  /// Parses the fields; nil if the encoding is wrong, or there are more than 256.
  static func parse(_ text: Substring) -> [WebRequest.Field]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: "&")
    guard parts.count <= 256 else { return nil }
    var fields: [WebRequest.Field] = []
    for part in parts {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(sides[0], plusIsSpace: true),
        let value = PercentEncoding.decode(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
      else { return nil }
      fields.append(WebRequest.Field(name, value))
    }
    return fields
  }
}

/// Percent-encoding, such as `%2F`.
enum PercentEncoding {
  /// Decodes a text; nil if a percent sign is not followed by two digits, or the result is not UTF-8 or
  /// has control characters.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
