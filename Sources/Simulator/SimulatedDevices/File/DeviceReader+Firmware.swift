// The key `firmware` of a device file: firmware that is replaced over SMP.

import Bluetooth
import Documents

extension DeviceReader {
  static let firmwareForm = DeviceForm<FirmwareDefinition>(
    "Firmware that is replaced over SMP.", FirmwareDefinition(),
    [
      DeviceKey("version", \.version, versionShape, "the version of the image that runs at first"),
      DeviceKey("board", \.board, .name, usual: "none", "the board that it states to `os info`"),
      DeviceKey("slot-size", \.slotSize, .integer(1024...16_777_216), "the bytes of a slot"),
      DeviceKey(
        "buffer", \.buffer, .integer(64...65_543),
        "the longest frame that it receives, in bytes; longer ones are dropped"
      ),
      DeviceKey(
        "buffers", \.buffers, .integer(1...64),
        "how many frames it holds; more at once are dropped"
      ),
      DeviceKey("work", \.work, .delay, "how long it takes to respond to a frame"),
      DeviceKey("restart", \.restart, .period, "how long it is gone after a reset"),
      DeviceKey(
        "refuses", \.isRefusing, .truth, "whether it refuses every image, as one for another board"
      ),
      DeviceKey(
        "new-image", \.start, .word,
        "what a new image does: it runs, never advertises, or crashes and is replaced by the one before"
      ),
      DeviceKey(
        "next-address", \.nextAddress, .address, usual: "its own",
        "the address under which it advertises after an update"
      ),
    ]
  )

  private static let versionShape = DeviceShape<FirmwareVersion>(
    "a version such as 1.2.3, or 1.2.3.4 with a build number",
    schema: Schema([
      "type": "string", "pattern": "^[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,5}(\\.[0-9]{1,10})?$",
    ]),
    shown: { "\($0)" }
  ) { node, _ in node.text.flatMap { FirmwareVersion($0) } }

  static let firmwareShape = Shape.mapping(firmwareForm).named("firmware")

  /// Reports firmware of a device without the characteristic of SMP.
  mutating func checkFirmware(in device: DeviceDefinition, _ node: Node) {
    guard device.firmware != nil, let firmware = node.value(of: "firmware") else { return }
    let isServed = device.services.flatMap(\.characteristics).contains { characteristic in
      characteristic.uuid == SMPFrame.characteristic
        && characteristic.properties.isSuperset(of: [.writeWithoutResponse, .notify])
    }
    guard !isServed else { return }
    problems.append(
      firmware.problem(
        "the device has no characteristic mcumgr-smp to replace its firmware with",
        expected: "one with the properties [write-without-response, notify]"
      )
    )
  }
}
