// The replaceable firmware of a device: packets to it, its responses, and its start.

import Bluetooth

extension DeviceState {
  /// The delay between the response to a reset and the reset.
  private static let resetDelay = Duration.milliseconds(100)
  /// Firmware Revision String.
  private static let revision = BluetoothUUID(short: 0x2a26)

  /// Passes a packet to the firmware; nil: it is for another characteristic.
  mutating func receiveFirmware(_ packet: [UInt8], on index: Int) -> [DeviceAction]? {
    guard let work = firmware?.definition.work,
      characteristics[index].attribute.entry.uuid == SMPFrame.characteristic
    else { return nil }
    guard let reply = firmware?.receive(packet) else { return [] }
    let answer = after(work, .answer(characteristic: index, frame: reply.frame))
    guard reply.resets, let restart = firmware?.definition.restart else { return [answer] }
    return [answer, after(work + Self.resetDelay, .leave(absence: restart))]
  }

  /// Sends a response, in as many notifications as it needs.
  mutating func answerFirmware(
    _ frame: [UInt8], on index: Int
  ) -> (answer: (handle: UInt16, value: [UInt8])?, actions: [DeviceAction]) {
    firmware?.finish()
    let size = max(1, mtu - 3)
    let parts = stride(from: 0, to: frame.count, by: size).map { start in
      Array(frame[start..<min(start + size, frame.count)])
    }
    characteristics[index].stored = parts.last ?? []
    return (
      sent(index, parts.first ?? []),
      parts.dropFirst().map { after(.zero, .send(characteristic: index, value: $0)) }
    )
  }

  /// Starts the firmware after the device was away.
  mutating func startFirmware() {
    firmware?.start()
    showFirmwareVersion()
  }

  /// Stores the version that runs in the Firmware Revision String, if the device has one.
  mutating func showFirmwareVersion() {
    guard let firmware,
      let index = table.indices(of: CharacteristicSelector(characteristic: Self.revision)).first
    else { return }
    characteristics[index].stored = Array("\(firmware.version)".utf8)
  }
}
