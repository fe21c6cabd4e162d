// What the answers of a controller and of the kernel mean, and which failures they become.

import Bluetooth

enum ControllerAnswer {
  /// The value that a controller reports for "not known".
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4.
  private static let unknownLevel = 127

  /// The level in dBm that a controller reported for a connection.
  ///
  /// - Throws: ``DeviceFailure`` when it reported none.
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
          meaning: "the controller does not report it",
          hint: "use another adapter"
        )
      }
      return level
    }
  }

  /// The return parameters of the answer to a management command.
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
      meaning: "the kernel has no connection to it",
      hint: "connect first"
    )
  }

  /// No trace is running that could see the events of the controllers.
  static func untraced(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .timingUnknown,
      class: .unavailable,
      operation: operation,
      meaning: "the parameters are unknown: a controller reports them when a connection is made or "
        + "updated, and they cannot be read later",
      hint: "run with --trace FILE, which needs CAP_NET_RAW"
    )
  }

  /// A trace is running, and the connection was made before it started.
  static func madeUntraced(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .timingUnknown,
      class: .unavailable,
      operation: operation,
      meaning: "the parameters are unknown: the connection was made before the trace started, or "
        + "to a private address of the device",
      hint: "disconnect the device first, so that this run makes the connection"
    )
  }

  static func noAdapter(_ name: String, _ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .adapterMissing,
      class: .unavailable,
      operation: operation,
      meaning: "unknown adapter '\(name)'",
      hint: "blerun adapters lists them"
    )
  }
}
