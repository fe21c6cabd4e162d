// The log of the clients' calls and the events at the devices.
//
// It outlives the simulated bluetoothd: after a restart the log continues.

import BlueZInterfaces
public import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A bounded log. New entries displace the oldest ones, which leaves a gap before the first number.
public final class SimulatorLog: Sendable {
  /// Receives each new entry.
  public typealias Listener = @Sendable (SimulatorLogEntry) -> Void

  private struct State {
    var entries: [SimulatorLogEntry] = []
    var count: UInt64 = 0
    var clients: [String] = []
    var listener: Listener?
  }

  private let state = Guarded(State())
  private let limit: Int

  /// Creates an empty log.
  ///
  /// - Parameter limit: The maximum number of entries; at least one.
  public init(limit: Int = 100_000) { self.limit = max(1, limit) }

  /// The entries in the log, oldest first.
  public var entries: [SimulatorLogEntry] { state.withLock { $0.entries } }

  /// The number of entries that newer ones have displaced; zero as long as the log is complete.
  public var displacedCount: Int {
    state.withLock { Int(clamping: $0.count) - $0.entries.count }
  }

  /// The entries with numbers above `number`, oldest first.
  ///
  /// ```swift
  /// let before = steering.log.entries.last?.number ?? 0
  /// _ = try await thermometer.session { thermometer.read(.batteryLevel) }
  ///   .first(within: .seconds(30))
  /// for entry in steering.log.entries(since: before) { print(entry) }
  /// ```
  public func entries(since number: UInt64) -> [SimulatorLogEntry] {
    state.withLock { state in
      let first = state.count - UInt64(state.entries.count)
      guard number > first else { return state.entries }
      return Array(state.entries.dropFirst(Int(clamping: number - first)))
    }
  }

  /// Calls `listener` with each later entry, on the loop. A new listener replaces it.
  public func onEntry(_ listener: @escaping Listener) { state.withLock { $0.listener = listener } }

  func add(
    at time: Duration, client: String = "", _ event: String, device: BluetoothAddress? = nil,
    attribute: BluetoothUUID? = nil, octets: [UInt8] = []
  ) {
    let (entry, listener) = state.withLock { state in
      state.count += 1
      let entry = SimulatorLogEntry(
        number: state.count, time: time, client: client, event: event, device: device,
        attribute: attribute, octets: octets
      )
      // Entries are dropped in large steps, because each step copies the rest.
      if state.entries.count >= limit { state.entries.removeFirst(max(1, limit / 8)) }
      state.entries.append(entry)
      if !client.isEmpty, !state.clients.contains(client) { state.clients.append(client) }
      return (entry, state.listener)
    }
    listener?(entry)
  }

  /// Logs that a client left the bus, unless it had made no call.
  func clientLeft(_ client: String, at time: Duration) {
    let wasKnown = state.withLock { state in
      guard let index = state.clients.firstIndex(of: client) else { return false }
      state.clients.remove(at: index)
      return true
    }
    guard wasKnown else { return }
    add(at: time, client: client, SimulatorLogEntry.Event.left)
    state.withLock { $0.clients.removeAll { $0 == client } }
  }
}

// MARK: - Entries

/// A call of a client, or an event at a device.
///
/// A call is named by interface and member: `Device1.Connect`, `GattCharacteristic1.WriteValue`,
/// `Adapter1.Powered=false`. An event at a device has no client, and one of the names in
/// ``SimulatorLogEntry/Event``.
public struct SimulatorLogEntry: Hashable, Sendable, CustomStringConvertible {
  /// The names of events.
  public enum Event {
    /// A device connected.
    public static let linkUp = "link-up"
    /// A connection ended.
    public static let linkDown = "link-down"
    /// A device received a read.
    public static let read = "read"
    /// A device received a write.
    public static let written = "written"
    /// Follows `read`, `written` or `subscribed` when the device refused that request: the operation,
    /// this word, and the ATT error, as in `write-refused-0x80`.
    public static let refused = "-refused-0x"
    /// A device's notifications or indications were enabled.
    public static let subscribed = "subscribed"
    /// Notifications or indications of a device were disabled.
    public static let unsubscribed = "unsubscribed"
    /// A device sent a notification or an indication.
    public static let notified = "notified"
    /// Followed by the security of the connection: `paired-encrypted`.
    public static let paired = "paired"
    /// An agent was asked during a pairing. The request that needs the pairing waits for its answer.
    public static let agentAsked = "agent-asked"
    /// A device asked to pair by itself: it sent a Security Request.
    public static let securityRequested = "security-requested"
    /// A request or the device asks for a pairing, and no agent is registered or it refused. bluetoothd
    /// answers the request only when the connection ends.
    public static let agentMissing = "agent-missing"
    /// An adapter began to scan.
    public static let scanOn = "scan-on"
    /// An adapter stopped scanning.
    public static let scanOff = "scan-off"
    /// A client that has called before left the bus.
    public static let left = "left"
  }

  /// Increases from 1 without gaps.
  public let number: UInt64
  /// The time since the start of the simulation's loop.
  public let time: Duration
  /// The unique bus name of the client, such as `:1.7`; empty for an event at a device.
  public let client: String
  /// The name of the call, or of the event.
  public let event: String
  /// The address of the device; nil for calls and events without one.
  public let device: BluetoothAddress?
  /// The characteristic, descriptor or service concerned.
  public let attribute: BluetoothUUID?
  /// The value that was written or notified.
  public let octets: [UInt8]

  /// `:1.7 GattCharacteristic1.WriteValue C0:FF:EE:00:00:01 2a06 01`
  public var description: String {
    let parts = [
      client, event, device.map { "\($0)" } ?? "", attribute.map { "\($0)" } ?? "",
      "\(DecodedValue.octets(octets))",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

// MARK: - Sources

extension SimulatorLog {
  /// The device and attribute that an object path stands for.
  typealias Place = (device: BluetoothAddress?, attribute: BluetoothUUID?)

  /// Logs a call of a client.
  ///
  /// - Parameter place: The called object.
  func called(_ call: Message, at time: Duration, place: Place) {
    add(
      at: time, client: call.sender ?? "", Self.event(of: call), device: place.device,
      attribute: place.attribute,
      octets: call.member == GattCharacteristic1.writeValue.name
        ? call.body.first?.asBytes ?? [] : []
    )
  }

  func happened(_ event: SimulatorEvent, at time: Duration) {
    typealias Event = SimulatorLogEntry.Event
    let word =
      switch event {
      case .linkUp: Event.linkUp
      case .linkDown: Event.linkDown
      case .read: Event.read
      case .written: Event.written
      case .subscribed: Event.subscribed
      case .unsubscribed: Event.unsubscribed
      case .notified: Event.notified
      case .paired(_, let security): "\(Event.paired)-\(security.rawValue)"
      case .securityRequested: Event.securityRequested
      case .scanning(let isOn): isOn ? Event.scanOn : Event.scanOff
      }
    let (_, device, attribute, octets) = event.parts
    add(at: time, word, device: device, attribute: attribute, octets: octets)
  }

  /// Logs that a device refused a request.
  ///
  /// - Parameters:
  ///   - octets: The value of a write.
  ///   - isByFault: Whether a fault refused it before it reached the attribute, which has logged nothing.
  func refused(
    _ operation: FaultOperation, _ octets: [UInt8], by code: ATTErrorCode,
    of device: BluetoothAddress, isByFault: Bool, at time: Duration
  ) {
    typealias Event = SimulatorLogEntry.Event
    let arrival: String
    switch operation.kind {
    case .read: arrival = Event.read
    case .write: arrival = Event.written
    case .subscribe: arrival = Event.subscribed
    case .command, .connect, .discover, .disconnect, .any: return
    }
    let attribute = operation.characteristic
    // Requests for descriptors have no entry of their own.
    if isByFault, operation.handle != nil {
      add(at: time, arrival, device: device, attribute: attribute, octets: octets)
    }
    let refusal = operation.kind.rawValue + Event.refused + hexadecimal(code.rawValue)
    add(at: time, refusal, device: device, attribute: attribute, octets: octets)
  }

  /// The name of a call: `Device1.Connect`, or `Adapter1.Powered=true` for a property.
  private static func event(of call: Message) -> String {
    let interface = last(call.interface ?? "")
    let member = call.member ?? ""
    let method = interface.isEmpty ? member : "\(interface).\(member)"
    guard call.interface == "org.freedesktop.DBus.Properties",
      let owner = call.body.first?.asString.map(last)
    else { return method }
    let property = call.body.count > 1 ? call.body[1].asString : nil
    guard let property else { return "\(method) \(owner)" }
    guard member == "Set", call.body.count > 2 else { return "\(method) \(owner).\(property)" }
    return "\(owner).\(property)=\(shown(call.body[2]))"
  }

  private static func last(_ interface: String) -> String {
    interface.split(separator: ".").last.map(String.init) ?? interface
  }

  private static func shown(_ value: DBusValue) -> String {
    if let isTrue = value.asBool { return "\(isTrue)" }
    if let number = value.asUInt32 { return "\(number)" }
    return value.asString ?? "(\(value.unwrapped.signature.text))"
  }
}

extension BlueZSimulator {
  /// The device and attribute of an object path.
  func place(of path: ObjectPath?) -> SimulatorLog.Place {
    guard let path, let place = BlueZPath(path),
      let devicePath = BlueZPath.devicePath(containing: path)
    else { return (nil, nil) }
    let remote = present.all.flatMap(\.devices).first { $0.path == devicePath }
    guard let remote else { return (place.address, nil) }
    let table = remote.device.table
    let attribute: BluetoothUUID? =
      switch place {
      case .service(_, _, let handle): table.services.first { $0.handle == handle }?.uuid
      case .characteristic(_, _, _, let handle): table.characteristic(at: handle &+ 1)?.uuid
      case .descriptor(_, _, _, _, let handle): table.descriptor(at: handle)?.uuid
      case .bluez, .adapter, .device: nil
      }
    return (remote.device.definition.address, attribute)
  }
}

extension BlueZPath {
  /// The address of the device in the path.
  fileprivate var address: BluetoothAddress? {
    switch self {
    case .bluez, .adapter: nil
    case .device(_, let address), .service(_, let address, _),
      .characteristic(_, let address, _, _), .descriptor(_, let address, _, _, _):
      address
    }
  }
}
