// The step that measures the link.

import Documents

extension StepReader {
  /// `rssi`, alone or with a name, expectations and a limit.
  mutating func measure(_ reader: inout MappingReader) -> Step? {
    if let node = reader.optional("rssi"), !node.isNull {
      complain(node, Complaint("\(node.shown) stands here", expected: "nothing"))
    }
    let capture = capture(&reader)
    let node = reader.optional("expect")
    let timeout = timeout(&reader)
    return Step(
      .rssi,
      capture: capture,
      expectations: expectations(node, .ofLink),
      timeout: timeout
    )
  }
}
