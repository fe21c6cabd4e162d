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

  /// The position in the chain or test.
  public let position: StepPosition
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
  /// The step in a sentence: "step 4[7].2", or "connecting" for an implied step.
  public let place: String
  /// The place in the file: see ``Step/source``. Nil for an implied step.
  public let source: Place?
  /// Whether values are bytes from the device; an RSSI, for example, is not.
  public internal(set) var hasOctets: Bool
  /// The maximum number of attempts of the chain, on the step that begins an attempt; nil if it is
  /// unknown.
  var attempts: Int?

  /// Creates an operation of a suite.
  ///
  /// - Parameters:
  ///   - number: The number of the operation in its test, from 1.
  package init(
    number: Int, operation: String, action: String, attribute: String?, label: String?,
    target: Target?, source: Place
  ) {
    position = StepPosition(number)
    self.operation = operation
    self.action = action
    valueAction = action
    self.attribute = attribute
    written = nil
    self.label = label
    self.target = target
    place = "\(number)  \(Self.title(label, action))"
    self.source = source
    hasOctets = attribute != nil
  }

  /// Creates a step read from a record, which has no source.
  package init(
    recorded position: StepPosition, operation: String, attribute: String?, written: String?,
    hasOctets: Bool, label: String? = nil
  ) {
    self.position = position
    self.operation = operation
    action = [operation, attribute ?? written].compactMap(\.self).joined(separator: " ")
    valueAction = action
    self.attribute = attribute
    self.written = written
    self.label = label
    target = nil
    place = position.isImplied ? "\(position)ing" : "step \(position)"
    source = nil
    self.hasOctets = hasOctets
  }

  public init(_ placed: PlacedStep) {
    let (position, step, kind) = (placed.position, placed.step, placed.step.kind)
    self.position = position
    operation = step.operation
    action = kind.title
    valueAction = kind.valueTitle
    attribute = kind.attribute
    written = kind.written
    label = step.name
    target = nil
    let named = step.name.map { " '\($0)'" } ?? ""
    place = position.isImplied ? kind.doing : "step \(position)\(named)"
    source = step.source
    hasOctets = kind.characteristic != nil
  }

  /// Whether the step has many values, each on its own line of output.
  var isStream: Bool { Step.entry(operation) is any StreamingKind.Type }

  /// Whether an attempt of the chain begins with this step.
  var beginsAttempt: Bool { operation == ConnectStep.verb && position.isFirst }

  /// Whether the result repeats what follows the verb, as for `log`.
  private var repeatsAction: Bool {
    (Step.entry(operation) as? any StepKind.Type)?.resultRepeatsTitle == true
  }

  /// Whether the step contains other steps.
  var hasInnerSteps: Bool { Step.entry(operation)?.hasInnerSteps == true }

  /// The step for a measure over its values, which has no bytes.
  var measured: ReportedStep {
    var step = self
    step.hasOctets = false
    return step
  }

  /// The label, if there is one, and the action.
  public var title: String { Self.title(label, action) }

  /// The title in front of a result, without what the result itself repeats.
  var heading: String { Self.title(label, repeatsAction ? operation : action) }

  /// The title in front of a single value.
  var valueHeading: String { Self.title(label, valueAction) }

  private static func title(_ label: String?, _ action: String) -> String {
    label.map { "\($0)  \(action)" } ?? action
  }
}

extension PlacedStep {
  /// The step as events describe it.
  public var reported: ReportedStep { ReportedStep(self) }
}
