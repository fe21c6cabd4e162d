// A chain to run, completely known before its first step.
//
// A pure value: read from a file or from one line, printed by a dry run, and run by ChainRunner. It
// holds no device and starts nothing.

public import Bluetooth
import RunEvents

/// A chain of steps on one device.
public struct Plan: Hashable, Sendable {
  /// The default timeout of a step, if neither the step nor its chain sets one.
  public static let defaultTimeout = Duration.seconds(20)

  /// The name of the chain, for output.
  public var name: String?
  /// The device of the chain; nil if the caller chooses it.
  public var device: DeviceTarget?
  /// The timeout of each step that sets none.
  public var timeout: Duration
  /// The retries after a transient failure.
  public var retry: RetryRule
  /// The answers to pairing that the device starts or a protected attribute requires; nil rejects
  /// it.
  public var pairing: PairingRule?
  /// The rules by which the chain connects and disconnects.
  public var link = LinkRule()
  /// The programs that `command` steps may run. A chain file cannot set this; only the caller can.
  public var allowedCommands = AllowedCommands.none
  /// The names used to print attributes. The steps keep the names that they were written with.
  public var names = AttributeNames.assigned
  /// The steps as written; ``Plan/placedSteps`` adds the implied ones.
  public var steps: [Step]

  /// Creates an unchecked chain; ``init(_:on:timeout:retry:limits:_:)`` checks the steps.
  ///
  /// ```swift
  /// let unchecked = Plan(name: "Read the level", steps: [try Step.read("battery-level")])
  /// ```
  public init(
    name: String? = nil, device: DeviceTarget? = nil, timeout: Duration = Plan.defaultTimeout,
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

/// The number of attempts, and the pause between them, after transient failures.
public struct RetryRule: Hashable, Sendable {
  /// The total number of attempts; 1 means no retry.
  public var attempts: Int
  /// The pause before the second attempt; it doubles for each further one.
  public var backoff: Duration

  /// Creates a rule; by default there is a single attempt.
  ///
  /// The pause doubles with each further attempt, up to 30 s.
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
  public let position: StepPosition
  public let step: Step

  public init(_ position: StepPosition, _ step: Step) {
    self.position = position
    self.step = step
  }

  /// Whether the step is not in the chain as written.
  public var isImplied: Bool { position.isImplied }

  /// The step as events describe it.
  public var reported: ReportedStep { ReportedStep(self) }
}

extension StepPosition {
  /// Assigns positions to steps, at the top level or inside `outer`.
  ///
  /// ```swift
  /// for placed in StepPosition.place(plan.steps) { print(placed.position, placed.step) }
  /// ```
  public static func place(_ steps: [Step], inside outer: StepPosition? = nil) -> [PlacedStep] {
    steps.enumerated().map { index, step in
      PlacedStep(outer?.inner(index + 1) ?? StepPosition(index + 1), step)
    }
  }
}

extension ReportedStep {
  public init(_ placed: PlacedStep) {
    let (position, step, kind) = (placed.position, placed.step, placed.step.kind)
    self.init(
      position: position, operation: step.operation, action: kind.title,
      valueAction: kind.valueTitle,
      attribute: kind.attribute, written: kind.written, label: step.name, target: nil,
      ownPlace: position.isImplied ? kind.participle : nil, source: step.source,
      hasOctets: kind.characteristic != nil, isStream: kind.isStream
    )
  }
}

extension RunFailure {
  /// Creates the failure of an error that a step threw.
  ///
  /// - Parameter step: The step; nil if there was none.
  public init(_ error: any Error, step: PlacedStep?) {
    guard let step else {
      self.init(error)
      return
    }
    self.init(error, while: step.step.participle)
    if error is ValueError, let kind = step.step.kind as? any StreamingKind,
      kind.stop.onInvalid == nil
    {
      hint += "; with 'on-invalid: report' the step goes on after it"
    }
    guard source == nil else { return }
    source = step.step.source
    sourceText = step.step.sourceText
  }
}

extension RunIdentity {
  /// Creates the identity of a run of `plan` with `seed`.
  ///
  /// ```swift
  /// print(RunIdentity(seed: 7, plan: plan))  // 16 hexadecimal digits
  /// ```
  ///
  /// - Parameters:
  ///   - seed: Distinguishes runs of one plan.
  ///   - plan: The plan of the run.
  ///   - round: The number of the round in its batch, from 1.
  public init(seed: UInt64, plan: Plan, round: Int = 1) {
    self.init(seed: seed, text: plan.description, round: round)
  }
}

extension Plan {
  /// The steps that run, in order, with their positions. An implicit connect is inserted after
  /// leading `scan` and `unpair` steps, unless the chain connects itself.
  ///
  /// The implicit disconnect is not in this list: it runs last, even after a failure.
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

  /// Whether the chain scans and has no step that needs a connection; it then needs no device.
  ///
  /// ```swift
  /// if plan.onlyScans { print("needs no device, only an adapter") }
  /// ```
  public var onlyScans: Bool {
    let kinds = allSteps.map { type(of: $0.kind) }
    return kinds.contains { $0 == ScanStep.self } && !kinds.contains { $0.needsLink }
  }

  /// The index of the step before which the chain connects implicitly; nil if it does not.
  ///
  /// Leading `scan` and `unpair` steps run before it, because a connected device may not advertise.
  /// Nil if the chain has no other steps, or if the next step is a `connect`, also as the first
  /// step inside a `repeat` or `try`.
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
  /// A characteristic without its service adds none, and neither does a step under `when`, which
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
  /// The inner steps that run each time this step runs.
  fileprivate var certainSteps: [Step] {
    kind.blocks.filter { $0.role == .certain }.flatMap(\.steps)
  }
}
