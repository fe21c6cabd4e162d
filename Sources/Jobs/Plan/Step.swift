// One step of a chain: what is done, what is kept of it, what must hold.

public import Bluetooth

/// One step of a chain.
public struct Step: Hashable, Sendable {
  /// What a step does.
  public indirect enum Action: Hashable, Sendable {
    case connect
    case disconnect
    /// Reads a value; the format says how to understand it where no standard does.
    case read(CharacteristicSelector, offset: Int = 0, format: ValueFormat?)
    case write(Write)
    case notify(Listening)
    /// Subscribes, writes, and takes the notification that answers.
    case exchange(Exchanging)
    /// Reads again and again.
    case poll(Polling)
    /// Looks at the latest of several values together.
    case combine(Combining)
    /// Measures the link.
    case rssi
    /// Pairs, answering what that asks.
    case pair(PairingRule)
    /// Forgets the device and its bond.
    case unpair
    case trust(Bool)
    /// Tells the ATT MTU.
    case mtu
    /// Tells interval, latency and supervision timeout of the link.
    case connectionParameters
    /// Lists what the device offers.
    case services
    case readDescriptor(DescriptorSelector, format: ValueFormat?)
    case writeDescriptor(DescriptorSelector, WrittenValue)
    /// Listens who is in the air; needs no link.
    case scan(Scanning)
    case sleep(Duration)
    /// Says something, with captured values in it.
    case log(MessageTemplate)
    case repeated(count: Int, [Step])
    /// Runs the steps when the condition holds.
    case when(Condition, [Step])
    /// Fails unless the condition holds.
    case assert(Condition)
    /// Runs the steps, then others, however the first ended.
    case tried([Step], finally: [Step])
  }

  public var action: Action
  /// The variable that keeps the value, for later `when` and `log` steps.
  public var capture: String?
  /// What must hold of the value.
  public var expectations: [Expectation]
  /// How long the step may take; the chain's limit when nil.
  public var timeout: Duration?

  public init(
    _ action: Action,
    capture: String? = nil,
    expectations: [Expectation] = [],
    timeout: Duration? = nil
  ) {
    self.action = action
    self.capture = capture
    self.expectations = expectations
    self.timeout = timeout
  }
}

/// A subscription: to what, what sets it off, and when there is enough.
public struct Listening: Hashable, Sendable {
  public var target: CharacteristicSelector
  public var format: ValueFormat?
  /// Written once the subscription stands, so that no answer is missed.
  public var trigger: Write?
  /// When there are enough values. Silence is no failure when a duration is over.
  public var enough: Enough
  /// How the values are delivered and buffered, and what a loss of the link does.
  public var options: SubscriptionOptions

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
    enough = Enough(
      count: count,
      duration: duration,
      silence: silence,
      conditions: conditions
    )
    self.options = options
  }
}

extension Step {
  /// What is known of the step by its kind.
  var kind: any StepKind { action.kind }

  /// The word for what it does: `read`, `notify`.
  public var operation: String { type(of: kind).verb.rawValue }

  /// The characteristic that the step is about.
  public var characteristic: CharacteristicSelector? { kind.characteristic }

  /// Every characteristic that the step itself touches, its trigger's too.
  public var characteristics: [CharacteristicSelector] { kind.characteristics }

  /// What the step is about, as output names it.
  public var attribute: String? { kind.attribute }

  /// "reading battery-level", as failures name what was being done.
  var doing: String { kind.doing }

  /// The steps that lie in this one.
  public var innerSteps: [Step] { kind.blocks.flatMap(\.steps) }

  /// The step with something done to each of those that lie in it.
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
  /// The step as it would be written on one line, without inner steps.
  public var description: String {
    ([kind.line] + StepKey.allCases.flatMap { $0.key.words(self) }).joined(separator: " ")
  }

  /// What it does and to what: `read battery-level`, `write alert-level u8:1`.
  public var title: String { kind.title }
}
