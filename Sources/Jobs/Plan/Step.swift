// One step of a chain: what is done, what is kept of it, what must hold.

public import Bluetooth

/// One step of a chain.
public struct Step: Hashable, Sendable {
  /// What a step does.
  public indirect enum Action: Hashable, Sendable {
    case connect
    case disconnect
    /// Reads a value; the format says how to understand it where no standard does.
    case read(CharacteristicSelector, format: ValueFormat?)
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
    case attribute(AttributeAction)
    /// Listens who is in the air; needs no link.
    case scan(Scanning)
    case sleep(Duration)
    /// Says something, with captured values in it.
    case log(MessageTemplate)
    case repeated(count: Int, [Step])
    /// Runs the steps when the condition holds.
    case when(Condition, [Step])
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
  /// The word for what it does: `read`, `notify`.
  public var operation: String {
    switch action {
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .read: "read"
    case .write: "write"
    case .notify: "notify"
    case .exchange: "exchange"
    case .poll: "poll"
    case .combine: "combine"
    case .rssi: "rssi"
    case .pair: "pair"
    case .unpair: "unpair"
    case .trust: "trust"
    case .attribute(let action): action.operation
    case .scan: "scan"
    case .sleep: "sleep"
    case .log: "log"
    case .repeated: "repeat"
    case .when: "when"
    case .tried: "try"
    }
  }

  /// The characteristic that the step is about.
  public var characteristic: CharacteristicSelector? {
    switch action {
    case .read(let target, _): target
    case .write(let write): write.target
    case .notify(let listening): listening.target
    case .exchange(let exchanging): exchanging.answer
    case .poll(let polling): polling.target
    case .attribute(let action): action.characteristic
    default: nil
    }
  }

  /// Every characteristic that the step itself touches, its trigger's too.
  public var characteristics: [CharacteristicSelector] {
    switch action {
    case .notify(let listening): [listening.target] + (listening.trigger.map { [$0.target] } ?? [])
    case .exchange(let exchanging): [exchanging.write.target, exchanging.answer]
    case .combine(let combining): combining.inputs.map(\.target)
    default: characteristic.map { [$0] } ?? []
    }
  }
}
