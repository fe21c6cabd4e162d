// Encrypted frames: which of their bytes are encrypted, and the nonce.

/// Data encrypted with AES-CCM, with its nonce and tag.
public struct SealedData: Hashable, Sendable {
  /// The nonce, which the key uses for no other frame.
  public let nonce: [UInt8]
  /// Bytes that are authenticated by the tag and not encrypted.
  public let associated: [UInt8]
  /// The encrypted bytes; the plain text has the same length.
  public let octets: [UInt8]
  /// The authentication tag, which is valid only for the right key.
  public let tag: [UInt8]

  /// Data as it was received.
  public init(nonce: [UInt8], associated: [UInt8], octets: [UInt8], tag: [UInt8]) {
    (self.nonce, self.associated, self.octets, self.tag) = (nonce, associated, octets, tag)
  }
}

/// An encrypted frame, parsed.
struct SealedFrame {
  let kind: AdvertisedFormat.Kind
  let service: BluetoothUUID
  /// The address in the frame, else that of the device.
  let address: BluetoothAddress
  /// The head that the frame would have without encryption.
  let head: [UInt8]
  /// Nil when the frame is encrypted in a way that is not supported.
  let data: SealedData?

  /// The length of a tag.
  static let tag = 4

  /// - Returns: Nil for data that is not encrypted, malformed or of another format.
  init?(_ service: BluetoothUUID, _ data: [UInt8], of address: BluetoothAddress) {
    guard
      let frame = BTHome.sealed(service, data, of: address)
        ?? MiBeacon.sealed(service, data, of: address)
    else { return nil }
    self = frame
  }

  init(
    _ kind: AdvertisedFormat.Kind, _ service: BluetoothUUID, _ address: BluetoothAddress,
    head: [UInt8], _ data: SealedData?
  ) {
    self.kind = kind
    self.service = service
    self.address = address
    self.head = head
    self.data = data
  }
}

extension BTHome {
  /// An encrypted frame: the device information, an optional address, the objects, a counter, the
  /// tag.
  ///
  /// - Source: BTHome, "Encryption" (bthome.io/encryption).
  static func sealed(
    _ service: BluetoothUUID,
    _ data: [UInt8],
    of device: BluetoothAddress
  ) -> SealedFrame? {
    guard service == Self.service, let information = data.first, information >> 5 == 2,
      information & 1 == 1
    else { return nil }
    let head = information & 2 != 0 ? 7 : 1
    let count = data.count - head - 4 - SealedFrame.tag
    guard count > 0 else { return nil }
    let address = head == 1 ? device : BluetoothAddress(reversed: data[1..<head])
    let objects = data[head...].prefix(count)
    let rest = data[(head + count)...]
    let sealed = SealedData(
      nonce: address.octets + [0xd2, 0xfc, information] + rest.prefix(4), associated: [],
      octets: Array(objects), tag: Array(rest.suffix(SealedFrame.tag))
    )
    let plain = [information & ~1] + data[1..<head]
    return SealedFrame(.btHome, service, address, head: plain, sealed)
  }
}

extension MiBeacon {
  /// An encrypted frame: the head, the objects, three further bytes of the counter, the tag.
  ///
  /// - Source: MiBeacon, "Service Data" (github.com/MiEcosystem/miio_open); the nonce is that of
  ///   the programs which Xiaomi publishes for devices.
  static func sealed(
    _ service: BluetoothUUID, _ data: [UInt8], of device: BluetoothAddress
  ) -> SealedFrame? {
    guard let head = Head(service, data), head.isEncrypted else { return nil }
    let address = head.address ?? device
    let plain = head.octets(isEncrypted: false)
    guard head.version >= 4 else {
      return SealedFrame(.miBeacon, service, address, head: plain, nil)
    }
    let count = head.rest.count - 3 - SealedFrame.tag
    guard count > 0 else { return nil }
    let further = head.rest.dropFirst(count)
    let sealed = SealedData(
      nonce: address.octets.reversed() + data[2..<5] + further.prefix(3), associated: [0x11],
      octets: Array(head.rest.prefix(count)), tag: Array(further.suffix(SealedFrame.tag))
    )
    return SealedFrame(.miBeacon, service, address, head: plain, sealed)
  }
}

extension BluetoothAddress {
  /// The octets, the first written one first.
  fileprivate var octets: [UInt8] {
    (0..<6).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// An address as it is sent, least significant octet first.
  init(reversed octets: some BidirectionalCollection<UInt8>) {
    self.init(number: UInt64(octets.reversed().bigEndian))
  }
}
