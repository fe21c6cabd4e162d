// The names of the operations.

/// The name of the element of an operation. Those of tests come first, in the order of the format.
enum OperationName: String, CaseIterable {
  case scan
  case scanFor = "scan-for"
  case connect
  case discoverServices = "discover-services"
  case refresh
  case disconnect
  case bond
  case unbond
  case assertService = "assert-service"
  case read
  case readDescriptor = "read-descriptor"
  case write
  case writeDescriptor = "write-descriptor"
  case beginReliableWrite = "begin-reliable-write"
  case executeReliableWrite = "execute-reliable-write"
  case abortReliableWrite = "abort-reliable-write"
  case assertNotification = "assert-notification"
  case readRSSI = "read-rssi"
  case requestMTU = "request-mtu"
  case sleep
  case sleepIf = "sleep-if"
  case sleepUntil = "sleep-until"
  case requestConnectionPriority = "request-connection-priority"
  case readPHY = "read-phy"
  case setPreferredPHY = "set-preferred-phy"
  case dfu
  case mcu
  case assertServerService = "assert-server-service"
  case waitForNotification = "wait-for-notification"
  case waitForIndication = "wait-for-indication"
  case waitForRead = "wait-for-read"
  case waitForReadDescriptor = "wait-for-read-descriptor"
  case waitForWrite = "wait-for-write"
  case waitForWriteDescriptor = "wait-for-write-descriptor"
  case waitForExecuteReliableWrite = "wait-for-execute-reliable-write"
  case setValue = "set-value"
  case setDescriptorValue = "set-descriptor-value"
  case sendNotification = "send-notification"
  case sendIndication = "send-indication"
  case waitForPHYUpdate = "wait-for-phy-update"
  case unlockEddystone = "unlock-eddystone"

  /// The elements that are allowed in a test.
  static let ofTests = Array(allCases.prefix { $0 != .assertServerService }).map(\.rawValue)

  /// The elements that are allowed in a macro.
  static let ofMacros = allCases.map(\.rawValue)
}
