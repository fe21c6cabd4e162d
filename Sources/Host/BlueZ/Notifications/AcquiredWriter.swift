// A stream of commands through the socket from AcquireWrite.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The exclusive writer of a characteristic while it is held.
final class AcquiredWriter: CommandWriter {
  let mtu: Int
  private let service: BlueZOperations
  private let selector: CharacteristicSelector
  private let channel: CharacteristicChannel
  private let socket: AttributeSocket
  private let gate = Gate()

  /// Acquires the characteristic.
  init(
    of channel: CharacteristicChannel, _ selector: CharacteristicSelector,
    _ service: BlueZOperations
  )
    async throws
  {
    let acquired = try await channel.acquireWrite()
    // The socket is closed with `acquired`.
    guard acquired.mtu >= BlueZOperations.firstMTU else { throw Cause.mtuTooSmall(acquired.mtu) }
    self.service = service
    self.selector = selector
    self.channel = channel
    mtu = acquired.mtu
    socket = AttributeSocket(acquired.descriptor, on: channel.loop, received: { _ in }, ended: {})
    channel.isWriteAcquiredLocally = true
  }

  var longestValue: Int {
    min(mtu - BlueZOperations.commandOverhead, GattCharacteristic1.longestValue)
  }

  func write(_ value: [UInt8]) async throws {
    do {
      // bluetoothd would silently truncate a longer one.
      guard value.count <= longestValue else {
        throw value.count > GattCharacteristic1.longestValue
          ? Cause.tooLong(octets: value.count)
          : Cause.commandTooLong(octets: value.count, mtu: mtu)
      }
      let title = "writing \(selector)"
      try await gate.pass(on: channel.loop, operation: title) {
        while true {
          switch socket.send(value) {
          case .sent: return
          case .full: try await socket.waitUntilWritable(title)
          case .ended: throw try await ending()
          }
        }
      }
    } catch {
      throw await service.attributeFailure(error, .write, "writing", selector)
    }
  }

  func flush() async throws {
    guard try await isRead(by: channel.loop.now + channel.limits.call) else {
      throw await service.attributeFailure(Cause.commandsUnread, .write, "writing", selector)
    }
  }

  /// Waits until bluetoothd has read what was written; false if it has not at `end`.
  private func isRead(by end: Instant) async throws -> Bool {
    while socket.pending > 0 {
      guard channel.loop.now < end else { return false }
      try await channel.loop.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// Why bluetoothd has closed its end: its earlier signals are on their way.
  private func ending() async throws -> Cause {
    try await service.client.synchronize()
    let device = try service.connectedDevice()
    let isUp = service.client.withTree { $0.isConnected(device) }
    return isUp ? .writerReleased : .linkLost
  }

  /// Releases the characteristic: when bluetoothd has read what was written, closes the socket and
  /// waits a moment until it has noticed.
  func release() async throws {
    let loop = channel.loop
    let end = loop.now + channel.limits.release
    _ = try await isRead(by: end)
    socket.close()
    channel.isWriteAcquiredLocally = false
    while try await isAcquired(), loop.now < end { try await loop.sleep(for: .milliseconds(5)) }
  }

  private func isAcquired() async throws -> Bool {
    let call = MethodCall.get(GattCharacteristic1.writeAcquired, at: channel.view.path)
    do {
      let reply = try await channel.bus.call(call, limit: channel.limits.call, lateReply: nil)
      return reply.value(of: GattCharacteristic1.writeAcquired) ?? false
    } catch is DBusError {
      // The object was removed with the connection.
      return false
    } catch is BusFailure {
      return false
    }
  }
}

extension Cause {
  static let commandsUnread = transient(
    .timedOut, "bluetoothd does not read the commands that were written",
    hint: "restart bluetoothd if it does not answer at all"
  )

  static func mtuTooSmall(_ mtu: Int) -> Cause {
    transient(
      .unknown,
      "bluetoothd reports an MTU of \(mtu) bytes; every connection has at least "
        + "\(BlueZOperations.firstMTU)",
      hint: "disconnect and connect again"
    )
  }
}
