// The agent of a desktop, on a connection of its own, for programs that pair and have no agent themselves.
//
// The agents of clients, which the simulated bluetoothd asks, are in AgentServer.

import BlueZInterfaces
public import DBus
import Signals

/// Answers bluetoothd as the user of a desktop does, from ``start()`` until the connection is closed.
public final class DesktopAgent: Sendable {
  /// The user's answers.
  public enum Answer: Hashable, Sendable {
    /// Types this passkey when asked for one, and confirms numbers and pairings.
    case passkey(UInt32)
    /// Confirms numbers and pairings, and has no passkey.
    case yes
    /// Refuses everything.
    case no

    /// Parses `yes`, `no`, or a passkey of six digits; nil for another text.
    public init?(_ text: String) {
      switch text {
      case "yes": self = .yes
      case "no": self = .no
      default:
        guard text.utf8.count == 6, text.allSatisfy({ $0.isASCII && $0.isNumber }),
          let passkey = UInt32(text)
        else { return nil }
        self = .passkey(passkey)
      }
    }

    fileprivate var capability: String {
      switch self {
      case .passkey: AgentManager1.Capability.keyboardDisplay
      case .yes, .no: AgentManager1.Capability.displayYesNo
      }
    }
  }

  private static let path: ObjectPath = "/blerun/desktop/agent"

  private let answer: Answer
  private let bus: MessageBus
  private let held: Confined<(export: Export, restarts: Subscription)?>

  /// Creates an agent without registering it.
  ///
  /// - Parameter bus: A separate connection, as that of a desktop.
  public init(_ answer: Answer, on bus: MessageBus) {
    self.answer = answer
    self.bus = bus
    held = Confined(nil, to: bus.loop)
  }

  /// Registers the agent as the default one, and again with each bluetoothd that starts later.
  ///
  /// - Throws: Errors of the bus, and the refusal of bluetoothd.
  public func start() async throws {
    let server = ObjectServer(bus: bus, objectManagerAt: nil)
    server.add([interface], at: Self.path)
    let export = try bus.export(server)
    let rule = MatchRule(
      sender: BusDriver.name, member: "NameOwnerChanged", arg0: OrgBlueZ.busName
    )
    let restarts = try await bus.subscribe(rule) { [weak self] message in
      guard let self, message.body.last?.asString?.isEmpty == false else { return }
      _ = bus.loop.task { [weak self] in try? await self?.register() }
    }
    held.contents = (export, restarts)
    try await register()
  }

  private func register() async throws {
    let register = try MethodCall(
      AgentManager1.registerAgent, (Self.path, answer.capability), on: BlueZPath.manager,
      of: OrgBlueZ.busName
    )
    let makeDefault = try MethodCall(
      AgentManager1.requestDefaultAgent, Self.path, on: BlueZPath.manager, of: OrgBlueZ.busName
    )
    for call in [register, makeDefault] { _ = try await bus.call(call, limit: .seconds(10)) }
  }

  private var interface: ExportedInterface {
    let answer = answer
    return Agent1.declaration.exported(methods: [
      ExportedMethod(Agent1.release) { $0.reply() },
      ExportedMethod(Agent1.requestPinCode) { $1.refuse(Self.rejected) },
      ExportedMethod(Agent1.displayPinCode) { $1.reply() },
      ExportedMethod(Agent1.requestPasskey) { _, call in
        switch answer {
        case .passkey(let passkey): call.reply(to: Agent1.requestPasskey, passkey)
        case .yes, .no: call.refuse(Self.rejected)
        }
      },
      ExportedMethod(Agent1.displayPasskey) { $1.reply() },
      ExportedMethod(Agent1.requestConfirmation) { Self.confirm(answer, $1) },
      ExportedMethod(Agent1.requestAuthorization) { Self.confirm(answer, $1) },
      ExportedMethod(Agent1.authorizeService) { Self.confirm(answer, $1) },
      ExportedMethod(Agent1.cancel) { $0.reply() },
    ])
  }

  private static func confirm(_ answer: Answer, _ call: Invocation) {
    switch answer {
    case .passkey, .yes: call.reply()
    case .no: call.refuse(rejected)
    }
  }

  private static let rejected = ErrorAnswer(BlueZErrorName.rejected, "Rejected")
}
