// A chain to run: completely known before anything happens.
//
// A pure value. It is read from a file or from one line, printed by a dry run, and run by
// ChainRunner; it knows no device and starts nothing.

public import Bluetooth

/// A chain of steps on one device.
public struct Plan: Hashable, Sendable {
  /// The default timeout of a step, when neither it nor its chain sets one.
  public static let usualTimeout = Duration.seconds(20)

  /// The name of the chain, for people.
  public var name: String?
  /// The device of the chain; nil when the caller chooses it.
  public var device: DeviceTarget?
  /// The default timeout per step.
  public var timeout: Duration
  /// How often the chain is tried when it ends in a transient failure.
  public var retry: RetryRule
  /// The answers to pairings that the device or a protected value starts; nil: none.
  public var pairing: PairingRule?
  /// How to connect, and what to do with the connection.
  public var link = LinkRule()
  /// Which programs its `command` steps may run. No file says so: whoever runs the chain does.
  public var allowedCommands = AllowedCommands.none
  /// The names by which attributes are printed. The steps have those by which they were written.
  public var names = AttributeNames.assigned
  /// The steps as written; ``Plan/placedSteps`` adds the implied ones.
  public var steps: [Step]

  /// A chain of these steps, unchecked; ``init(_:on:timeout:retry:limits:_:)`` checks it.
  ///
  /// ```swift
  /// let unchecked = Plan(name: "Read the level", steps: [try Step.read("battery-level")])
  /// ```
  public init(
    name: String? = nil, device: DeviceTarget? = nil, timeout: Duration = Plan.usualTimeout,
    retry: RetryRule = RetryRule(), pairing: PairingRule? = nil, steps: [Step]
  ) {
    self.name = name
    self.device = device
    self.timeout = timeout
    self.retry = retry
    self.pairing = pairing
    self.steps = steps
  }
}

/// How often a chain is tried when it ends in a transient failure.
public struct RetryRule: Hashable, Sendable {
  /// The total number of tries; 1 means no second one.
  public var attempts: Int
  /// The wait before the second try; it doubles for each further one.
  public var backoff: Duration

  /// A number of tries; without arguments a single one.
  ///
  /// The wait doubles with each further try, up to 30 s.
  ///
  /// ```swift
  /// var plan = try Plan(file: "soil.yaml")
  /// plan.retry = RetryRule(attempts: 3, backoff: .seconds(2))
  /// ```
  public init(attempts: Int = 1, backoff: Duration = .milliseconds(500)) {
    self.attempts = attempts
    self.backoff = backoff
  }
}

/// A step and its position in its chain.
public struct PlacedStep: Hashable, Sendable {
  /// The position of the step in its chain.
  public let position: StepPosition
  /// The step itself.
  public let step: Step

  /// A step at a position.
  public init(_ position: StepPosition, _ step: Step) {
    self.position = position
    self.step = step
  }

  /// Whether it is not a step of the chain as written.
  public var isImplied: Bool { position.isImplied }
}

extension Plan {
  /// The steps that run, in order, with their positions. Connecting comes first, unless the chain
  /// does so itself. A device that is forgotten first is not connected for that.
  ///
  /// Disconnecting is not in this list: it belongs to every ending, and comes last.
  ///
  /// ```swift
  /// for placed in plan.placedSteps { print(placed.position, placed.step.title) }
  /// ```
  public var placedSteps: [PlacedStep] {
    var placed = StepPosition.place(steps)
    if let index = impliedConnectIndex {
      placed.insert(PlacedStep(.impliedConnect, Step(.connect)), at: index)
    }
    return placed
  }

  /// Whether the chain only scans, so that it needs no device.
  ///
  /// ```swift
  /// if plan.onlyScans { print("needs no device, only an adapter") }
  /// ```
  public var onlyScans: Bool {
    let kinds = allSteps.map { type(of: $0.kind) }
    return kinds.contains { $0 == Scanning.self } && !kinds.contains { $0.needsLink }
  }

  /// The index of the step before which the chain connects implicitly; nil without such a step.
  ///
  /// After the scans and `unpair` steps at the beginning: a connected device may not advertise. Nil
  /// when the chain does nothing else, and when the first step that needs a connection is a
  /// `connect`, also inside a repetition.
  var impliedConnectIndex: Int? {
    if onlyScans { return nil }
    let index = steps.prefix { type(of: $0.kind).precedesLink }.count
    if index == steps.count, index > 0 { return nil }
    var first = steps.dropFirst(index).first
    while let inner = first?.certainSteps.first { first = inner }
    return first?.action == .connect ? nil : index
  }

  /// The services that the chain certainly needs: those that steps name before a characteristic.
  ///
  /// A characteristic without its service needs none, and neither does a step under `when`, which
  /// may not run.
  ///
  /// ```swift
  /// for service in plan.expectedServices { print(service) }
  /// ```
  public var expectedServices: [ServiceSelector] {
    var services: [ServiceSelector] = []
    func add(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics {
          let service = selector.service.map { ServiceSelector($0, names: selector.names) }
          guard let service, !services.contains(service) else { continue }
          services.append(service)
        }
        add(step.certainSteps)
      }
    }
    add(steps)
    return services
  }
}

extension Step {
  /// The inner steps that run whenever this one does.
  fileprivate var certainSteps: [Step] {
    kind.blocks.filter { $0.role == .certain }.flatMap(\.steps)
  }
}
