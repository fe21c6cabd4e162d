// AcquireWrite: a socket of this program; and the results of both Acquire calls.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension CharacteristicChannel {
  /// The results of an Acquire call.
  struct Acquired: Sendable {
    let descriptor: UnixFD
    /// The ATT MTU, in octets.
    let mtu: Int
  }

  /// Acquires the characteristic for a writer.
  ///
  /// - Throws: What the call throws. A descriptor that arrives after that is closed at once: a held
  ///   copy would keep the characteristic acquired.
  func acquireWrite() async throws -> Acquired {
    let method = GattCharacteristic1.acquireWrite
    let reply = try await calls.call(.bluez(view.path, method, [:]), isConclusive: false) {
      answer in
      guard case .success(let late) = answer else { return }
      Acquired.close(late)
    }
    guard let acquired = Acquired(reply, method) else {
      throw ErrorMapping.unknown(ErrorSituation(.acquireWrite))
    }
    return acquired
  }
}

extension CharacteristicChannel.Acquired {
  /// The result in the reply to an Acquire call; nil when it has other types, and then it is closed.
  init?(_ reply: Message, _ method: Method<PropertyMap, (UnixFD, UInt16)>) {
    guard let (descriptor, mtu) = reply.output(of: method) else {
      Self.close(reply)
      return nil
    }
    // Observers of the bus may keep the reply for a while; the descriptor is ours alone.
    self.init(descriptor: UnixFD(owning: descriptor.release()), mtu: Int(mtu))
  }

  /// Closes the descriptors of a reply.
  fileprivate static func close(_ reply: Message) {
    for value in reply.body {
      guard let descriptor = value.asUnixFD?.release(), descriptor >= 0 else { continue }
      _ = UnixFD(owning: descriptor)
    }
  }
}

extension Cause {
  static let notifyReleased = transient(
    .refused,
    "bluetoothd ended the acquired subscription while connected: another program stopped it, "
      + "or acquired the characteristic",
    hint: "close other programs that use the device and subscribe again, or use delivery by "
      + "signals, which several programs can share"
  )
  static let writerReleased = transient(
    .refused, "bluetoothd closed the acquired writer while connected",
    hint: "acquire it again, or write with single commands"
  )
}
