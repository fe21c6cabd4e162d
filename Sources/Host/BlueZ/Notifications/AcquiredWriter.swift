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
    self.service = service
    self.selector = selector
    self.channel = channel
    mtu = acquired.mtu
    socket = AttributeSocket(acquired.descriptor, on: channel.loop, received: { _ in }, ended: {})
    channel.isWriterHere = true
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

  /// Why bluetoothd has closed its end: its earlier signals are on their way.
  private func ending() async throws -> Cause {
    try await service.client.keepInStep()
    let device = try service.connectedDevice()
    let isUp = service.client.look { $0.isConnected(device) }
    return isUp ? .writerReleased : .linkLost
  }

  /// Releases the characteristic: when bluetoothd has read what was written, closes the socket and
  /// waits a moment until it has noticed.
  func release() async throws {
    let loop = channel.loop
    let end = loop.now + channel.limits.release
    while socket.pending > 0, loop.now < end { try await loop.sleep(for: .milliseconds(5)) }
    socket.close()
    channel.isWriterHere = false
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
