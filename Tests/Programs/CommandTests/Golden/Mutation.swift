// Inputs with one thing wrong, made from valid ones by rules that know only the text.
//
// It knows neither keys nor steps, so that it needs no change when these change.

import Fixtures
import Foundation

/// One wrong variant of a text.
struct Mutation {
  /// The place and the change: `12: interval: -1`.
  let label: String
  let text: String

  /// Each key of a YAML file misspelt, and each value replaced by one of another shape.
  ///
  /// A key with the same value on several lines is changed once.
  static func ofYAML(_ text: String) -> [Mutation] {
    var mutations: [Mutation] = []
    var seen: Set<String> = []
    let octets = Array(text.utf8)
    var (line, counted) = (1, 0)
    for match in text.matches(of: /(?:^|[\s{,])([a-z][a-z0-9-]*):(?=[ \n])/) {
      let start = text.utf8.distance(from: text.startIndex, to: match.1.startIndex)
      let colon = start + match.1.utf8.count
      line += octets[counted..<start].count { $0 == UInt8(ascii: "\n") }
      counted = start
      let begin = octets[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      guard !octets[begin..<start].contains(UInt8(ascii: "#")) else { continue }
      let value = valueRange(octets, after: colon + 1)
      let key = String(match.1)
      let old = String(decoding: octets[value], as: UTF8.self)
      guard seen.insert("\(key): \(old)").inserted else { continue }
      func add(_ range: Range<Int>, _ new: String, _ label: String) {
        let changed = octets[..<range.lowerBound] + Array(new.utf8) + octets[range.upperBound...]
        let text = String(decoding: changed, as: UTF8.self)
        let shown = label.replacing(projectFolder, with: "$PACKAGE")
        mutations.append(Mutation(label: "\(line): \(shown)", text: text))
      }
      add(start..<colon, key + "x", "\(key)x: \(old)")
      guard !value.isEmpty else { continue }
      let isNumber = octets[value.lowerBound] <= UInt8(ascii: "9")
      for new in ["zzz", isNumber ? "-1" : "[zzz]"] { add(value, new, "\(key): \(new)") }
    }
    return mutations
  }

  /// The text after a colon, up to the end of the line or of the flow collection around it.
  private static func valueRange(_ octets: [UInt8], after colon: Int) -> Range<Int> {
    let start = octets[colon...].firstIndex { $0 != UInt8(ascii: " ") } ?? octets.count
    var (depth, end, quote) = (0, start, UInt8?.none)
    scan: while end < octets.count {
      let octet = octets[end]
      if let open = quote {
        if octet == open { quote = nil }
      } else {
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = octet
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { break scan }
          depth -= 1
        case UInt8(ascii: ",") where depth == 0, UInt8(ascii: "\n"): break scan
        case UInt8(ascii: "#") where end > start && octets[end - 1] == UInt8(ascii: " "): break scan
        default: break
        }
      }
      end += 1
    }
    while end > start, octets[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return start..<end
  }

  /// Each name of an element and of an attribute misspelt, and each value of an attribute replaced.
  static func ofXML(_ text: String) -> [Mutation] {
    var mutations: [Mutation] = []
    var seen: Set<String> = []
    func add(_ range: Range<String.Index>, _ new: String) {
      guard seen.insert("\(text[range]) \(new)").inserted else { return }
      let line = text[..<range.lowerBound].count { $0 == "\n" } + 1
      let label = "\(line): \(text[range]) is \(new)"
      mutations.append(Mutation(label: label, text: text.replacingCharacters(in: range, with: new)))
    }
    for match in text.matches(of: /<([a-z][a-z-]*)/) {
      add(match.1.startIndex..<match.1.endIndex, match.1 + "x")
    }
    for match in text.matches(of: /([A-Za-z-]+)="([^"]*)"/) {
      add(match.1.startIndex..<match.1.endIndex, match.1 + "x")
      for new in ["zzz", "-1", ""] { add(match.range, "\(match.1)=\"\(new)\"") }
    }
    return mutations
  }

  /// Each word of a line left out, and replaced by one without meaning.
  static func ofLine(_ line: String) -> [Mutation] {
    let words = line.split(separator: " ")
    let replacements: [[Substring]] = [[], ["zzz"]]
    var texts: [String] = []
    for index in words.indices {
      for new in replacements {
        var changed = words
        changed.replaceSubrange(index...index, with: new)
        texts.append(changed.joined(separator: " "))
      }
    }
    return texts.map { Mutation(label: $0, text: $0) }
  }
}
