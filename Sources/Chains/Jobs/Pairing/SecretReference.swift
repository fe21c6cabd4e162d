// The source of a chain's passkey, and the code that reads it.

public import Bluetooth
public import Documents
import Glibc

/// A passkey of a chain. Its description is the source, never the passkey itself.
public struct SecretReference: Hashable, Sendable, CustomStringConvertible {
  public enum Source: Hashable, Sendable {
    /// An environment variable.
    case environment(String)
    /// The first line of a file.
    case file(String)
    /// The chain file itself, which other users may be able to read.
    case written
  }

  public let source: Source
  /// The secret; nil until it is read.
  public private(set) var secret: Secret?

  /// Creates a reference to a secret that is read later.
  ///
  /// ```swift
  /// let passkey = SecretReference(.file("/run/credentials/lock/passkey"))
  /// ```
  public init(_ source: Source) {
    self.source = source
    secret = nil
  }

  /// Creates a secret that is written in a chain.
  ///
  /// Prefer an environment variable or a file.
  ///
  /// ```swift
  /// let passkey = SecretReference(written: Secret("123456"))
  /// ```
  public init(written secret: Secret) {
    source = .written
    self.secret = secret
  }

  /// The source, `env:NAME` or `file:PATH`; a mask for a written secret.
  public var description: String {
    switch source {
    case .environment(let name): "env:\(Quoting.quoted(name))"
    case .file(let path): "file:\(Quoting.quoted(path))"
    case .written: Secret.mask
    }
  }

  /// Reads the secret.
  ///
  /// ```swift
  /// let secret = try SecretReference(.environment("PASSKEY")).read()
  /// print(secret.passkey != nil)  // the secret itself is never printed
  /// ```
  ///
  /// - Throws: `Problem`, which does not contain the secret.
  public func read() throws(Problem) -> Secret {
    let secret = if let secret { secret } else { try readFromSource() }
    guard secret.passkey != nil else {
      throw Problem("\(self) is not a passkey: expected up to six digits")
    }
    return secret
  }

  private func readFromSource() throws(Problem) -> Secret {
    switch source {
    case .environment(let name):
      guard let value = getenv(name) else {
        throw Problem("the environment variable \(name) is not set")
      }
      return Secret(String(cString: value))
    case .file(let path): return Secret(try Self.firstLine(of: path))
    case .written: throw Problem("the secret is not set")
    }
  }

  /// Returns the reference with its secret loaded; later changes of the source have no effect.
  func resolved() throws(Problem) -> SecretReference {
    var resolved = self
    resolved.secret = try read()
    return resolved
  }

  private static func firstLine(of path: String) throws(Problem) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw Problem("\(path) cannot be read: \(reason)")
    }
    defer { close(descriptor) }
    // Longer than any valid secret, including spaces around it.
    var octets = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &octets, octets.count)
    guard count >= 0 else {
      let reason = String(cString: strerror(errno))
      throw Problem("\(path) cannot be read: \(reason)")
    }
    // Editors may add a byte order mark, and trailing spaces are invisible.
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = octets.prefix(count).dropFirst(octets.starts(with: mark) ? mark.count : 0)
    let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let isBlank = { (octet: UInt8) in octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") }
    let trimmed = line.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: Array(trimmed), as: UTF8.self)
  }
}
