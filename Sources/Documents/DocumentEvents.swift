// What the events of the parser show of a document, checked before anything is composed.
//
// Nesting: composing compares the keys of a mapping with all their contents. Where keys are mappings
// with such keys, the time grows with the square of the depth: a document of a thousand octets took a
// second. The events of the parser give the depth in linear time.
//
// Duplicate keys: composing stops at the first mapping that has one, and knows neither the second
// place of a key nor the other mappings.

import CYaml

/// The depth of a document and its duplicate keys, and the number of events that the check read.
struct DocumentEvents {
  /// A list or a mapping that has begun and has not ended.
  private struct Level {
    let isMapping: Bool
    /// Whether the next node is a key.
    var isAtKey = true
    /// Where each key of a mapping is first.
    var keys: [String: Place] = [:]
  }

  /// The maximum nesting depth.
  let limit: Int
  /// How many events of the parser were read.
  private(set) var events = 0
  /// An error for each key that its mapping has already, at the later place.
  private(set) var duplicates: [DocumentProblem] = []
  private var open: [Level] = []

  init(_ limit: Int) { self.limit = limit }

  /// The start of the first list or mapping that is nested too deep; nil without one, and for
  /// invalid YAML, which composing reports. Duplicate keys are those of complete documents.
  mutating func place(in pairs: SurrogatePairs, file: String) -> Place? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return nil }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    let octets = Array(pairs.text.utf8)
    return octets.withUnsafeBufferPointer { input -> Place? in
      yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else {
          duplicates = []
          return nil
        }
        defer { yaml_event_delete(&event) }
        events += 1
        let mark = event.start_mark
        let place = Place(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
        switch event.type {
        case YAML_SCALAR_EVENT: take(Self.text(of: event, pairs), at: place)
        case YAML_ALIAS_EVENT: take(nil, at: place)
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
          take(nil, at: place)
          open.append(Level(isMapping: event.type == YAML_MAPPING_START_EVENT))
          guard open.count <= limit else { return place }
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: open.removeLast()
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return nil
        default: break
        }
      }
    }
  }

  /// A node begins: in a mapping keys and values take turns.
  ///
  /// - Parameter text: That of a single value.
  private mutating func take(_ text: String?, at place: Place) {
    guard let last = open.indices.last, open[last].isMapping else { return }
    defer { open[last].isAtKey.toggle() }
    guard open[last].isAtKey, let text else { return }
    guard let first = open[last].keys[text] else {
      open[last].keys[text] = place
      return
    }
    let message = "duplicate key \(text.shownAsKey), first at \(first)"
    duplicates.append(DocumentProblem(place, path: "", message))
  }

  private static func text(of event: yaml_event_t, _ pairs: SurrogatePairs) -> String {
    let scalar = event.data.scalar
    let octets = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
    return pairs.restored(
      String(decoding: octets, as: UTF8.self),
      isDoubleQuoted: scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
    )
  }
}
