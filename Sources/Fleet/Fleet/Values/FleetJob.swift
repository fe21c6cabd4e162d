// A job of the fleet: one chain to run on one device.
//
// It is written once and never changed; its state is in the device's entry and in its records. The text
// of its chain is stored separately, by its digest.

public import Bluetooth
package import Jobs

/// Whether a chain may be run again after it was armed.
public enum Rerun: String, CaseIterable, Sendable {
  /// Never: an operation that may have happened must not happen again.
  case never
  /// Yes: all of its operations are declared idempotent.
  case idempotent
}

/// One chain for one device.
public struct FleetJob: Equatable, Sendable {
  /// The identity.
  public let id: JobID
  /// The format version that a gateway must be able to read; see ``StoredValue/version``.
  public var format = StoredValue.version
  /// The identity address of its device.
  public let device: BluetoothAddress
  /// The SHA-256 of the text of its chain, in hexadecimal digits.
  public var chain: String
  /// The values of its variables.
  public var values: [String: String] = [:]
  /// The name of its submitter.
  public let submitter: String
  /// How long a member waits, from when it first saw the job, before it ends it as expired.
  public var deadline: Duration
  /// The only gateway that may run it.
  public var pin: String?
  /// The gateway that runs it if it observes the device.
  public var prefer: String?
  /// The gateway that has the bond with the device; no other one may run it.
  public var bond: String?
  /// The capabilities that a gateway must have.
  public var needs: [String] = []
  /// Whether it may run again after it was armed.
  public var rerun = Rerun.never

  /// Creates a job without values, without needs, and for any gateway.
  public init(
    id: JobID, device: BluetoothAddress, chain: String, submitter: String, deadline: Duration
  ) {
    self.id = id
    self.device = device
    self.chain = chain
    self.submitter = submitter
    self.deadline = deadline
  }

  /// The only gateway that may run it: the one with the bond, or else the pinned one.
  public var onlyGateway: String? { bond ?? pin }
}

extension FleetJob {
  /// Stands for a job in a queue whose description cannot be read: it needs what no gateway is capable
  /// of, so that it ends.
  init(unreadable id: JobID, _ device: BluetoothAddress) {
    self.init(
      id: id, device: device, chain: ContentHash.digest(of: ""), submitter: "unknown",
      deadline: .seconds(60)
    )
    needs = ["a job description that can be read"]
  }
}

extension FleetJob: StoredForm, JSONObjectForm {
  static let noun = "a job"

  package static let form = JSONKeys<FleetJob>(
    { format, id, device, chain, values, submitter, deadline, pin, prefer, bond, needs, rerun in
      var job = FleetJob(
        id: id, device: device, chain: chain, submitter: submitter, deadline: deadline
      )
      (job.format, job.values, job.needs, job.rerun) = (format, values, needs, rerun)
      (job.pin, job.prefer, job.bond) = (pin, prefer, bond)
      return job
    },
    JSONKey("version", \.format, .number(1...(.max))),
    JSONKey("id", \.id, .job),
    JSONKey("device", \.device, .address),
    JSONKey("chain", \.chain, .digest),
    JSONKey("values", \.values, .texts(most: FleetBounds.values)),
    JSONKey("submitter", \.submitter, .name),
    JSONKey("deadline", \.deadline, .duration(FleetBounds.deadline)),
    JSONKey(optional: "pin", \.pin, .name),
    JSONKey(optional: "prefer", \.prefer, .name),
    JSONKey(optional: "bond", \.bond, .name),
    JSONKey("needs", \.needs, .list(.name, most: FleetBounds.needs)),
    JSONKey("rerun", \.rerun, .word)
  )
}
