// The devices around an adapter, under the addresses that it has heard of them.

import BlueZInterfaces
import Bluetooth
import Signals
import SimulatedDevices

/// Devices, and what bluetoothd took for devices: one that changes its address is another one to
/// those who cannot tell whose address it is.
final class Air: Sendable {
  /// Makes the object of a device under an address.
  typealias Maker =
    @Sendable (SimulatedDevice, BluetoothAddress, AddressType, StoredDevice?) -> RemoteDevice

  private let make: Maker
  /// Of each device, the latest last; at least one each.
  private let remotes: Guarded<[[RemoteDevice]]>
  /// The places of the devices, by their own addresses.
  private let places: [BluetoothAddress: Int]

  /// - Parameter stored: What is known from before.
  init(_ devices: [SimulatedDevice], stored: [StoredDevice], make: @escaping Maker) {
    self.make = make
    places = Dictionary(
      devices.enumerated().map { ($1.definition.address, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    remotes = Guarded(
      devices.map { device in
        let heard = device.airAddress()
        let known = stored.filter { $0.identity == device.definition.address }
        let kept = known.map { make(device, $0.address, $0.addressType, $0) }
        // The one that is in the air comes last.
        let present = kept.last { $0.address == heard.address }
        let others = kept.filter { $0 !== present }
        for other in others { other.leave() }
        return others + [present ?? make(device, heard.address, heard.type, nil)]
      }
    )
  }

  /// All that was ever heard, by device.
  var all: [RemoteDevice] { remotes.withLock { $0.flatMap(\.self) } }

  /// How many devices there are.
  var count: Int { remotes.withLock { $0.count } }

  /// A device as it is heard now. If its address has changed since, and nobody can tell, the one
  /// before is not in the air any more. A link stays with the address that it was made with.
  func present(_ index: Int) -> RemoteDevice {
    let known = remotes.withLock { $0[index] }
    let latest = known[known.count - 1]
    guard let privacy = latest.device.definition.privateAddress else { return latest }
    if privacy.kind == .resolvable, let bonded = known.first(where: \.isPaired) {
      return moved(from: latest, to: bonded)
    }
    let heard = latest.device.airAddress()
    guard latest.isIdle, heard.address != latest.address else { return latest }
    let next = known.first { $0.address == heard.address }
    let remote = next ?? make(latest.device, heard.address, heard.type, nil)
    if next == nil { remotes.withLock { $0[index].append(remote) } }
    return moved(from: latest, to: remote)
  }

  /// The device of this identity, or heard under this address, as it is heard now.
  func device(_ address: BluetoothAddress) -> RemoteDevice? {
    if let index = places[address] { return present(index) }
    for index in 0..<count {
      let present = present(index)
      if present.address == address { return present }
    }
    return all.last { $0.address == address }
  }

  /// Whether the device is there is the device's own affair, not that of its address.
  private func moved(from old: RemoteDevice, to new: RemoteDevice) -> RemoteDevice {
    guard old !== new else { return new }
    if old.isInAir { new.appear() } else { new.leave() }
    old.leave()
    return new
  }
}

/// One of the advertisements of one of the devices, by their indices.
struct AdvertisementSlot: Hashable, Sendable {
  let device: Int
  let number: Int
}

extension Air {
  /// The advertisements of all devices.
  var slots: [AdvertisementSlot] {
    remotes.withLock { $0.map { $0[0].device.definition.advertisements.count } }
      .enumerated().flatMap { device, count in
        (0..<count).map { AdvertisementSlot(device: device, number: $0) }
      }
  }

  /// The time between two advertisements.
  func interval(_ slot: AdvertisementSlot) -> Duration {
    remotes.withLock { $0[slot.device][0].device.definition.advertisements[slot.number].interval }
  }
}

extension RemoteDevice {
  var isPaired: Bool { state.withLock { $0.known.isPaired } }

  /// Whether a connection to this address reaches the device.
  var isReachable: Bool {
    isInAir && (isPaired || device.airAddress().address == address)
  }

  /// Nothing is heard any more under this address.
  func leave() { state.withLock { $0.isInAir = false } }

  /// Who is paired with the device knows who it is: its address is told as the one behind the
  /// private one.
  func tellIdentity() {
    guard device.definition.privateAddress?.kind == .resolvable else { return }
    let definition = device.definition
    let isNew = state.withLock { state in
      defer { state.known.identify(definition.address, definition.addressType) }
      return state.known.address != definition.address
    }
    guard isNew else { return }
    mark(Device1.address)
    mark(Device1.addressType)
  }
}
