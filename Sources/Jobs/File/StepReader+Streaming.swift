// Steps that take many values: when they have enough, `poll`, `combine`.

import Bluetooth
import Documents

extension StepReader {
  /// `until` and `for`; a complaint when there is neither.
  ///
  /// - Parameter node: The step's verb, which the complaint is about.
  mutating func enough(
    _ reader: inout MappingReader,
    _ subjects: Subjects,
    _ node: Node?
  ) -> Enough {
    var enough = Enough()
    let untilNode = reader.optional("until")
    let forNode = reader.optional("for")
    if let untilNode { until(untilNode, subjects, &enough) }
    if let forNode {
      enough.duration = forNode.positiveDuration
      if enough.duration == nil {
        complain(forNode, Complaint("\(forNode.shown) stands here", expected: ChainReader.limit))
      }
    }
    if let node, untilNode == nil, forNode == nil { complain(node, Listening.endless) }
    return enough
  }

  /// `until: { count: 5 }`, `until: { silence: 2s }`, `until: { celsius: { above: 30 } }`.
  private mutating func until(_ node: Node, _ subjects: Subjects, _ enough: inout Enough) {
    guard let entries = node.mapping, !entries.isEmpty else {
      let complaint = Complaint(
        "\(node.shown) stands here",
        expected: "a count such as { count: 5 }"
      )
      return complain(node, complaint)
    }
    let most = max(1, limits.notifications)
    var conditions: [Node.Entry] = []
    for entry in entries {
      switch entry.key {
      case "count":
        enough.count = entry.value.integer.flatMap { (1...most).contains($0) ? $0 : nil }
        if enough.count == nil {
          let expected = "how many values, from 1 to \(most)"
          complain(entry.value, Complaint("\(entry.value.shown) stands here", expected: expected))
        }
      case "silence":
        enough.silence = entry.value.positiveDuration
        if enough.silence == nil {
          let shown = "\(entry.value.shown) stands here"
          complain(entry.value, Complaint(shown, expected: ChainReader.limit))
        }
      default: conditions.append(entry)
      }
    }
    guard !conditions.isEmpty else { return }
    let rest = Node(.mapping(conditions), at: node.place, path: node.path)
    enough.conditions = expectations(rest, subjects)
  }

  /// What every step with many values may have: `as`, `expect`, `timeout`.
  ///
  /// - Parameter action: What it does; nil where that is wrong, so that there is no step.
  mutating func stream(
    _ action: Step.Action?,
    _ enough: Enough,
    _ subjects: Subjects,
    _ reader: inout MappingReader
  ) -> Step? {
    let capture = capture(&reader)
    let expectNode = reader.optional("expect")
    let timeoutNode = reader.optional("timeout")
    let timeout = timeout(&reader)
    if let timeoutNode, let timeout, let duration = enough.duration, timeout < duration {
      complain(timeoutNode, Listening.tooShort(timeout, for: duration))
    }
    guard let action else { return nil }
    let expectations = expectations(expectNode, subjects)
    return Step(action, capture: capture, expectations: expectations, timeout: timeout)
  }

  // MARK: poll

  mutating func poll(_ reader: inout MappingReader) -> Step? {
    let node = reader.optional("poll")
    let target = node.flatMap { selector($0) }
    let period = reader.required("every", expected: ChainReader.limit) { $0.positiveDuration }
    let format = format(&reader)
    let subjects = target.map { Subjects(of: $0, format: format, kind: .poll) } ?? .plain
    let enough = enough(&reader, subjects, node)
    let polling = target.flatMap { target in
      period.map { Polling(target, every: $0, format: format, enough) }
    }
    return stream(polling.map { .poll($0) }, enough, subjects, &reader)
  }

  // MARK: combine

  private static let inputShape =
    "from 2 to \(Combining.mostInputs) inputs such as { notify: battery-level, as: battery }"

  mutating func combine(_ reader: inout MappingReader) -> Step? {
    guard let node = reader.optional("combine") else { return nil }
    let nodes = node.sequence ?? []
    if !(2...Combining.mostInputs).contains(nodes.count) {
      complain(node, Complaint("\(node.shown) stands here", expected: Self.inputShape))
    }
    var inputs: [Combining.Input] = []
    for node in nodes.prefix(Combining.mostInputs) {
      guard let input = input(node) else { continue }
      if inputs.contains(where: { $0.name == input.name }) {
        complain(node, Complaint("two values are called '\(input.name)'", expected: "another 'as'"))
      }
      inputs.append(input)
    }
    let subjects = Subjects(of: inputs)
    let enough = enough(&reader, subjects, node)
    let isWhole = inputs.count == nodes.count && !inputs.isEmpty
    let action = isWhole ? Step.Action.combine(Combining(inputs, enough)) : nil
    return stream(action, enough, subjects, &reader)
  }

  private mutating func input(_ node: Node) -> Combining.Input? {
    guard node.mapping?.isEmpty == false else {
      complain(node, Complaint("\(node.shown) stands here", expected: Self.inputShape))
      return nil
    }
    var reader = MappingReader(node)
    let notified = reader.optional("notify")
    let polled = reader.optional("poll")
    let isPolled = polled != nil
    let period =
      isPolled
      ? reader.required("every", expected: ChainReader.limit) { $0.positiveDuration } : nil
    let format = format(&reader)
    let name = reader.required("as", expected: VariablePath.shape) { node in
      node.text.flatMap { VariablePath.isName($0) ? $0 : nil }
    }
    problems += reader.finish()
    guard (notified == nil) != (polled == nil), let targetNode = notified ?? polled else {
      complain(node, Complaint("this is no input", expected: "'notify' or 'poll'"))
      return nil
    }
    guard let target = selector(targetNode), let name, let source = source(isPolled, period) else {
      return nil
    }
    return Combining.Input(name, source, target, format: format)
  }

  private func source(_ isPolled: Bool, _ period: Duration?) -> Combining.Input.Source? {
    isPolled ? period.map { .poll(every: $0) } : .notify
  }
}
