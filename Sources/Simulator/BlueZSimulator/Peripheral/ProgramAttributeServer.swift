// One characteristic or descriptor of a program: passes requests of centrals to the program, and
// its values to centrals.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Calls a program for requests to one of its attributes.
///
/// - Source: BlueZ 5.66, `src/gatt-database.c` (chrc_read_cb, chrc_write_cb, desc_write_cb,
///   ccc_write_cb); recorded from it.
final class ProgramAttributeServer: Sendable {
  private struct Sockets {
    var write = Socket.none
    var notify: AcquiredSocket?
  }

  private enum Socket {
    case none
    /// The program was asked for a socket; written values wait for it.
    case awaited([Written])
    case open(AcquiredSocket)
  }

  private struct Written: Sendable {
    let value: [UInt8]
    let offset: Int
    let done: DeviceProgram.Answer<Void>
  }

  /// bluetoothd counts the handle of a request as part of the value.
  ///
  /// - Source: recorded from bluetoothd 5.66; `src/shared/gatt-server.c` (check_length).
  private static let longestWrite = GattCharacteristic1.longestValue - 2

  let object: ProgramObject
  private let client: String
  private let handle: UInt16
  private let local: LocalDevice
  private let calls: ProgramCalls
  private let central: @Sendable () -> ObjectPath?
  private let sockets: Confined<Sockets>

  init(
    _ object: ProgramObject, of client: String, at handle: UInt16, local: LocalDevice,
    calls: ProgramCalls, central: @escaping @Sendable () -> ObjectPath?
  ) {
    self.object = object
    self.client = client
    self.handle = handle
    self.local = local
    self.calls = calls
    self.central = central
    sockets = Confined(Sockets(), to: calls.host.loop)
  }

  private var isDescriptor: Bool { object.interface == GattDescriptor1.interface }

  /// True if the flags of a descriptor allow an operation, protected or not. Flags of
  /// characteristics are checked as the device's properties.
  private func allows(_ operation: String) -> Bool {
    !isDescriptor || object.flags.contains { $0 == operation || $0.hasSuffix("-" + operation) }
  }

  private func options(from offset: Int = 0) -> PropertyMap {
    var options = PropertyMap()
    options[ProgramAttribute.Option.device] = central().map { .objectPath($0) }
    if offset > 0 {
      options[ProgramAttribute.Option.offset] = .uint16(UInt16(clamping: offset))
    }
    options[ProgramAttribute.Option.link] = .string("LE")
    options[ProgramAttribute.Option.mtu] = .uint16(UInt16(local.device.definition.link.mtu))
    return options
  }

  // MARK: Requests

  func read(from offset: Int, _ done: @escaping DeviceProgram.Answer<[UInt8]>) {
    guard allows("read") else { return done(.failure(.readNotPermitted)) }
    let method = isDescriptor ? GattDescriptor1.readValue : GattCharacteristic1.readValue
    calls.ask(method, options(from: offset), on: object.path, of: client) { reply in
      switch reply {
      case .success(let message)?:
        guard let value = message.body.first?.asBytes else {
          return done(.failure(.requestNotSupported))
        }
        done(.success(Array(value.prefix(GattCharacteristic1.longestValue))))
      case .failure(let error)?:
        done(.failure(ATTErrorCode(of: error, permission: .readNotPermitted)))
      case nil: done(.failure(.unlikelyError))
      }
    }
  }

  func write(_ value: [UInt8], at offset: Int, _ done: @escaping DeviceProgram.Answer<Void>) {
    guard allows("write") else { return done(.failure(.writeNotPermitted)) }
    guard value.count <= Self.longestWrite || offset > 0 else {
      return done(.failure(.invalidAttributeValueLength))
    }
    let written = Written(value: value, offset: offset, done: done)
    guard object.acquiresWrite else { return send(written) }
    switch sockets.write {
    case .open(let socket):
      socket.send(value)
      done(.success(()))
    case .awaited(let waiting): sockets.write = .awaited(waiting + [written])
    case .none:
      sockets.write = .awaited([written])
      acquireWrite()
    }
  }

  /// Passes on a write. A characteristic that accepts writes without response confirms it at once.
  private func send(_ written: Written) {
    let method = isDescriptor ? GattDescriptor1.writeValue : GattCharacteristic1.writeValue
    let input = (written.value, options(from: written.offset))
    if object.flags.contains("write-without-response") {
      calls.send(method, input, on: object.path, of: client)
      return written.done(.success(()))
    }
    calls.ask(method, input, on: object.path, of: client) { reply in
      switch reply {
      case .success(let message)?:
        written.done(message.body.isEmpty ? .success(()) : .failure(.requestNotSupported))
      case .failure(let error)?:
        written.done(.failure(ATTErrorCode(of: error, permission: .writeNotPermitted)))
      case nil: written.done(.failure(.unlikelyError))
      }
    }
  }

  func confirmed() { calls.send(ProgramAttribute.confirm, (), on: object.path, of: client) }

  // MARK: Sockets

  /// Requests a socket; a program without one gets the values by calls.
  private func acquireWrite() {
    let method = GattCharacteristic1.acquireWrite
    calls.ask(method, options(), on: object.path, of: client) { [weak self] reply in
      guard let self else { return }
      var refusal: ATTErrorCode?
      if case .failure(let error)? = reply {
        let code = ATTErrorCode(of: error, permission: .writeNotPermitted)
        refusal = code == .unlikelyError ? nil : code
      }
      let socket = opened(by: reply) { [weak self] in self?.releaseWrite() }
      guard case .awaited(let waiting) = sockets.write else { return }
      sockets.write = socket.map { .open($0) } ?? .none
      for written in waiting {
        if let socket {
          socket.send(written.value)
          written.done(.success(()))
        } else if let refusal {
          written.done(.failure(refusal))
        } else {
          send(written)
        }
      }
    }
  }

  /// Adopts the socket in a reply; its packets are sent to the central.
  private func opened(
    by reply: Result<Message, DBusError>?, closed: @escaping @Sendable () -> Void
  ) -> AcquiredSocket? {
    guard case .success(let message)? = reply,
      let (end, _) = GattCharacteristic1.acquireWrite.output.decode(message.body)
    else { return nil }
    return AcquiredSocket.adopt(
      end, on: calls.host.loop, received: { [weak self] in self?.send($0) }, released: closed
    )
  }

  private func releaseWrite() {
    if case .open = sockets.write { sockets.write = .none }
  }

  /// Applies that a central subscribed or unsubscribed.
  func subscription(_ isSubscribed: Bool) {
    guard isSubscribed else {
      guard let socket = sockets.notify.take() else {
        return calls.send(GattCharacteristic1.stopNotify, (), on: object.path, of: client)
      }
      return socket.close()
    }
    guard object.acquiresNotify else { return startNotify() }
    let method = GattCharacteristic1.acquireNotify
    calls.ask(method, options(), on: object.path, of: client) { [weak self] reply in
      guard let self else { return }
      if let socket = opened(by: reply, closed: { [weak self] in self?.releaseNotify() }) {
        return sockets.notify = socket
      }
      if case .failure(let error)? = reply, error.name.rawValue != BlueZErrorName.failed {
        startNotify()
      }
    }
  }

  private func startNotify() {
    calls.send(GattCharacteristic1.startNotify, (), on: object.path, of: client)
  }

  private func releaseNotify() { sockets.notify = nil }

  /// Sends a value of the program to the central.
  func send(_ value: [UInt8]) {
    let longest = GattCharacteristic1.longestValue
    local.device.setValue(Array(value.prefix(longest)), at: handle)
  }

  func close() {
    let write = sockets.write
    sockets.write = .none
    sockets.notify.take()?.close()
    switch write {
    case .none: break
    case .awaited(let waiting): for written in waiting { written.done(.failure(.unlikelyError)) }
    case .open(let socket): socket.close()
    }
  }
}
