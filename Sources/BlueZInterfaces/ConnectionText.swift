// Why a connection failed, as bluetoothd words it inside org.bluez.Error.Failed.

/// The reason in the text `le-connection-…` or `br-connection-…`.
///
/// Since 5.62; before, the texts are those of `strerror`. In practice a failed LE attempt is
/// nearly always ``abortByLocal``: bluetoothd turns every socket failure but an explicit cancel
/// into it.
///
/// - Source: BlueZ 5.66, `src/error.h`, `src/error.c`; `src/device.c` (att_connect_cb).
public struct ConnectionText: RawRepresentable, Hashable, Sendable {
  /// What follows `le-connection-`.
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  public static let invalidArguments = ConnectionText(rawValue: "invalid-arguments")
  public static let adapterNotPowered = ConnectionText(rawValue: "adapter-not-powered")
  public static let notSupported = ConnectionText(rawValue: "not-supported")
  public static let alreadyConnected = ConnectionText(rawValue: "already-connected")
  public static let badSocket = ConnectionText(rawValue: "bad-socket")
  public static let memoryAllocation = ConnectionText(rawValue: "memory-allocation")
  public static let busy = ConnectionText(rawValue: "busy")
  public static let refused = ConnectionText(rawValue: "refused")
  public static let createSocket = ConnectionText(rawValue: "create-socket")
  public static let timeout = ConnectionText(rawValue: "timeout")
  public static let concurrentConnectionLimit = ConnectionText(
    rawValue: "concurrent-connection-limit"
  )
  public static let abortByRemote = ConnectionText(rawValue: "abort-by-remote")
  public static let abortByLocal = ConnectionText(rawValue: "abort-by-local")
  public static let linkLayerProtocolError = ConnectionText(rawValue: "link-layer-protocol-error")
  public static let gattBrowsing = ConnectionText(rawValue: "gatt-browsing")
  /// Since 5.69.
  public static let keyMissing = ConnectionText(rawValue: "key-missing")
  public static let unknown = ConnectionText(rawValue: "unknown")
  /// Also for LE, where it reads `br-connection-canceled`: Disconnect met a pending Connect.
  public static let canceled = ConnectionText(rawValue: "canceled")
  /// BR/EDR only.
  public static let profileUnavailable = ConnectionText(rawValue: "profile-unavailable")
  /// BR/EDR only.
  public static let pageTimeout = ConnectionText(rawValue: "page-timeout")
  /// BR/EDR only.
  public static let sdpSearch = ConnectionText(rawValue: "sdp-search")

  /// Every known text that an LE connection can give.
  public static let lowEnergy: [ConnectionText] = [
    invalidArguments, adapterNotPowered, notSupported, alreadyConnected, badSocket,
    memoryAllocation, busy, refused, createSocket, timeout, concurrentConnectionLimit,
    abortByRemote, abortByLocal, linkLayerProtocolError, gattBrowsing, keyMissing, unknown,
  ]

  /// Parses the text of an error reply; nil when it is none of these.
  public init?(parsing text: String) {
    for prefix in ["le-connection-", "br-connection-"] where text.hasPrefix(prefix) {
      self.init(rawValue: String(text.dropFirst(prefix.count)))
      return
    }
    return nil
  }

  /// `Failed: le-connection-…`
  public var answer: ErrorAnswer { .failed("le-connection-\(rawValue)") }
}

extension ErrorAnswer {
  /// Seen: what a pending Connect gets when Disconnect is called, on LE too.
  public static let connectCanceled = failed("br-connection-canceled")
  /// ConnectProfile on an adapter that has no BR/EDR.
  public static let profileSearchFailed = failed("br-connection-sdp-search")
  /// Seen: what Connect gets, after 40 s, when the device is not there.
  public static let connectAborted = ConnectionText.abortByLocal.answer
}
