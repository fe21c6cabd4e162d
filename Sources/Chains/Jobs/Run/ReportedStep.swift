// A step as run events describe it.
//
// It holds what reports and journals show, so that they depend on neither plans nor suites. The
// result of the step is not part of it.

import Bluetooth
public import Documents

/// A step of a chain, or an operation of an nRF Connect suite, as reports and journals show it.
public struct ReportedStep: Hashable, Sendable {
  /// A device of a suite that an operation is done to.
  public struct Target: Hashable, Sendable {
    /// The identifier of the target in the suite.
    public let id: String
    /// The device, as output names it.
    public let device: String

    package init(id: String, device: String) {
      self.id = id
      self.device = device
    }
  }

  /// The place in the chain or test.
  public let position: StepPosition
  /// The word for what it does: `read`, `assert-service`.
  public let operation: String
  /// What it does and to what: `read battery-level`.
  public let action: String
  /// The same on the lines of its values, without what makes the device send them.
  private let valueAction: String
  /// The attribute that it is about, as output names it.
  public let attribute: String?
  /// The characteristic that an `exchange` writes, as output names it.
  public let written: String?
  /// The name or description that its author gave it.
  public let label: String?
  /// The device of a suite that it is done to; nil for steps of chains, and for operations on no
  /// device.
  public let target: Target?
  /// The words for it in a sentence: "step 4[7].2", or "connecting" for an implied step.
  public let place: String
  /// Where it was written: see ``Step/source``. An implied step was not.
  public let source: Place?
  /// Whether its values are octets that a device sent. An RSSI is not.
  public internal(set) var hasOctets: Bool
  /// How many attempts of the chain there may be, where one begins with it; nil where that is not
  /// known.
  var attempts: Int?

  /// An operation of a suite.
  ///
  /// - Parameters:
  ///   - number: The ordinal of the operation in its test, from 1.
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

  /// A step that was recorded. Where it was written is not.
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

  /// A step of a chain.
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

  /// Whether it has many values, each reported on a line of its own.
  var isStream: Bool { Step.entry(operation) is any StreamingKind.Type }

  /// Whether an attempt of the chain begins with it.
  var beginsAttempt: Bool { operation == ConnectStep.verb && position.isFirst }

  /// Whether its result repeats what follows the word of the operation, as that of a `log` does.
  private var repeatsAction: Bool {
    (Step.entry(operation) as? any StepKind.Type)?.resultRepeatsTitle == true
  }

  /// Whether it consists of other steps.
  var hasInnerSteps: Bool { Step.entry(operation)?.hasInnerSteps == true }

  /// The same step with what is measured over its values, which has no octets.
  var measured: ReportedStep {
    var step = self
    step.hasOctets = false
    return step
  }

  /// The label, if there is one, and the action.
  public var title: String { Self.title(label, action) }

  /// The same before its result, which repeats the action of some operations.
  var heading: String { Self.title(label, repeatsAction ? operation : action) }

  /// The heading of one of its values.
  var valueHeading: String { Self.title(label, valueAction) }

  private static func title(_ label: String?, _ action: String) -> String {
    label.map { "\($0)  \(action)" } ?? action
  }
}

extension PlacedStep {
  /// The step as events describe it.
  public var reported: ReportedStep { ReportedStep(self) }
}
