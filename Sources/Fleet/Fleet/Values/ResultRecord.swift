// The records of a job: each start of its chain, and its end.
//
// A record is appended only if the last one is still the one that its writer knows. So after a successor
// has started, the previous owner can no longer store an end; after an end, no member can start. This
// holds however stale their reads are.

import Documents
package import Jobs

/// The way a job ended.
public enum EndState: String, CaseIterable, Sendable {
  /// All operations succeeded.
  case ok
  /// An operation failed, and no later one began.
  case failed
  /// Cancelled, and no operation that is not idempotent was open.
  case cancelled
  /// An operation that is not idempotent may or may not have happened.
  case unknown
  /// Stopped before the operation `step`. All operations before it happened; of those from it on, at
  /// most idempotent ones.
  case interrupted
  /// No gateway observed the device.
  case noGateway = "no-gateway"
  /// Gateways observed the device, but none reads the version or has the capabilities of the job.
  case noCapableGateway = "no-capable-gateway"
  /// The name belongs to several devices.
  case ambiguous
  /// The name was seen only on private addresses, which change; a bond is needed.
  case needsBond = "needs-bond"
  /// The deadline passed, and no operation that is not idempotent happened.
  case expired
  /// The deadline passed while another gateway, or another program at a gateway, held the connection.
  case held

  /// Whether a gateway whose journal knows more may append another end after this one.
  public var isOpen: Bool { self == .unknown }
}

/// The start of a chain.
public struct StartRecord: Equatable, Sendable {
  /// The gateway that runs the chain.
  public let owner: String
  /// The claim under which it runs.
  public let nonce: String
  /// The epoch of that claim.
  public let epoch: Revision
}

/// The end of a job.
public struct EndRecord: Equatable, Sendable {
  /// The way it ended.
  public var state: EndState
  /// The member that ended it.
  public let owner: String
  /// The claim under which it ended.
  public let nonce: String
  /// The index of the operation at which it ended; nil when it succeeded or reached none.
  public var step: Int?
  /// The index of an operation that may have been carried out after its gateway's lease had ended. This
  /// happens if the gateway is suspended between checking the lease and sending.
  public var overran: Int?
  /// The number of events of the run.
  public var events = 0
  /// The digest of the events; see ``EventDigest``.
  public var digest = ""
  /// An explanation to print: which gateways listened, which program holds the connection.
  public var detail = ""

  /// Creates an end without events.
  public init(_ state: EndState, owner: String, nonce: String, step: Int? = nil) {
    self.state = state
    self.owner = owner
    self.nonce = nonce
    self.step = step
  }
}

/// One record of a job.
public enum ResultRecord: Equatable, Sendable {
  /// A chain began.
  case started(StartRecord)
  /// The job ended.
  case ended(EndRecord)

  /// The end; nil for a start.
  public var end: EndRecord? {
    switch self {
    case .started: nil
    case .ended(let end): end
    }
  }

  /// The claim of the member that wrote it.
  public var nonce: String {
    switch self {
    case .started(let start): start.nonce
    case .ended(let end): end.nonce
    }
  }
}

extension ResultRecord: StoredForm {
  static let noun = "a record of a job"

  private enum Name: String, CaseIterable { case started, ended }

  static let part = StoredPart<ResultRecord>(
    expected: noun, write: { .object($0.members) },
    read: { json, path, problems in
      let name = StoredPart<Name>.word.read(json["record"], of: "record", path, &problems)
      return switch name {
      case .started?:
        StoredPart<StartRecord>.object.read(json, path, &problems).map { .started($0) }
      case .ended?: StoredPart<EndRecord>.object.read(json, path, &problems).map { .ended($0) }
      case nil: nil
      }
    }
  )

  var members: JSONMembers {
    switch self {
    case .started(let start): [.init("record", .string("started"))] + start.members
    case .ended(let end): [.init("record", .string("ended"))] + end.members
    }
  }
}

extension StartRecord: JSONObjectForm {
  package static let form = JSONKeys<StartRecord>(
    { StartRecord(owner: $0, nonce: $1, epoch: $2) },
    JSONKey("owner", \.owner, .name),
    JSONKey("nonce", \.nonce, .name),
    JSONKey("epoch", \.epoch, .number())
  )
}

extension EndRecord: JSONObjectForm {
  package static let form = JSONKeys<EndRecord>(
    { state, owner, nonce, step, overran, events, digest, detail in
      var end = EndRecord(state, owner: owner, nonce: nonce, step: step)
      (end.overran, end.events, end.digest, end.detail) = (overran, events, digest, detail)
      return end
    },
    JSONKey("state", \.state, .word),
    JSONKey("owner", \.owner, .name),
    JSONKey("nonce", \.nonce, .name),
    JSONKey(optional: "step", \.step, .number()),
    JSONKey(optional: "overran", \.overran, .number()),
    JSONKey("events", \.events, .number()),
    JSONKey("digest", \.digest, .text(bytes: 64)),
    JSONKey("detail", \.detail, .text(bytes: FleetBounds.detail))
  )
}
