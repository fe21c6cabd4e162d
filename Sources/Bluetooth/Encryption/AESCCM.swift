// AES-CCM by libcrypto.
//
// The module Bluetooth decides what is encrypted, and with which nonce.

package import Bluetooth
import CCrypto

/// AES with a key of 128 bits in the mode CCM, which finds out whether the key fits.
package enum AESCCM {
  /// Decrypts data.
  ///
  /// - Parameters:
  ///   - sealed: The data, with a nonce of 7 to 13 bytes and a tag of 4 to 16, in even numbers.
  ///   - key: 16 bytes.
  /// - Returns: The plain bytes; nil when the tag does not fit.
  /// - Precondition: `key` has 16 bytes.
  package static func open(_ sealed: SealedData, key: [UInt8]) -> [UInt8]? {
    precondition(key.count == 16, "a key of AES-128 has 16 bytes")
    var cipher = Cipher()
    return cipher.open(sealed, key)
  }
}

/// The owner of a cipher of libcrypto.
private struct Cipher: ~Copyable {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_CIPHER_CTX_new() else { fatalError("no memory is left") }
    self.context = context
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  /// - Source: OpenSSL, EVP_EncryptInit(3), "CCM Mode": the lengths first, then the key, the length of
  ///   the data, what is authenticated alone, and the data, whose decryption checks the tag.
  mutating func open(_ sealed: SealedData, _ key: [UInt8]) -> [UInt8]? {
    var (tag, count) = (sealed.tag, Int32(0))
    var plain = [UInt8](repeating: 0, count: sealed.octets.count)
    let length = Int32(sealed.octets.count)
    guard EVP_DecryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
      set(EVP_CTRL_AEAD_SET_IVLEN, Int32(sealed.nonce.count), nil),
      set(EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag),
      EVP_DecryptInit_ex(context, nil, nil, key, sealed.nonce) == 1,
      EVP_DecryptUpdate(context, nil, &count, nil, length) == 1,
      isAuthenticated(sealed.associated),
      EVP_DecryptUpdate(context, &plain, &count, sealed.octets, length) == 1
    else { return nil }
    return plain
  }

  private func set(_ what: Int32, _ count: Int32, _ octets: UnsafeMutableRawPointer?) -> Bool {
    EVP_CIPHER_CTX_ctrl(context, what, count, octets) == 1
  }

  private func isAuthenticated(_ octets: [UInt8]) -> Bool {
    var count: Int32 = 0
    return octets.isEmpty
      || EVP_DecryptUpdate(context, nil, &count, octets, Int32(octets.count)) == 1
  }
}
