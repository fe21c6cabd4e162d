// The owner of a well-known name, and the queue of the clients that requested it.
//
// A pure queue for one name, as specified.

/// The claims on one name: the first belongs to the owner.
///
/// - Source: D-Bus Specification 0.41, "org.freedesktop.DBus.RequestName".
struct NameClaims: Sendable {
  private struct Claim: Sendable {
    let client: String
    var flags: NameRequestFlags
  }

  private var claims: [Claim] = []

  /// The unique name of the owner.
  var owner: String? { claims.first?.client }

  /// Requests the name for a client.
  mutating func request(_ client: String, _ flags: NameRequestFlags) -> NameRequestReply {
    let claim = Claim(client: client, flags: flags)
    guard let owner = claims.first else {
      claims = [claim]
      return .primaryOwner
    }
    if owner.client == client {
      claims[0].flags = flags
      return .alreadyOwner
    }
    claims.removeAll { $0.client == client }
    if flags.contains(.replaceExisting), owner.flags.contains(.allowReplacement) {
      if owner.flags.contains(.doNotQueue) { claims.removeFirst() }
      claims.insert(claim, at: 0)
      return .primaryOwner
    }
    if flags.contains(.doNotQueue) { return .exists }
    claims.append(claim)
    return .inQueue
  }

  /// Removes the claim of a client.
  ///
  /// - Returns: Whether it had a claim.
  mutating func release(_ client: String) -> Bool {
    let before = claims.count
    claims.removeAll { $0.client == client }
    return claims.count < before
  }
}
