// A step as run events describe it.
//
// It holds only what reports and journals show, so that they depend on neither plans nor suites.
// The result is in StepResult.

import Bluetooth
public import Documents

/// A step of a chain, or an operation of an nRF Connect suite, as reports and journals show it.
public struct ReportedStep: Hashable, Sendable {
  /// The device of a suite that an operation acts on.
  public struct Target: Hashable, Sendable {
    /// The identifier of the target in the suite.
    public let id: String
    /// The name of the device in output.
    public let device: String

    package init(id: String, device: String) {
      self.id = id
      self.device = device
    }
  }

  /// Returns the complete description of a step of a device, of which a record has only a part.
  public typealias Completion = @Sendable (_ step: ReportedStep, _ device: String) -> ReportedStep

  /// The position in the chain or test.
  public private(set) var position: StepPosition
  /// The verb of the step or operation: `read`, `assert-service`.
  public let operation: String
  /// The operation and its target: `read battery-level`.
  public let action: String
  /// The operation and its target on the lines of single values, without the trigger.
  private let valueAction: String
  /// The attribute, as output names it.
  public let attribute: String?
  /// The characteristic that an `exchange` writes, as output names it.
  public let written: String?
  /// The name or description from the author of the chain.
  public let label: String?
  /// The device of a suite; nil for steps of chains and for operations without a device.
  public let target: Target?
  /// The step in a sentence, if it does not follow from the position: "connecting" for an implied
  /// step, the number and the title of an operation.
  private let ownPlace: String?
  /// The place in the file: see `Step.source`. Nil for an implied step.
  public let source: Place?
  /// Whether values are bytes from the device; an RSSI, for example, is not.
  public package(set) var hasOctets: Bool
  /// The maximum number of attempts of the chain, on the step that begins an attempt; nil if it is
  /// unknown.
  package var attempts: Int?

  /// Creates an operation of a suite.
  ///
  /// - Parameters:
  ///   - number: The number of the operation in its test, from 1.
  package init(
    number: Int, operation: String, action: String, attribute: String?, label: String?,
    target: Target?, source: Place
  ) {
    self.init(
      position: StepPosition(number), operation: operation, action: action, valueAction: action,
      attribute: attribute, written: nil, label: label, target: target,
      ownPlace: "\(number)  \(Self.title(label, action))", source: source,
      hasOctets: attribute != nil
    )
  }

  /// Creates a step read from a record, which has no source.
  ///
  /// - Parameter isStream: Whether it has many values; steps such as `notify` always have.
  package init(
    recorded position: StepPosition, operation: String, attribute: String?, written: String?,
    hasOctets: Bool, isStream: Bool = false, label: String? = nil
  ) {
    let action = [operation, attribute ?? written].compactMap(\.self).joined(separator: " ")
    self.init(
      position: position, operation: operation, action: action, valueAction: action,
      attribute: attribute, written: written, label: label, target: nil,
      ownPlace: position.isImplied ? "\(position)ing" : nil, source: nil, hasOctets: hasOctets,
      isStream: isStream
    )
  }

  package init(
    position: StepPosition, operation: String, action: String, valueAction: String,
    attribute: String?, written: String?, label: String?, target: Target?, ownPlace: String?,
    source: Place?, hasOctets: Bool, isStream: Bool = false
  ) {
    self.position = position
    self.operation = operation
    self.action = action
    self.valueAction = valueAction
    self.attribute = attribute
    self.written = written
    self.label = label
    self.target = target
    self.ownPlace = ownPlace
    self.source = source
    self.hasOctets = hasOctets
    self.isStream = isStream || Self.streams.contains(operation)
  }

  /// The operations with many values, each on its own line of output.
  package static let streams: Set = ["combine", "notify", "poll", "throughput"]
  /// The operation that measures the RSSI.
  package static let strength = "rssi"
  /// The operation that replaces the firmware, and reports its progress.
  package static let update = "firmware"
  /// The operations that contain other steps.
  package static let blocks: Set = ["repeat", "try", "when"]

  /// Whether the step has many values although its operation alone does not tell it, as for an
  /// `rssi` at an interval.
  var isUnusualStream: Bool { isStream && !Self.streams.contains(operation) }

  /// The step in a sentence: "step 4[7].2", or "connecting" for an implied step.
  public var place: String {
    ownPlace ?? "step \(position)" + (label.map { " '\($0)'" } ?? "")
  }

  /// Returns the same step in another repetition.
  package func at(_ position: StepPosition) -> ReportedStep {
    var step = self
    step.position = position
    return step
  }

  /// Whether the step has many values, each on its own line of output.
  package let isStream: Bool

  /// Whether an attempt of the chain begins with this step.
  package var beginsAttempt: Bool { operation == "connect" && position.isFirst }

  /// Whether the result repeats what follows the verb, as for `log`.
  private var repeatsAction: Bool { operation == "log" }

  /// Whether the step contains other steps.
  package var hasInnerSteps: Bool { Self.blocks.contains(operation) }

  /// The step for a measure over its values, which has no bytes.
  package var measured: ReportedStep {
    var step = self
    step.hasOctets = false
    return step
  }

  /// The label, if there is one, and the action.
  public var title: String { Self.title(label, action) }

  /// The title in front of a result, without what the result itself repeats.
  package var heading: String { Self.title(label, repeatsAction ? operation : action) }

  /// The name of the values in a list of values of several steps; nil for those of several
  /// attributes.
  package var valueName: String? { attribute ?? (operation == Self.strength ? operation : nil) }

  /// The title in front of a single value.
  package var valueHeading: String { Self.title(label, valueAction) }

  private static func title(_ label: String?, _ action: String) -> String {
    label.map { "\($0)  \(action)" } ?? action
  }
}
