// The timing of links, from the events that tell it: nobody else does.

public import Bluetooth

/// A link and the timing that was last agreed on for it.
public struct LinkTiming: Hashable, Sendable {
  public let address: BluetoothAddress
  public let parameters: ConnectionParameters
}

/// The links that events told of, in the order in which they were made.
struct LinkTimings: Sendable {
  private struct Entry {
    let index: UInt16
    let handle: UInt16
    let address: BluetoothAddress
    var parameters: ConnectionParameters
    var isUp = true
  }

  private var entries: [Entry] = []

  /// A device that connects again and again is one entry; this bounds how many devices there are.
  private static let most = 64

  /// Every link, that of a device once: as it was agreed on last.
  var all: [LinkTiming] {
    entries.map { LinkTiming(address: $0.address, parameters: $0.parameters) }
  }

  /// That of a link that is up.
  func present(_ address: BluetoothAddress, over index: UInt16) -> ConnectionParameters? {
    entries.last { $0.index == index && $0.address == address && $0.isUp }?.parameters
  }

  mutating func hear(_ packet: MonitorPacket) {
    guard packet.opcode == MonitorPacket.event else { return }
    switch HCIEvent(packet.payload) {
    case .connected(let made)? where made.status == .success:
      entries.removeAll { $0.index == packet.index && $0.address == made.address }
      if entries.count == Self.most { entries.removeFirst() }
      entries.append(
        Entry(
          index: packet.index,
          handle: made.handle,
          address: made.address,
          parameters: made.parameters
        )
      )
    case .updated(let handle, let parameters)?:
      change(packet.index, handle) { $0.parameters = parameters }
    case .disconnected(let handle)?:
      // The handle may be another device's from here on.
      change(packet.index, handle) { $0.isUp = false }
    default: break
    }
  }

  private mutating func change(
    _ index: UInt16,
    _ handle: UInt16,
    _ body: (inout Entry) -> Void
  ) {
    let place = entries.firstIndex { $0.index == index && $0.handle == handle && $0.isUp }
    if let place { body(&entries[place]) }
  }
}
