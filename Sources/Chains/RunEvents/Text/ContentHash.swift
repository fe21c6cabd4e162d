// The hash by which a page allows its own script and style, and digests as text.

import Bluetooth

/// Hashes in the form of a Content-Security-Policy and as digests.
///
/// - Source: W3C Content Security Policy Level 3, 2.3.1 (hash-source); RFC 4648, 4 (Base64).
package enum ContentHash {
  /// The hash source of `text`: `sha256-` and the Base64 of the hash of its UTF-8.
  package static func source(of text: String) -> String {
    "sha256-" + base64(SHA256.digest(of: Array(text.utf8)))
  }

  /// The SHA-256 of the UTF-8 of `text`, in 64 hexadecimal digits.
  package static func digest(of text: String) -> String {
    DecodedValue.octets(SHA256.digest(of: Array(text.utf8))).description
  }

  /// The SHA-256 of bytes, in 64 hexadecimal digits.
  package static func digest(of octets: [UInt8]) -> String {
    DecodedValue.octets(SHA256.digest(of: octets)).description
  }

  package static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place > group.count ? "=" : digits[bits >> (18 - 6 * place) & 63])
      }
    }
    return text
  }
}
