// Collects writes, reads and notifications from the D-Bus messages with bluetoothd.
//
// It sees those of every kind of step, but not values through the sockets of AcquireWrite and
// AcquireNotify.

import BlueZInterfaces
import Bluetooth
import DBus
import Recording
import Signals
import SimulatedDevices

/// The writes, reads and notifications of all devices.
final class RecordedTraffic: Sendable {
  fileprivate struct State {
    /// Pending writes, by the serial number of the call.
    var writes: [Int: (path: BlueZPath, octets: [UInt8], at: Duration)] = [:]
    /// Pending reads, by the serial number of the call; `isWhole` means without an offset.
    var reads: [Int: (object: ObjectPath, isWhole: Bool)] = [:]
    var read: [(path: BlueZPath, value: RecordedValue)] = []
    var written: [(path: BlueZPath, write: RecordedWrite)] = []
    var notified: [(path: BlueZPath, value: RecordedValue)] = []
    /// The pairing method that each device used with the chain.
    var pairings: [BluetoothAddress: DeviceRecording.Pairing] = [:]
    /// Characteristics with a write that was pending when the connection dropped.
    var lost: Set<BlueZPath> = []
    /// Whether sockets were acquired, whose values are not on the bus.
    var acquires = false
    /// The characteristics that were subscribed to.
    var subscribed: Set<BlueZPath> = []
    /// The addresses of devices with calls; a private address may change before the connection.
    var called: Set<BluetoothAddress> = []
  }

  private let begun: Instant
  private let state = Guarded(State())

  /// - Parameter begun: The start of the recording.
  init(begun: Instant) { self.begun = begun }

  /// Discards all traffic so far.
  func forget() { state.withLock { $0 = State() } }

  /// Adds the traffic of the recorded device.
  ///
  /// - Parameter names: The names of attributes in remarks.
  func add(to recording: inout DeviceRecording, names: AttributeNames) {
    let state = state.withLock { $0 }
    let own = (recording.changesAddress ? state.called : []).union([recording.address])
    func isOwn(_ path: BlueZPath) -> Bool { path.deviceAddress.map(own.contains) ?? false }
    recording.writes += state.written.filter { isOwn($0.path) }.map(\.write)
    recording.notifications += state.notified.filter { isOwn($0.path) }.map(\.value)
    recording.reads += state.read.filter { isOwn($0.path) }.map(\.value)
    // The limits apply to the traffic of all devices together.
    recording.noteBounds(
      notifications: state.notified.count, reads: state.read.count, writes: state.written.count
    )
    // A value that was refused earlier but read by the chain, which has paired.
    for value in recording.reads {
      let one = recording.characteristics.first { $0.handle == value.handle }
      if let one, one.reading != nil, one.reading?.octets == nil, one.bondedValue == nil {
        recording.learnProtected(value.octets, of: value.handle)
      }
    }
    let listened = Set(state.subscribed.filter(isOwn).compactMap(\.valueHandle))
    let missed = recording.listedServices.flatMap(\.characteristics).filter {
      !$0.properties.isDisjoint(with: [.notify, .indicate]) && !listened.contains($0.handle)
    }
    if !state.written.isEmpty, !missed.isEmpty {
      let titles = missed.compactMap { recording.selector(of: $0.handle, names: names) }
        .map(\.description)
      recording.unknown.append(
        "what \(titles.joined(separator: ", ")) sends after a write: the chain is not subscribed to it"
      )
    }
    if let pairing = own.sorted().lazy.compactMap({ state.pairings[$0] }).first {
      recording.pairing = pairing
    }
    for handle in state.lost.filter(isOwn).compactMap(\.valueHandle).sorted() {
      if let selector = recording.selector(of: handle, names: names) {
        recording.unknown.append(
          "what a write to \(selector) causes that was not answered: the connection dropped"
        )
      }
    }
    if state.acquires {
      recording.unknown.append(
        "what the chain wrote or received with delivery: acquire: it is not on the bus"
      )
    }
  }

  func receive(_ message: KeptMessage, _ now: Instant) {
    guard let object = message.path else { return }
    state.withLock { $0.device(message, object) }
    guard let path = BlueZPath(object), let handle = path.valueHandle else { return }
    let at = now - begun
    state.withLock { state in
      switch (message.kind, message.number) {
      case (.call, let number?): state.call(number, message, path, object, at)
      case (.reply, let number?): state.replied(number, message, path, handle, at)
      case (.error, let number?):
        let error = message.error.map { ErrorAnswer($0, message.errorText ?? "") }
        let code = error.flatMap(\.refusal.ofDevice)
        state.ended(number, handle, code, isAnswer: code != nil)
      case (.signal, _): state.signal(message, path, object, handle, at)
      case (.request, _), (.call, nil), (.reply, nil), (.error, nil): break
      }
    }
  }
}

extension RecordedTraffic.State {
  /// Records a request to the pairing agent, the end of a pairing, or a dropped connection.
  fileprivate mutating func device(_ message: KeptMessage, _ object: ObjectPath) {
    switch (message.kind, message.member) {
    case (.request, _):
      guard let device = message.values.first?.asObjectPath,
        case .device(_, let address)? = BlueZPath(device)
      else { return }
      switch message.member {
      case Agent1.requestPasskey.name: pairings[address] = .passkeyOfChain
      case Agent1.displayPasskey.name: pairings[address] = .tried(.passkeyDisplay)
      case Agent1.requestConfirmation.name: pairings[address] = .tried(.confirm)
      // open: members of the interface
      default: break
      }
    case (.reply, Device1.pair.name):
      guard case .device(_, let address)? = BlueZPath(object), pairings[address] == nil else {
        return
      }
      pairings[address] = .tried(.justWorks)
    case (.signal, StandardInterface.propertiesChanged.name):
      // After a disconnect, bluetoothd answers pending calls itself; those answers are not the
      // device's.
      guard message.values.count > 1, message.values[0].asString == Device1.interface,
        message.values[1].asPropertyMap?[Device1.connected.name]?.asBool == false,
        case .device(_, let address)? = BlueZPath(object)
      else { return }
      let unanswered = writes.filter { $0.value.path.deviceAddress == address }
      lost.formUnion(unanswered.values.map(\.path))
      writes = writes.filter { unanswered[$0.key] == nil }
    // open: members of the interfaces
    default: break
    }
  }

  fileprivate mutating func call(
    _ number: Int, _ message: KeptMessage, _ path: BlueZPath, _ object: ObjectPath, _ at: Duration
  ) {
    if let address = path.deviceAddress { called.insert(address) }
    switch message.member {
    case GattCharacteristic1.writeValue.name:
      guard let octets = message.values.first?.asBytes else { return }
      writes[number] = (path, octets, at)
    case GattCharacteristic1.readValue.name:
      let offset = message.values.first?.asPropertyMap?["offset"]?.asUInt16 ?? 0
      reads[number] = (object, offset == 0)
    case GattCharacteristic1.acquireWrite.name, GattCharacteristic1.acquireNotify.name:
      acquires = true
    case GattCharacteristic1.startNotify.name: subscribed.insert(path)
    // open: members of the interface
    default: break
    }
  }

  fileprivate mutating func replied(
    _ number: Int, _ message: KeptMessage, _ path: BlueZPath, _ handle: UInt16, _ at: Duration
  ) {
    if reads[number]?.isWhole == true, read.count < RecordedValue.most,
      let octets = message.values.first?.asBytes
    {
      read.append((path, RecordedValue(handle: handle, octets: octets, at: at)))
    }
    ended(number, handle, nil, isAnswer: true)
  }

  /// - Parameter isAnswer: Whether the answer came from the device; otherwise the write is dropped.
  fileprivate mutating func ended(
    _ number: Int, _ handle: UInt16, _ error: ATTErrorCode?, isAnswer: Bool
  ) {
    reads[number] = nil
    guard let write = writes.removeValue(forKey: number), isAnswer,
      written.count < RecordedWrite.most
    else { return }
    written.append(
      (write.path, RecordedWrite(handle: handle, octets: write.octets, at: write.at, error: error))
    )
  }

  fileprivate mutating func signal(
    _ message: KeptMessage, _ path: BlueZPath, _ object: ObjectPath, _ handle: UInt16,
    _ at: Duration
  ) {
    // bluetoothd also signals values that are read; those are not notifications.
    guard message.member == StandardInterface.propertiesChanged.name, message.values.count > 1,
      message.values[0].asString == GattCharacteristic1.interface,
      !reads.values.contains(where: { $0.object == object }), notified.count < RecordedValue.most,
      let octets = message.values[1].asPropertyMap?[GattCharacteristic1.value.name]?.asBytes
    else { return }
    notified.append((path, RecordedValue(handle: handle, octets: octets, at: at)))
  }
}

extension BlueZPath {
  /// The handle of a characteristic's value; nil for any other object.
  fileprivate var valueHandle: UInt16? {
    if case .characteristic(_, _, _, let declaration) = self { declaration &+ 1 } else { nil }
  }

  fileprivate var deviceAddress: BluetoothAddress? {
    if case .characteristic(_, let address, _, _) = self { address } else { nil }
  }
}

extension Refusal {
  /// The ATT error from the device; nil if bluetoothd answered without asking it.
  fileprivate var ofDevice: ATTErrorCode? {
    if self == .invalidLength { return .invalidAttributeValueLength }
    return self == .notAuthorized ? .insufficientAuthorization : attErrorCode
  }
}
