// A client without any knowledge of BlueZ: it calls, and writes down every message it gets.

import BlueZInterfaces
import Signals

@testable import DBus

/// One connection; its log has a line for each message, in order of arrival.
final class RawClient: Sendable {
  typealias Answer = Result<[DBusValue], DBusError>

  let connection: MessageBus
  private let log = Guarded<[String]>([])
  private let signals = Guarded<[Message]>([])

  /// - Parameter receiving: Whose signals it receives.
  init(on bus: LoopbackBus, receiving name: String) throws {
    connection = try bus.connect()
    try connection.loop.run {
      _ = try await self.connection.subscribe(MatchRule(sender: name)) { [weak self] signal in
        self?.log.withLock { $0.append(Line.text(of: signal)) }
        self?.signals.withLock { $0.append(signal) }
      }
    }
  }

  var loop: Loop { connection.loop }

  // MARK: The log

  /// The lines since the last `forget`.
  var lines: [String] { log.withLock { $0 } }

  /// The signals since the last `forget`.
  var messages: [Message] { signals.withLock { $0 } }

  func forget() {
    log.withLock { $0 = [] }
    signals.withLock { $0 = [] }
  }

  /// The lines, which are then forgotten.
  func take() -> [String] {
    defer { forget() }
    return lines
  }

  // MARK: Calls

  /// Sends a call. Its answer is in the log when it has come.
  func begin(
    _ member: String, _ target: Target, _ body: [DBusValue] = [],
    _ done: @escaping @Sendable (Answer) -> Void = { _ in }
  ) throws {
    let call = try MethodCall(
      destination: OrgBlueZ.busName, path: target.path, interface: target.interface, member: member,
      body: body
    )
    let log = log
    try connection.start(
      call,
      .handler { result in
        let answer = Line.answer(result)
        log.withLock { $0.append(Line.text(of: answer, to: member)) }
        done(answer)
      },
      lateReply: nil
    )
  }

  /// Calls and waits for the answer, 100 s at most.
  @discardableResult
  func call(_ member: String, _ target: Target, _ body: [DBusValue] = []) throws -> Answer {
    let loop = loop
    return try loop.run {
      try await wait(on: loop, operation: member, limit: .seconds(100)) { done in
        try self.begin(member, target, body) { done.succeed($0) }
      }
    }
  }

  /// Calls, and the answer as a line.
  func ask(_ member: String, _ target: Target, _ body: [DBusValue] = []) throws -> String {
    Line.text(of: try call(member, target, body), to: member)
  }

  /// A property, by Properties.Get.
  func property(_ name: String, _ target: Target) throws -> DBusValue? {
    let body: [DBusValue] = [.string(target.interface), .string(name)]
    return try call("Get", target.properties, body).get().first?.unwrapped
  }

  /// Sets a property, by Properties.Set, and returns the answer as a line.
  @discardableResult
  func set(_ name: String, _ value: DBusValue, _ target: Target) throws -> String {
    try ask("Set", target.properties, .set(name, value, of: target))
  }

  /// All objects: path, interfaces with their properties.
  func objects() throws -> [ManagedObject] {
    let answer = try call("GetManagedObjects", Target("/", "org.freedesktop.DBus.ObjectManager"))
    return try answer.get()[0].asDictionary?.entries.map(ManagedObject.init) ?? []
  }

  /// Leaves the bus.
  func leave() { connection.close() }
}

/// An object as GetManagedObjects lists it.
struct ManagedObject {
  let path: String
  let interfaces: [(name: String, properties: PropertyMap)]

  init(_ entry: (key: DBusValue, value: DBusValue)) {
    path = Line.short(entry.key.asObjectPath?.text ?? "")
    interfaces = (entry.value.asDictionary?.entries ?? []).map { entry in
      (Line.last(entry.key.asString ?? ""), entry.value.asPropertyMap ?? [:])
    }
  }

  /// The properties of an interface, named without its prefix.
  subscript(_ interface: String) -> PropertyMap? {
    interfaces.first { $0.name == interface }?.properties
  }
}
