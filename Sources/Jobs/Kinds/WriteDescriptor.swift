// `write-descriptor`: writes a descriptor.

import Bluetooth

struct WriteDescriptorStep: StepKind {
  var target = DescriptorSelector.unread
  var value = WrittenValue.nothing

  static let verb = StepVerb.writeDescriptor
  static let documentation = "writes a descriptor"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let titleKeys = 2
  static let keys: [Key<Self>] = [
    Key("write-descriptor", \.target, .descriptor, .target, documentation: "the descriptor"),
    .value(\.value),
  ]

  var action: Step.Action { .writeDescriptor(target, value) }
  var attribute: String? { target.description }
  var doing: String { "writing \(target)" }
}
