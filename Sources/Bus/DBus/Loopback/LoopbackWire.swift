// The wire to a bus in memory.

import Signals

struct LoopbackWire: BusWire {
  let bus: LoopbackBus
  let uniqueName: String

  /// Checks a message as libdbus does, and copies its descriptors as the kernel does.
  func send(_ message: Message, _ enter: () throws(BusFailure) -> UInt32) throws {
    try message.checkSendable()
    var message = try message.duplicatingDescriptors()
    if let transcode = bus.transcode { message = try transcode(message) }
    message.serial = try enter()
    message.sender = uniqueName
    bus.submit(message)
  }

  func close() { bus.leave(uniqueName) }

  /// A constant.
  var machineID: String? { "00000000000000000000000000000001" }
}
