// How deep lists and mappings lie in one another, before anything is composed.
//
// Composing compares the keys of a mapping with all that is in them. Where keys are mappings with
// such keys, that takes the square of their depth: a document of a thousand octets kept it for a
// second. The parser's events tell the depth at the cost of one look at each.

import CYaml

/// A bound on the depth of a document, and what looking at it took.
struct NestingBound {
  /// What may lie in one another.
  let limit: Int
  /// How many events of the parser were looked at.
  private(set) var events = 0

  init(_ limit: Int) { self.limit = limit }

  /// Where the first list or mapping begins that lies too deep; nil for none, and for what is no
  /// YAML before that: whoever composes it says so.
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
