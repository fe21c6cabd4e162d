// A chain as it is to be run: known whole before anything happens.
//
// A pure value. It is read from a file or from one line, printed by a dry run, and run by
// ChainRunner; it knows no device and starts nothing.

public import Bluetooth

/// A chain of steps on one device.
public struct Plan: Hashable, Sendable {
  /// How long a step may take when neither it nor its chain says so.
  public static let usualTimeout = Duration.seconds(20)

  /// What the chain is called, for people.
  public var name: String?
  /// The device it is meant for; nil when the file leaves that to the caller.
  public var device: DeviceTarget?
  /// How long each step may take, unless it has a limit of its own.
  public var timeout: Duration
  public var retry: RetryRule
  /// How pairings are answered that the device begins, or a protected value; nil: not at all.
  public var pairing: PairingRule?
  /// What is asked of connecting and of the link.
  public var link = LinkRule()
  /// The steps as written; ``Plan/placedSteps`` adds what is implied.
  public var steps: [Step]

  public init(
    name: String? = nil,
    device: DeviceTarget? = nil,
    timeout: Duration = Plan.usualTimeout,
    retry: RetryRule = RetryRule(),
    pairing: PairingRule? = nil,
    steps: [Step]
  ) {
    self.name = name
    self.device = device
    self.timeout = timeout
    self.retry = retry
    self.pairing = pairing
    self.steps = steps
  }
}

/// How often a chain is tried when it ends in a failure that may pass.
public struct RetryRule: Hashable, Sendable {
  /// How many tries there are in all; 1 means no second one.
  public var attempts: Int
  /// The wait before the second try; it doubles for each further one.
  public var backoff: Duration

  public init(attempts: Int = 1, backoff: Duration = .milliseconds(500)) {
    self.attempts = attempts
    self.backoff = backoff
  }
}

/// A step and where it stands in its chain.
public struct PlacedStep: Hashable, Sendable {
  public let position: StepPosition
  public let step: Step

  public init(_ position: StepPosition, _ step: Step) {
    self.position = position
    self.step = step
  }

  /// Whether it is not a step of the chain as written.
  public var isImplied: Bool { position.isImplied }
}

extension Plan {
  /// The steps that run, in order, with their places: connecting comes first unless the chain says
  /// so itself. A device that is to be forgotten first is not connected for that.
  ///
  /// Disconnecting is no step of this list: it belongs to every ending, and comes last.
  public var placedSteps: [PlacedStep] {
    var placed = StepPosition.place(steps)
    if let index = impliedConnectIndex {
      placed.insert(PlacedStep(.impliedConnect, Step(.connect)), at: index)
    }
    return placed
  }

  /// Whether the chain scans and does nothing to a device, so that it needs none.
  public var onlyScans: Bool {
    func all(_ steps: [Step]) -> [Step] { steps.flatMap { [$0] + all($0.innerSteps) } }
    let kinds = all(steps).map { type(of: $0.kind) }
    return kinds.contains { $0.verb == .scan } && !kinds.contains { $0.needsLink }
  }

  /// Before which step the device is connected without being asked to; nil: nowhere.
  ///
  /// After the scans and the forgetting that stand first: a device that is connected would not be
  /// heard. Nowhere when the chain does nothing else, and when the first step that needs a link is
  /// to connect, be it in a repetition.
  var impliedConnectIndex: Int? {
    if onlyScans { return nil }
    let index = steps.prefix { [.unpair, .scan].contains(type(of: $0.kind).verb) }.count
    if index == steps.count, index > 0 { return nil }
    var first = steps.dropFirst(index).first
    while let inner = first?.certainSteps.first { first = inner }
    return first?.action == .connect ? nil : index
  }

  /// The services that are certainly needed: those that steps name before a characteristic.
  ///
  /// A characteristic without its service demands none, and neither does a step under `when`, which
  /// may not run.
  public var expectedServices: [BluetoothUUID] {
    var services: [BluetoothUUID] = []
    func add(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics {
          guard let service = selector.service, !services.contains(service) else { continue }
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
  /// The steps in this one that certainly run when it does.
  fileprivate var certainSteps: [Step] {
    kind.blocks.filter { $0.role == .certain }.flatMap(\.steps)
  }
}
