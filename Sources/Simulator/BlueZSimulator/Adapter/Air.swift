// The devices in range of an adapter, by the addresses that it has received.

import BlueZInterfaces
import Bluetooth
import Signals
import SimulatedDevices

/// The devices in range, and their objects in bluetoothd. A device with a new private address gets
/// another object, unless the address can be resolved.
final class Air: Sendable {
  /// Creates the object of a device under an address.
  typealias Maker =
    @Sendable (SimulatedDevice, BluetoothAddress, AddressType, StoredDevice?) -> RemoteDevice

  private let make: Maker
  /// The objects of each device, the current one last; at least one per device.
  private let remotes: Confined<[[RemoteDevice]]>
  /// The advertisements of all devices.
  let slots: [AdvertisementSlot]

  /// - Parameter stored: The devices that the adapter knows already.
  init(_ devices: [SimulatedDevice], stored: [StoredDevice], on loop: Loop, make: @escaping Maker) {
    self.make = make
    slots = devices.enumerated().flatMap { device, simulated in
      simulated.definition.advertisements.indices.map { number in
        AdvertisementSlot(device: device, number: number)
      }
    }
    remotes = Confined(
      devices.map { device in
        let advertised = device.airAddress()
        let known = stored.filter { $0.identity == device.definition.address }
        let kept = known.map { make(device, $0.address, $0.addressType, $0) }
        // The object with the current address comes last.
        let present = kept.last { $0.address == advertised.address }
        let others = kept.filter { $0 !== present }
        for other in others { other.retireAddress() }
        return others
          + [present ?? make(device, advertised.address, advertised.type, nil)]
      },
      to: loop
    )
  }

  /// All objects, grouped by device.
  var all: [RemoteDevice] { remotes.contents.flatMap(\.self) }

  /// The current object of a device. If the address changed and cannot be resolved, the previous
  /// object is out of range from now on. A connection keeps its address.
  func current(_ index: Int) -> RemoteDevice {
    let known = remotes.contents[index]
    let latest = known[known.count - 1]
    guard latest.device.changesAddress else { return latest }
    let privacy = latest.device.definition.privateAddress
    if privacy?.kind == .resolvable, let bonded = known.first(where: \.isPaired) {
      return moved(from: latest, to: bonded)
    }
    let advertised = latest.device.airAddress()
    guard latest.isIdle, advertised.address != latest.address else { return latest }
    let next = known.first { $0.address == advertised.address }
    let remote = next ?? make(latest.device, advertised.address, advertised.type, nil)
    if next == nil { remotes.contents[index].append(remote) }
    return moved(from: latest, to: remote)
  }

  /// The current object of the device with this identity address, or with this advertised address.
  func device(_ address: BluetoothAddress) -> RemoteDevice? {
    let own = remotes.contents.firstIndex { $0[0].device.definition.address == address }
    if let own { return current(own) }
    for index in remotes.contents.indices {
      let present = current(index)
      if present.address == address { return present }
    }
    return all.last { $0.address == address }
  }

  /// Transfers the presence to the new object: the device itself is or is not in range.
  private func moved(from old: RemoteDevice, to new: RemoteDevice) -> RemoteDevice {
    guard old !== new else { return new }
    if old.isInAir { new.appear() } else { new.retireAddress() }
    old.retireAddress()
    return new
  }
}

/// One advertisement of one device, by their indices.
struct AdvertisementSlot: Hashable, Sendable {
  let device: Int
  let number: Int
}

extension Air {
  /// The time between two advertisements.
  func interval(_ slot: AdvertisementSlot) -> Duration {
    remotes.contents[slot.device][0].device.advertised(slot.number).interval
  }
}

extension RemoteDevice {
  var isPaired: Bool { state.known.isPaired }

  /// True if a connection to this address would reach the device.
  var isReachable: Bool {
    isInAir && device.isAdvertising && (isPaired || device.airAddress().address == address)
  }

  /// Takes the address out of range for good.
  func retireAddress() { state.isInAir = false }

  /// Reports the identity address in place of the private one: a bonded host can resolve it.
  func reportIdentity() {
    guard device.definition.privateAddress?.kind == .resolvable else { return }
    let definition = device.definition
    let isNew = state.known.address != definition.address
    state.known.identify(definition.address, definition.addressType)
    guard isNew else { return }
    mark(Device1.address)
    mark(Device1.addressType)
  }
}
