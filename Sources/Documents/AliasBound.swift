// How long a document may become when its aliases are expanded.
//
// An estimate from the text, before anything is read: forty octets can expand to a million million
// values, and few values to much text.

/// An upper bound on the expanded size of the aliases of a text.
struct AliasBound {
  /// An anchor that was seen.
  private struct Anchor {
    /// The total when the anchor was seen.
    let start: Int
    /// The size of an earlier anchor of the same name.
    let before: Int
    /// Its expanded size; nil until an alias first uses it, by when the anchored value has ended.
    var size: Int?
  }

  private var anchors: [ArraySlice<UInt8>: Anchor] = [:]
  /// Octets so far, including expanded aliases.
  private var total = 0

  /// Whether `text` certainly expands to at most `limit` octets. Text in quotes that looks like an
  /// alias counts as one.
  static func holds(_ limit: Int, in text: String) -> Bool {
    let octets = Array(text.utf8)
    var bound = AliasBound()
    var end = 0
    for (index, octet) in octets.enumerated()
    where octet == UInt8(ascii: "&") || octet == UInt8(ascii: "*") {
      let name = octets[(index + 1)...].prefix(while: isOfName)
      guard !name.isEmpty else { continue }
      bound.total += index - end
      end = index
      if octet == UInt8(ascii: "&") {
        bound.anchor(name)
      } else {
        bound.alias(name)
      }
      guard bound.total <= limit else { return false }
    }
    return true
  }

  private mutating func anchor(_ name: ArraySlice<UInt8>) {
    let before = anchors[name].map { $0.size ?? total - $0.start } ?? 0
    anchors[name] = Anchor(start: total, before: before)
  }

  private mutating func alias(_ name: ArraySlice<UInt8>) {
    guard let anchor = anchors[name] else { return }
    let size = anchor.size ?? max(anchor.before, total - anchor.start)
    // Inside an anchor that reuses a name, an alias may refer to the earlier anchor.
    if anchor.before == 0 { anchors[name]?.size = size }
    total += size
  }

  private static func isOfName(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
