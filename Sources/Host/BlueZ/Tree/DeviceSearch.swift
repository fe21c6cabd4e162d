// Which of bluetoothd's devices an attempt to connect may use.
//
// Pure: the tree in, devices out. bluetoothd keeps the object of a device that was connected once.
// A device with a private address uses that address for some minutes only; a connect to it fails
// later.

import BlueZInterfaces
import Bluetooth
import DBus

/// A device that a target selects.
struct DeviceMatch: Sendable {
  let path: ObjectPath
  let seen: Advertisement
  /// Whether a name has the case that was written.
  let isExact: Bool

  /// Connected ones come first, then those that discovery sees, the strongest first.
  var nearness: Int { seen.isConnected ? 1000 : seen.rssi ?? -1000 }

  /// The device for people and programs.
  var candidate: DeviceCandidate {
    DeviceCandidate(address: seen.address, name: seen.name, rssi: seen.rssi)
  }
}

/// The search for the device of a target, to connect to it.
struct DeviceSearch: Sendable {
  let target: DeviceTarget
  let adapter: ObjectPath
  /// The object that the last attempt could not connect to.
  var failed: ObjectPath?
  /// Several devices are a failure.
  var isUnique = false
  /// The only address that is used, of the devices that the target selects; nil: any.
  var only: BluetoothAddress?

  /// Whether several devices may match, of which the strongest is to be used. An address is one
  /// device, and any device is the first that is found.
  var mayMatchSeveral: Bool {
    switch target {
    case .name, .alias, .service, .seen: true
    case .address, .any: false
    }
  }

  /// The devices that may be connected to, the best first.
  ///
  /// One that may have moved to another address is none, and neither is one whose name has another
  /// case than one that has the case as written. An address that was asked for is what it is.
  private func candidates(in tree: ObjectTree) -> [DeviceMatch] {
    let matches = tree.matches(target, of: adapter).filter { isAllowed($0.seen) }
    if case .address = target { return matches }
    let present = matches.filter { !$0.seen.mayHaveMoved }
    return present.filter { $0.isExact == present.first?.isExact }
  }

  /// The device that can be connected to without a scan: the connected one, or the only one. Of
  /// several, a scan finds out which is the strongest.
  func known(in tree: ObjectTree) -> ObjectPath? {
    let candidates = candidates(in: tree).filter { !hasFailed($0) }
    guard let first = candidates.first else { return nil }
    if !mayMatchSeveral { return first.path }
    let isDecided = first.seen.isConnected || candidates.count == 1
    return isDecided && !isUnique ? first.path : nil
  }

  /// The devices that a scan has received, the best first.
  ///
  /// A connected one does not advertise, and the only one of which bluetoothd knows need not. One
  /// that may have moved since the last attempt is used when there is no other. A device that was seen
  /// before is the one at its address, if that is received.
  func received(in tree: ObjectTree) -> [DeviceMatch] {
    let candidates = candidates(in: tree)
    let seen = candidates.filter { $0.seen.rssi != nil || $0.seen.isConnected }
    let present = seen.isEmpty && (candidates.count == 1 || !mayMatchSeveral) ? candidates : seen
    let sure = present.filter { !hasFailed($0) }
    let usable = sure.isEmpty ? present : sure
    guard case .seen(let address, _) = target,
      let same = usable.first(where: { $0.seen.address == address })
    else { return usable }
    return [same]
  }

  /// Whether the device may be connected to without a scan: the one that was used before.
  func isStillThere(_ device: ObjectPath, in tree: ObjectTree) -> Bool {
    guard device.parent == adapter, let seen = tree.advertisement(of: device) else { return false }
    guard isAllowed(seen) else { return false }
    if case .address = target { return true }
    return !seen.mayHaveMoved && !(failed == device && seen.isMovable)
  }

  /// Whether discovery has found a device.
  ///
  /// - Parameter count: ``ObjectTree/deviceChanges`` when the caller looked before and found none;
  ///   nil for the first look. When every device has to be checked, only the one that has changed
  ///   since is.
  func hasFound(in tree: ObjectTree, unseenAt count: UInt64?) -> Bool {
    if let count, tree.deviceChanges - count <= 1, tree.indexed(target) == nil {
      guard tree.deviceChanges > count, let last = tree.lastDevice, last.parent == adapter,
        let changed = tree.advertisement(of: last), target.matches(changed)
      else { return false }
    }
    return !received(in: tree).isEmpty
  }

  private func isAllowed(_ seen: Advertisement) -> Bool { only.map { $0 == seen.address } ?? true }

  /// Whether the last attempt failed with a device that may have moved since.
  private func hasFailed(_ match: DeviceMatch) -> Bool {
    if case .address = target { return false }
    return match.path == failed && match.seen.isMovable
  }
}

extension Advertisement {
  /// Whether the device may change its address now; a connection keeps it.
  fileprivate var isMovable: Bool { changesAddress && !isConnected }

  /// Whether nothing shows that the device is still at that address.
  fileprivate var mayHaveMoved: Bool { isMovable && rssi == nil }
}
