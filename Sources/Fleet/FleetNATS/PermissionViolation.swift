// The server's report that a user may not publish or subscribe to a subject.
//
// It is not a reply and names only the subject, so the sender must be found by the subject.

/// A refusal by the server.
public struct PermissionViolation: Equatable, Sendable, CustomStringConvertible {
  /// The action that needs a permission.
  public enum Action: String, CaseIterable, Sendable {
    case publish = "Publish"
    case subscribe = "Subscription"
  }

  /// The refused action.
  public let action: Action
  /// The subject that the user has no permission for.
  public let subject: String

  /// Parses the error of the server: `Permissions Violation for Publish to "$KV.a.b"`.
  ///
  /// - Returns: Nil for any other error.
  public init?(_ text: String) {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    let action = Action.allCases.first { action in
      parts.first.map { $0.hasSuffix("Permissions Violation for \(action.rawValue) to ") } ?? false
    }
    guard parts.count >= 3, let action, !parts[1].isEmpty else { return nil }
    self.action = action
    subject = String(parts[1])
  }

  public var description: String {
    switch action {
    case .publish: "the server does not let this user publish to \(subject)"
    case .subscribe: "the server does not let this user subscribe to \(subject)"
    }
  }
}
