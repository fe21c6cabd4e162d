// What an assigned name in a device file may stand for.

import Bluetooth

/// A kind of attribute whose UUIDs have assigned names.
enum AssignedKind: String {
  case service, characteristic, descriptor

  func uuid(named text: String) -> BluetoothUUID? {
    switch self {
    case .service: AssignedNumbers.service(named: text)
    case .characteristic: AssignedNumbers.characteristic(named: text)
    case .descriptor: AssignedNumbers.descriptor(named: text)
    }
  }

  /// The assigned name that may be meant.
  func nearest(to text: String) -> String? {
    switch self {
    case .service: AssignedNumbers.nearestService(to: text)
    case .characteristic: AssignedNumbers.nearestCharacteristic(to: text)
    case .descriptor: AssignedNumbers.nearestDescriptor(to: text)
    }
  }
}
