// `read-descriptor`: reads a descriptor.

import Bluetooth

struct ReadDescriptorStep: StepKind {
  var target = DescriptorSelector.unread
  var format: ValueFormat?

  static let verb = StepVerb.readDescriptor
  static let documentation = "reads a descriptor: `battery-level/2901`"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = [
    Key("read-descriptor", \.target, .descriptor, .target, documentation: "the descriptor"),
    Key("format", \.format, .format, documentation: "the format of the value"),
  ]

  var action: Step.Action { .readDescriptor(target, format: format) }
  var subjects: Subjects? { .plain }
  var attribute: String? { target.description }
  var doing: String { "reading \(target)" }
}
