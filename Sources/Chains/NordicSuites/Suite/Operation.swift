// One operation of a test, as read from the suite.
//
// OperationRun performs it.

import Bluetooth
import Documents

/// An operation: its action, target, timeout and expected result.
struct Operation: Hashable, Sendable {
  /// The name of the element: `assert-service`.
  let name: String
  /// The description, or else the name.
  let title: String
  let place: Place
  /// The target; nil for the target of the test.
  var target: String?
  /// The timeout, or the time of a scan or sleep; nil for the default. See ``hasNoTimeout`` for zero.
  var timeout: Duration?
  var expected = ExpectedResult.success
  /// The error code that an expected failure must have; nil for any failure.
  var errorCode: Int?
  let action: Action

  indirect enum Action: Hashable, Sendable {
    case scan(AdvertisementFilter)
    /// Ends at the first match, and binds a target to it.
    case scanFor(AdvertisementFilter, bind: String?)
    case sleep
    /// An operation that this host cannot perform.
    case unsupported(Unsupported)
    /// An operation on a device.
    case device(DeviceAction)
    /// An operation on an attribute of a device.
    case attribute(AttributePath, AttributeAction)
  }

  enum DeviceAction: Hashable, Sendable {
    case connect, discoverServices, refresh, disconnect, bond, unbond
    case assertService(ServiceAssertion)
    case beginReliableWrite, executeReliableWrite, abortReliableWrite
    case readRSSI(StrengthAssertion?)
    case requestMTU(Int)
    case requestPriority(ConnectionPriority)
    case readPHY(PHYAssertion?)
    case changePHY(PHY)
  }

  enum AttributeAction: Hashable, Sendable {
    case read(ValueAssertion?)
    /// - Parameter isCommand: Whether it is a Write Command, without response.
    case write([UInt8], isCommand: Bool)
    /// Runs the trigger, if any, and waits for the next notification or indication.
    case awaitNotification(trigger: Operation?, ValueAssertion?)
    /// Waits while the last known value equals this one, or else until it does.
    case sleepWhile([UInt8], isEqual: Bool)
  }
}

/// The `type` of `request-connection-priority`.
enum ConnectionPriority: String, Hashable, Sendable, CaseIterable {
  case lowPower = "LOW_POWER"
  case balanced = "BALANCED"
  case high = "HIGH"

  /// The parameters that Android requests, with the longest interval of its range.
  ///
  /// - Source: Android, `BluetoothGatt.requestConnectionPriority`: 100 to 125 ms, 30 to 50 ms, 11.25
  ///   to 15 ms.
  var parameters: ConnectionParameters {
    let (interval, latency) =
      switch self {
      case .lowPower: (125, 2)
      case .balanced: (50, 0)
      case .high: (15, 0)
      }
    return ConnectionParameters(
      interval: .milliseconds(interval), latency: latency, supervisionTimeout: .seconds(5)
    )
  }
}

extension PHY {
  /// The PHY's name in suites.
  var nameInSuites: String {
    switch self {
    case .oneMegabit: "LE_1M"
    case .twoMegabit: "LE_2M"
    case .coded: "LE_CODED"
    }
  }
}

extension Operation.Action {
  /// Returns the action of `set-preferred-phy`.
  ///
  /// A phone names the PHYs that it would use, and its controller chooses. Here, the fastest PHY
  /// that both directions allow is requested.
  ///
  /// - Parameters:
  ///   - tx: The PHYs on which the host may transmit; nil: any.
  ///   - rx: The PHYs on which the device may transmit; nil: any.
  static func preferredPHY(tx: [PHY]?, rx: [PHY]?) -> Self {
    // Without a preference nothing is to be changed.
    guard let either = tx ?? rx else { return .device(.readPHY(nil)) }
    let common = either.filter { rx?.contains($0) ?? true }
    let fastest = [PHY.twoMegabit, .oneMegabit, .coded].first { common.contains($0) }
    return fastest.map { .device(.changePHY($0)) } ?? .unsupported(.differentPHYs)
  }
}

/// The reason why this host cannot perform an operation.
struct Unsupported: Hashable, Sendable {
  /// A clause: "blerun sends no firmware images".
  let reason: String
  /// A hint what to do instead; may be empty.
  var hint = ""
}

/// The `expected` of an operation or an assertion.
///
/// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests.
enum ExpectedResult: String, Hashable, Sendable, CaseIterable {
  case success = "SUCCESS"
  /// Success is expected; a failure is only a warning.
  case successOrWarning = "SUCCESS_WARNING_ON_FAIL"
  case failure = "FAIL"
  /// Failure is expected; a success is only a warning.
  case failureOrWarning = "FAIL_WARNING_ON_SUCCESS"

  /// Whether a failure is expected.
  var isFailure: Bool { self == .failure || self == .failureOrWarning }

  /// Whether an unexpected result is only a warning.
  var isLenient: Bool { self == .successOrWarning || self == .failureOrWarning }
}

extension Operation {
  /// The attribute; nil for operations without one.
  var path: AttributePath? { if case .attribute(let path, _) = action { path } else { nil } }

  /// The characteristic whose notification the operation waits for; nil for other operations.
  var listened: AttributePath? {
    guard case .attribute(let path, let action) = action else { return nil }
    switch action {
    case .awaitNotification, .sleepWhile: return path
    case .read, .write: return nil
    }
  }

  /// Whether its timeout is 0, which is no timeout; the time of a scan or sleep may be 0.
  ///
  /// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests, which
  ///   says "0 (no timeout)" of `sleep-if` and `sleep-until`, and nothing else of the others.
  var hasNoTimeout: Bool {
    switch action {
    case .scan, .sleep: false
    case .scanFor, .unsupported, .device, .attribute: timeout == .zero
    }
  }

  var isScan: Bool {
    switch action {
    case .scan, .scanFor: true
    case .sleep, .unsupported, .device, .attribute: false
    }
  }

  /// Whether it is performed on a device.
  var needsDevice: Bool {
    switch action {
    case .device, .attribute: true
    case .scan, .scanFor, .sleep, .unsupported: false
    }
  }

  /// Whether this host cannot perform it, at all or on this attribute.
  var isUnsupported: Bool {
    switch action {
    case .unsupported: true
    case .device(.assertService(let assertion)): assertion.uuid == .genericAccess
    case .attribute(let path, .awaitNotification(let trigger, _)):
      path.service == .genericAccess || trigger?.isUnsupported == true
    case .attribute(let path, _): path.service == .genericAccess
    case .scan, .scanFor, .sleep, .device: false
    }
  }

  /// Returns the value that the operation writes to the Client Characteristic Configuration of a
  /// characteristic; nil for other operations.
  func configures(_ characteristic: AttributePath) -> [UInt8]? {
    guard case .attribute(let path, .write(let value, _)) = action, path.isSubscription,
      path.ofCharacteristic == characteristic
    else { return nil }
    return value
  }
}
