// The name of this host, by which two gateways of one name are told from one that was started again.

import Fleet
import Glibc
import Jobs

/// The host of a gateway.
enum GatewayHost {
  /// The host name, with the beginning of the digest of the machine's identity: copies of an image often have
  /// the same host name.
  static var name: String {
    var buffer = [CChar](repeating: 0, count: 65)
    gethostname(&buffer, 40)
    let octets = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let host = String(decoding: octets, as: UTF8.self).prefix(40)
    return "\(host) (\(ContentHash.digest(of: machine).prefix(8)))"
  }

  /// The identity of the machine as systemd keeps it; empty if it has none.
  private static var machine: String {
    guard let file = fopen("/etc/machine-id", "re") else { return "" }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 64)
    guard fgets(&buffer, 64, file) != nil else { return "" }
    let octets = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return String(decoding: octets, as: UTF8.self)
  }
}
