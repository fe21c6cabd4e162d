// The nesting depth of lists and mappings, checked before anything is composed.
//
// Composing compares the keys of a mapping with all their contents. Where keys are mappings with
// such keys, the time grows with the square of the depth: a document of a thousand octets took a
// second. The events of the parser give the depth in linear time.

import CYaml

/// A bound on the depth of a document, and the number of events that the check read.
struct NestingBound {
  /// The maximum nesting depth.
  let limit: Int
  /// How many events of the parser were read.
  private(set) var events = 0

  init(_ limit: Int) { self.limit = limit }

  /// The start of the first list or mapping that is nested too deep; nil without one, and for
  /// invalid YAML, which composing reports.
  mutating func place(in text: String, file: String) -> Place? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return nil }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    let octets = Array(text.utf8)
    return octets.withUnsafeBufferPointer { input -> Place? in
      yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
      var depth = 0
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { yaml_event_delete(&event) }
        events += 1
        switch event.type {
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
          depth += 1
          guard depth <= limit else {
            let mark = event.start_mark
            return Place(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
          }
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return nil
        default: break
        }
      }
    }
  }
}
