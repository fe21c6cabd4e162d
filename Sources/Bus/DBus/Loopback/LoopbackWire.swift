// The wire of a connection to a bus in memory.

import Signals

struct LoopbackWire: BusWire {
  let bus: LoopbackBus
  let uniqueName: String

  /// Validates a message like libdbus, and duplicates its descriptors like the kernel.
  func send(_ message: Message, _ register: () throws(BusFailure) -> UInt32) throws {
    try message.checkSendable()
    var message = try message.duplicatingDescriptors()
    if let transcode = bus.transcode { message = try transcode(message) }
    message.serial = try register()
    message.sender = uniqueName
    bus.submit(message)
  }

  func close() { bus.removeConnection(uniqueName) }

  /// A constant.
  var machineID: String? { "00000000000000000000000000000001" }
}
