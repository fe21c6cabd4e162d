// The parameters of connections, taken from HCI events: no other source reports them.

public import Bluetooth

/// A connection and its current parameters.
public struct LinkTiming: Hashable, Sendable {
  public let address: BluetoothAddress
  public let parameters: ConnectionParameters
}

/// Connections observed in events, in the order in which they were made.
struct LinkTimings: Sendable {
  private struct Entry {
    let index: UInt16
    let handle: UInt16
    let address: BluetoothAddress
    var parameters: ConnectionParameters
    var isUp = true
  }

  private var entries: [Entry] = []

  /// The maximum number of devices. A device that reconnects many times has one entry.
  private static let most = 64

  /// All connections, one per device, each with its latest parameters.
  var all: [LinkTiming] {
    entries.map { LinkTiming(address: $0.address, parameters: $0.parameters) }
  }

  /// The parameters of a connection that is up; nil if none was observed.
  func present(_ address: BluetoothAddress, over index: UInt16) -> ConnectionParameters? {
    entries.last { $0.index == index && $0.address == address && $0.isUp }?.parameters
  }

  mutating func observe(_ packet: MonitorPacket) {
    guard packet.opcode == MonitorPacket.event else { return }
    switch HCIEvent(packet.payload) {
    case .connected(let made)? where made.status == .success:
      entries.removeAll { $0.index == packet.index && $0.address == made.address }
      if entries.count == Self.most { entries.removeFirst() }
      entries.append(
        Entry(
          index: packet.index, handle: made.handle, address: made.address,
          parameters: made.parameters
        )
      )
    case .updated(let handle, let parameters)?:
      change(packet.index, handle) { $0.parameters = parameters }
    case .disconnected(let handle)?:
      // From here on the handle may belong to another device.
      change(packet.index, handle) { $0.isUp = false }
    case .connected?, .updateFailed?, .phyUpdated?, .commandComplete?, .commandStatus?, .other?,
      nil:
      break
    }
  }

  private mutating func change(_ index: UInt16, _ handle: UInt16, _ body: (inout Entry) -> Void) {
    let place = entries.firstIndex { $0.index == index && $0.handle == handle && $0.isUp }
    if let place { body(&entries[place]) }
  }
}
