// The reasons of failed connections, as bluetoothd words them inside org.bluez.Error.Failed.

/// The reason in the text `le-connection-…` or `br-connection-…`.
///
/// Since 5.62; before, the texts are those of `strerror`. In practice a failed LE attempt is
/// nearly always ``abortByLocal``: bluetoothd turns every socket failure but an explicit cancel
/// into it.
///
/// - Source: BlueZ 5.66, `src/error.h`, `src/error.c`; `src/device.c` (att_connect_cb).
package struct ConnectionText: RawRepresentable, Hashable, Sendable {
  /// The text after `le-connection-`.
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  package static let invalidArguments = ConnectionText(rawValue: "invalid-arguments")
  package static let adapterNotPowered = ConnectionText(rawValue: "adapter-not-powered")
  package static let notSupported = ConnectionText(rawValue: "not-supported")
  package static let alreadyConnected = ConnectionText(rawValue: "already-connected")
  package static let badSocket = ConnectionText(rawValue: "bad-socket")
  package static let memoryAllocation = ConnectionText(rawValue: "memory-allocation")
  package static let busy = ConnectionText(rawValue: "busy")
  package static let refused = ConnectionText(rawValue: "refused")
  package static let createSocket = ConnectionText(rawValue: "create-socket")
  package static let timeout = ConnectionText(rawValue: "timeout")
  package static let concurrentConnectionLimit = ConnectionText(
    rawValue: "concurrent-connection-limit"
  )
  package static let abortByRemote = ConnectionText(rawValue: "abort-by-remote")
  package static let abortByLocal = ConnectionText(rawValue: "abort-by-local")
  package static let linkLayerProtocolError = ConnectionText(rawValue: "link-layer-protocol-error")
  package static let gattBrowsing = ConnectionText(rawValue: "gatt-browsing")
  /// Since 5.69.
  package static let keyMissing = ConnectionText(rawValue: "key-missing")
  package static let unknown = ConnectionText(rawValue: "unknown")
  /// Disconnect was called during a pending Connect. Also for LE, where the text is
  /// `br-connection-canceled`.
  package static let canceled = ConnectionText(rawValue: "canceled")
  /// BR/EDR only.
  package static let profileUnavailable = ConnectionText(rawValue: "profile-unavailable")
  /// BR/EDR only.
  package static let pageTimeout = ConnectionText(rawValue: "page-timeout")
  /// BR/EDR only.
  package static let sdpSearch = ConnectionText(rawValue: "sdp-search")

  /// Every known text that an LE connection can give.
  package static let lowEnergy: [ConnectionText] = [
    invalidArguments, adapterNotPowered, notSupported, alreadyConnected, badSocket,
    memoryAllocation, busy, refused, createSocket, timeout, concurrentConnectionLimit,
    abortByRemote, abortByLocal, linkLayerProtocolError, gattBrowsing, keyMissing, unknown,
  ]

  /// Whether the text is known from the source of a BlueZ release.
  package var isKnown: Bool {
    Self.lowEnergy.contains(self)
      || [Self.canceled, Self.profileUnavailable, Self.pageTimeout, Self.sdpSearch].contains(self)
  }

  /// Parses the text of an error reply; nil for any other text.
  package init?(parsing text: String) {
    for prefix in ["le-connection-", "br-connection-"] where text.hasPrefix(prefix) {
      self.init(rawValue: String(text.dropFirst(prefix.count)))
      return
    }
    return nil
  }

  /// `Failed: le-connection-…`
  package var answer: ErrorAnswer { .failed("le-connection-\(rawValue)") }
}

extension ErrorAnswer {
  /// Seen in replies to a pending Connect when Disconnect is called, even on LE.
  package static let connectCanceled = failed("br-connection-canceled")
  /// ConnectProfile on an adapter that has no BR/EDR.
  package static let profileSearchFailed = failed("br-connection-sdp-search")
  /// Seen: the reply to Connect, after 40 s, if the device is not in range.
  package static let connectAborted = ConnectionText.abortByLocal.answer
}
