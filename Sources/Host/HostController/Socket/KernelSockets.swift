// Opens the kernel's HCI sockets and exchanges packets. HostController interprets the replies.

import Bluetooth
import CBluetooth
import Glibc
import Signals

/// The sockets of this host's kernel, one for each query.
struct KernelSockets: HostKernel {
  let loop: Loop

  /// The limit for a reply. A controller replies within milliseconds.
  private static let limit = Duration.seconds(2)
  /// The limit for the result of a change of a connection: a link layer ends a procedure that the other
  /// side has not answered by then, and the connection with it.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §5.2.
  private static let procedureLimit = Duration.seconds(40)
  /// The maximum number of connections to list; no controller has more.
  private static let mostConnections: UInt16 = 64
  private static let longestFrame = 4096

  func connections(of index: UInt16) throws(KernelRefusal) -> [KernelConnection] {
    let descriptor = try Self.open(index: host_no_device, channel: host_channel_raw)
    defer { close(descriptor) }
    var found = [hci_conn_info](repeating: hci_conn_info(), count: Int(Self.mostConnections))
    let count = try Self.checked(host_connections(descriptor, index, &found, Self.mostConnections))
    return found.prefix(Int(count)).map {
      KernelConnection(handle: $0.handle, address: BluetoothAddress($0.bdaddr))
    }
  }

  func features(of index: UInt16) throws(KernelRefusal) -> [UInt8] {
    let descriptor = try Self.open(index: host_no_device, channel: host_channel_raw)
    defer { close(descriptor) }
    var information = hci_dev_info()
    try Self.checked(host_device(descriptor, index, &information))
    return withUnsafeBytes(of: information.features) { Array($0) }
  }

  func answer(to command: HCICommand, of index: UInt16) async throws -> HCIAnswer {
    let descriptor = try Self.open(index: index, channel: host_channel_raw)
    defer { close(descriptor) }
    try Self.checked(host_receive_completion(descriptor, command.opcode.rawValue))
    return try await exchange(descriptor, command.packet) { command.answer(in: $0) }
  }

  func result<Procedure: LinkProcedure>(
    of procedure: Procedure, by index: UInt16
  ) async throws -> Result<Procedure.Agreed, HostProblem> {
    let descriptor = try Self.open(index: index, channel: host_channel_raw)
    defer { close(descriptor) }
    let command = procedure.command
    try Self.checked(host_receive_le_events(descriptor, command.opcode.rawValue))
    let pending = Guarded(PendingProcedure(procedure))
    return try await exchange(descriptor, command.packet, limit: Self.procedureLimit) { packet in
      pending.withLock { $0.result(in: packet) }
    }
  }

  func answer(to command: ManagementCommand) async throws -> ManagementAnswer {
    let descriptor = try Self.open(index: host_no_device, channel: host_channel_control)
    defer { close(descriptor) }
    return try await exchange(descriptor, command.frame) { command.answer(in: $0) }
  }

  // MARK: Sockets

  /// - Throws: ``KernelRefusal`` with the kernel's error number.
  static func open(index: UInt16, channel: UInt16) throws(KernelRefusal) -> Int32 {
    try checked(host_socket(index, channel))
  }

  @discardableResult
  static func checked(_ result: Int32) throws(KernelRefusal) -> Int32 {
    guard result < 0 else { return result }
    throw KernelRefusal(errorNumber: -result)
  }

  /// Sends a packet and waits for its answer.
  private func exchange<Answer: Sendable>(
    _ descriptor: Int32, _ packet: [UInt8], limit: Duration = limit,
    _ answer: @escaping @Sendable ([UInt8]) -> Answer?
  ) async throws -> Answer {
    let watch = Guarded<Watch?>(nil)
    defer { watch.withLock { $0 }?.cancel() }
    return try await wait(on: loop, operation: "querying the kernel", limit: limit) {
      (done: Completion<Answer>) in
      let reading = loop.watch(descriptor, for: .readable) { _ in
        do throws(KernelRefusal) {
          while let packet = try Self.receive(descriptor)?.octets {
            if let answer = answer(packet) { done.succeed(answer) }
          }
        } catch {
          watch.withLock { $0 }?.cancel()
          done.fail(error)
        }
      }
      watch.withLock { $0 = reading }
      guard write(descriptor, packet, packet.count) == packet.count else {
        throw KernelRefusal(errorNumber: errno)
      }
    }
  }

  /// Receives one packet, with the wall-clock time in microseconds since 1970 if the socket adds
  /// timestamps.
  ///
  /// - Returns: Nil when none is waiting.
  static func receive(
    _ descriptor: Int32, room: Int = longestFrame
  ) throws(KernelRefusal) -> (octets: [UInt8], microseconds: Int)? {
    var microseconds = 0
    var count = 0
    let octets = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
      repeat {
        count = host_receive(descriptor, buffer.baseAddress, UInt(buffer.count), &microseconds)
      } while count == -Int(EINTR)
      filled = max(0, count)
    }
    if count == -Int(EAGAIN) { return nil }
    guard count >= 0 else {
      throw KernelRefusal(errorNumber: Int32(-count))
    }
    return (octets, microseconds)
  }
}

extension BluetoothAddress {
  /// libbluetooth stores the octets in the order of transmission: the last one written comes first.
  fileprivate init(_ address: bdaddr_t) {
    let octets = withUnsafeBytes(of: address) { Array($0) }
    self.init(number: octets.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
