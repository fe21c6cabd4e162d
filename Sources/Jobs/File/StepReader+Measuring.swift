// Steps that tell something of the link, and are told nothing themselves.

import Documents

extension StepReader {
  /// `rssi`, alone or with a name, expectations and a limit.
  mutating func measure(_ reader: inout MappingReader) -> Step? {
    plain("rssi", .rssi, .ofLink, &reader)
  }

  /// A step with nothing under its verb: a name, expectations and a limit at most.
  mutating func plain(
    _ verb: String,
    _ action: Step.Action,
    _ subjects: Subjects,
    _ reader: inout MappingReader
  ) -> Step? {
    if let node = reader.optional(verb), !node.isNull {
      complain(node, Complaint("\(node.shown) stands here", expected: "nothing"))
    }
    let capture = capture(&reader)
    let node = reader.optional("expect")
    let timeout = timeout(&reader)
    return Step(
      action,
      capture: capture,
      expectations: expectations(node, subjects),
      timeout: timeout
    )
  }
}
