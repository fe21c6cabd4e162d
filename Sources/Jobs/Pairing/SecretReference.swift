// The source of a chain's passkey or PIN, and how to read it.

public import Bluetooth
import Glibc

/// A passkey or PIN of a chain. Its description is its source, never the secret itself.
public struct SecretReference: Hashable, Sendable, CustomStringConvertible {
  /// Where a secret is read from.
  public enum Source: Hashable, Sendable {
    /// An environment variable.
    case environment(String)
    /// The first line of a file.
    case file(String)
    /// It is in the chain file, where others may read it.
    case written
  }

  /// Where it is read from.
  public let source: Source
  /// Nil until it is read.
  public private(set) var secret: Secret?

  /// Refers to a secret that is read later.
  ///
  /// ```swift
  /// let passkey = SecretReference(.file("/run/credentials/lock/passkey"))
  /// ```
  public init(_ source: Source) {
    self.source = source
    secret = nil
  }

  /// A secret in a chain file.
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

  /// `env:NAME`, `file:PATH`.
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
  /// - Throws: ``SecretError``, which does not contain the secret.
  public func read() throws(SecretError) -> Secret {
    if let secret { return secret }
    let text: String
    switch source {
    case .environment(let name):
      guard let value = getenv(name) else {
        throw SecretError(problem: "the environment variable \(name) is not set")
      }
      text = String(cString: value)
    case .file(let path): text = try Self.firstLine(of: path)
    case .written: throw SecretError(problem: "the secret is not set")
    }
    let secret = Secret(text)
    guard secret.isPIN else {
      throw SecretError(
        problem: "\(self) is not a passkey or PIN: 1 to 16 bytes, a passkey up to six digits"
      )
    }
    return secret
  }

  /// The reference with its secret read, so that later changes have no effect.
  func resolved() throws(SecretError) -> SecretReference {
    var resolved = self
    resolved.secret = try read()
    return resolved
  }

  private static func firstLine(of path: String) throws(SecretError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw SecretError(problem: "\(path) cannot be read: \(reason)")
    }
    defer { close(descriptor) }
    // A valid secret is shorter.
    var octets = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &octets, octets.count)
    guard count >= 0 else {
      let reason = String(cString: strerror(errno))
      throw SecretError(problem: "\(path) cannot be read: \(reason)")
    }
    let line = octets.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return String(decoding: line, as: UTF8.self)
  }
}

/// Why a secret could not be read.
public struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which secret, and why it could not be read; never the secret.
  public let problem: String

  public var description: String { problem }
}
