// What the answers of a controller and of the kernel mean, and the failures they stand for.

import Bluetooth

enum ControllerAnswer {
  /// What a controller tells for "not known".
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4.
  private static let unknownLevel = 127

  /// The level in dBm that a controller told for a connection.
  ///
  /// - Throws: ``DeviceFailure`` when it told none.
  static func level(
    _ answer: HCIAnswer,
    handle: UInt16,
    _ operation: String
  ) throws(DeviceFailure) -> Int {
    switch answer {
    case .refused(.unknownConnection): throw noLink(operation)
    case .refused(let status):
      throw DeviceFailure(
        code: status == .unknownCommand ? .notSupported : .refused,
        class: .definite,
        operation: operation,
        meaning: "the controller answered \(status)",
        hint: ""
      )
    case .done(let parameters):
      var reader = FrameReader(parameters)
      guard reader.uint16() == handle, let level = reader.signed(), level != unknownLevel else {
        throw DeviceFailure(
          code: .notSupported,
          class: .definite,
          operation: operation,
          meaning: "the controller does not know it",
          hint: "use another adapter"
        )
      }
      return level
    }
  }

  /// The parameters of an answer to a management command.
  static func done(
    _ answer: ManagementAnswer,
    _ operation: String
  ) throws(DeviceFailure) -> [UInt8] {
    switch answer {
    case .done(let parameters): return parameters
    case .refused(let status):
      throw DeviceFailure(
        code: .refused,
        class: .unavailable,
        operation: operation,
        meaning: "the kernel's management interface answered status \(status)",
        hint: "see doc/mgmt-api.txt of BlueZ"
      )
    }
  }

  static func noLink(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .notConnected,
      class: .passing,
      operation: operation,
      meaning: "the kernel has no link to it",
      hint: "connect first"
    )
  }

  /// Nobody listens to what controllers tell.
  static func untraced(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .timingUnknown,
      class: .unavailable,
      operation: operation,
      meaning: "it is not known here: a controller tells it as a link is made, to those who listen "
        + "to its traffic, and cannot be asked",
      hint: "run with --trace FILE, which needs CAP_NET_RAW"
    )
  }

  /// Somebody listens, and has not heard of this link.
  static func madeUnheard(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .timingUnknown,
      class: .unavailable,
      operation: operation,
      meaning: "it is not known here: the link was made before the trace began, or to a private "
        + "address of the device",
      hint: "disconnect the device first, so that this run makes the link"
    )
  }

  static func noAdapter(_ name: String, _ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .adapterMissing,
      class: .unavailable,
      operation: operation,
      meaning: "'\(name)' is no adapter of the kernel",
      hint: "blerun adapters lists them"
    )
  }
}
