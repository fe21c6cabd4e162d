// The errors with which an SMP server refuses requests, and their meanings.
//
// Pure.

/// The error in a response: its group, its code and the meaning.
///
/// - Source: Zephyr documentation, "SMP Protocol Specification"; Zephyr,
///   `include/zephyr/mgmt/mcumgr/mgmt/mgmt_defines.h`, `grp/img_mgmt/img_mgmt.h`,
///   `grp/os_mgmt/os_mgmt.h`.
package struct SMPRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The group that defines the code; nil for a code of the protocol itself.
  package let group: UInt16?
  package let code: Int64

  package init(group: UInt16? = nil, code: Int64) {
    self.group = group
    self.code = code
  }

  /// The error in the body of a response; nil if the request succeeded.
  package init?(_ body: CBORValue) {
    if let error = body["err"], let code = error["rc"]?.integer, code != 0 {
      self.init(group: error["group"]?.integer.flatMap { UInt16(exactly: $0) }, code: code)
    } else if let code = body["rc"]?.integer, code != 0 {
      self.init(code: code)
    } else {
      return nil
    }
  }

  /// Whether the device may accept the same request later.
  package var isTransient: Bool { group == nil && Self.transient.contains(code) }
  /// A timeout, or a device that is busy.
  private static let transient: Set<Int64> = [4, 10]

  /// The meaning; nil for an unknown code.
  package var meaning: String? {
    let names: [String] =
      switch group {
      case nil: Self.ofProtocol
      case 0?: Self.ofSystem
      case 1?: Self.ofImages
      // open: numbers of groups
      case _?: []
      }
    return code > 0 && code < names.count ? names[Int(code)] : nil
  }

  package var description: String {
    let number = (group.map { "group \($0), " } ?? "") + "code \(code)"
    return meaning.map { "\($0) (\(number))" } ?? "unknown error (\(number))"
  }

  private static let ofProtocol = [
    "no error", "unknown error", "out of memory", "invalid value", "timed out", "no such entry",
    "not possible in the current state", "the response is too long", "not supported",
    "the data is corrupt", "the device is busy", "access denied", "the protocol is too old",
    "the protocol is too new",
  ]
  private static let ofSystem = [
    "no error", "unknown error", "invalid format", "the query has no answer",
    "the clock is not set",
    "the command to the clock failed", "the answer to the query is invalid",
  ]
  private static let ofImages = [
    "no error", "unknown error", "the flash area cannot be read", "there is no image in the slot",
    "the image has no trailer", "the trailer of the image is invalid",
    "the trailer of the image has several hashes", "the trailer of the image has a wrong length",
    "there is no image with this hash", "there is no free slot", "the flash cannot be opened",
    "the flash cannot be read", "the flash cannot be written", "the flash cannot be erased",
    "there is no such slot", "out of memory", "an upload is in progress",
    "no upload is in progress",
    "there is no flash", "the page of the flash is invalid", "the offset is missing or invalid",
    "the length is missing or invalid", "the header of the image is invalid",
    "the data is no image", "the hash is invalid", "the address of the image is invalid",
    "the version of the running image is unknown", "the running image is not older",
    "another image is pending", "the vector table of the image is invalid",
    "the image is too large for the slot", "there is more data than announced",
    "the image may not be confirmed", "the running image cannot be tested",
    "the running slot is unknown",
  ]
}
