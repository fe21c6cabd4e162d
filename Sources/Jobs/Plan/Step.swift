// One step of a chain: its action, its capture, its expectations.

public import Bluetooth
public import Documents

/// One step of a chain.
///
/// Steps are equal when they do the same, wherever they were written.
public struct Step: Hashable, Sendable {
  /// What a step does.
  public indirect enum Action: Hashable, Sendable {
    /// Connects, and waits until the services are resolved.
    case connect
    /// Disconnects; does nothing without a connection.
    case disconnect
    /// Reads a value; the format is for values without a specification.
    case read(CharacteristicSelector, offset: Int = 0, format: ValueFormat?)
    /// Writes a value.
    case write(Write)
    /// Subscribes, and receives values until a stop condition is met.
    case notify(Listening)
    /// Subscribes, writes, and waits for the notification that answers.
    case exchange(Exchanging)
    /// Reads at a fixed interval.
    case poll(Polling)
    /// Combines the latest values of several characteristics.
    case combine(Combining)
    /// Measures the RSSI of the connection.
    case rssi
    /// Pairs with the answers of the rule.
    case pair(PairingRule)
    /// Forgets the device and its bond.
    case unpair
    /// Marks the device as trusted by this host, or not.
    case trust(Bool)
    /// Reads the ATT MTU.
    case mtu
    /// Reads interval, latency and supervision timeout of the connection.
    case connectionParameters
    /// Lists what the device offers.
    case services
    /// Reads a descriptor; the format is for values without a specification.
    case readDescriptor(DescriptorSelector, format: ValueFormat?)
    /// Writes a descriptor.
    case writeDescriptor(DescriptorSelector, WrittenValue)
    /// Scans for nearby devices; needs no connection.
    case scan(Scanning)
    /// Waits.
    case sleep(Duration)
    /// Logs a text, which may use captured values.
    case log(MessageTemplate)
    /// Runs a program of the user's, where that is allowed.
    case command(Command)
    /// Runs the steps this many times.
    ///
    /// The index is the name under which the steps use the number of the repetition, from 1.
    case repeated(count: Int, index: String? = nil, [Step])
    /// Runs the steps when the condition holds, and the others when it does not.
    case when(Condition, [Step], otherwise: [Step] = [])
    /// Fails unless the condition holds.
    case assert(Condition)
    /// Runs the steps, then others, whatever the outcome of the first.
    case tried([Step], finally: [Step])
  }

  /// What the run does after the step has failed.
  public enum AfterFailure: String, Hashable, Sendable, CaseIterable {
    /// It ends.
    case stop
    /// It goes on, and fails at its end.
    case `continue`
  }

  /// What the step does.
  public var action: Action
  /// What people call the step; nil without a name.
  public var name: String?
  /// The name under which later steps use the value.
  public var capture: String?
  /// What it must end with: a value, or a failure.
  public var expected: Expected
  /// The timeout of the step, of each try; nil for that of the chain.
  public var timeout: Duration?
  /// How often the step is tried when it fails transiently. The connection is not made again.
  public var retry = RetryRule()
  /// What the run does after the step has failed.
  public var onFailure = AfterFailure.stop
  private var origin = Origin()

  /// Where a step was written. It takes no part in comparing steps.
  private struct Origin: Hashable, Sendable {
    var place: Place?
    var text: String?

    static func == (a: Origin, b: Origin) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// A step; ``Step`` has a function for each kind, with the words of chain files.
  ///
  /// ```swift
  /// let step = Step(.read("battery-level", format: nil), capture: "battery", timeout: .seconds(5))
  /// ```
  public init(
    _ action: Action,
    capture: String? = nil,
    expectations: [Expectation] = [],
    timeout: Duration? = nil
  ) {
    self.action = action
    self.capture = capture
    expected = .values(expectations)
    self.timeout = timeout
  }
}

extension Step {
  /// Where it was written, for failures: file, line and column of a chain file or of the one-line
  /// form, `#fileID` and `#line` of Swift code; nil for a step outside braces.
  public var source: Place? {
    get { origin.place }
    set { origin.place = newValue }
  }

  /// The file that it was written in; nil for the one-line form.
  package var sourceFile: String? { origin.text == nil ? origin.place?.file : nil }

  /// The complete text of the one-line form in which it was written; nil elsewhere.
  package var sourceText: String? {
    get { origin.text }
    set { origin.text = newValue }
  }
}

/// A subscription: its characteristic, its trigger and its stop conditions.
public struct Listening: Hashable, Sendable {
  /// The characteristic that notifies or indicates.
  public var target: CharacteristicSelector
  /// The format of values without a specification.
  public var format: ValueFormat?
  /// Written once the subscription is active, so that no value is missed.
  public var trigger: Write?
  /// When the step stops. With a duration, a step without values succeeds.
  public var stop: StopConditions
  /// How the values are delivered and buffered, and what happens when the connection is lost.
  public var options: SubscriptionOptions

  /// A subscription; see the properties.
  ///
  /// ```swift
  /// let listening = Listening(to: "heart-rate-measurement", count: 10)
  /// let step = Step(.notify(listening), expectations: [Expectation(.rate, .atLeast(0.9))])
  /// ```
  public init(
    to target: CharacteristicSelector,
    format: ValueFormat? = nil,
    trigger: Write? = nil,
    count: Int? = nil,
    duration: Duration? = nil,
    silence: Duration? = nil,
    until conditions: [Expectation] = [],
    options: SubscriptionOptions = SubscriptionOptions()
  ) {
    self.target = target
    self.format = format
    self.trigger = trigger
    stop = StopConditions(
      count: count,
      duration: duration,
      silence: silence,
      conditions: conditions
    )
    self.options = options
  }
}

extension Step {
  /// What the value must be; empty where the step must fail. Setting it makes the step one that must
  /// succeed.
  public var expectations: [Expectation] {
    get { expected.expectations }
    set { expected = .values(newValue) }
  }

  /// The description of the step.
  var kind: any StepKind { action.kind }

  /// The verb of the step: `read`, `notify`.
  public var operation: String { type(of: kind).verb.rawValue }

  /// The characteristic of the step.
  public var characteristic: CharacteristicSelector? { kind.characteristic }

  /// All characteristics of the step itself, including that of its trigger.
  ///
  /// ```swift
  /// let used = Set(plan.steps.flatMap(\.characteristics))
  /// ```
  public var characteristics: [CharacteristicSelector] { kind.characteristics }

  /// The name of its attribute in output.
  public var attribute: String? { kind.attribute }

  /// "reading battery-level": the operation, for failures.
  var doing: String { kind.doing }

  /// The inner steps.
  public var innerSteps: [Step] { kind.blocks.flatMap(\.steps) }

  /// The step with its inner steps changed.
  func mappingInner<Failure: Error>(
    _ change: ([Step]) throws(Failure) -> [Step]
  ) throws(Failure) -> Step {
    var kind = kind
    var blocks = kind.blocks
    guard !blocks.isEmpty else { return self }
    for index in blocks.indices { blocks[index].steps = try change(blocks[index].steps) }
    kind.blocks = blocks
    var new = self
    new.action = kind.action
    return new
  }
}

extension Step: CustomStringConvertible {
  /// The step in the one-line form, without inner steps.
  public var description: String {
    ([kind.line] + StepKey.printed.flatMap { $0.key.words(self) }).joined(separator: " ")
  }

  /// The operation and its target: `read battery-level`, `write alert-level u8:1`.
  ///
  /// ```swift
  /// print(try Step.read("battery-level").within(.seconds(5)).title)  // read battery-level
  /// ```
  public var title: String { kind.title }
}
