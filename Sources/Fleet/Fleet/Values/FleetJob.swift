// What is to be done with one device, for whoever runs it.
//
// A job is written once and never changed. Its chain is stored apart, by its digest.

public import Bluetooth
package import Jobs

/// Whether a chain may be run again after it was armed.
public enum Rerun: String, CaseIterable, Sendable {
  /// An operation that may have happened is not to happen again.
  case never
  /// All of its operations are declared idempotent.
  case idempotent
}

/// One chain for one device.
public struct FleetJob: Equatable, Sendable {
  /// Its identity.
  public let id: JobID
  /// The version of the format that a gateway has to know; see ``StoredValue/version``.
  public var format = StoredValue.version
  /// The identity address of its device.
  public let device: BluetoothAddress
  /// The SHA-256 of the text of its chain, in hexadecimal digits.
  public let chain: String
  /// The values of its variables.
  public var values: [String: String] = [:]
  /// Who submitted it.
  public let submitter: String
  /// How long after its first sight an observer ends it as expired.
  public var deadline: Duration
  /// The only gateway that may run it.
  public var pin: String?
  /// The gateway that runs it when it observes the device.
  public var prefer: String?
  /// The gateway that has the bond with the device; no other one may run it.
  public var bond: String?
  /// What a gateway must be capable of.
  public var needs: [String] = []
  /// Whether it may run again after it was armed.
  public var rerun = Rerun.never

  /// A job without values, wishes and needs.
  public init(
    id: JobID, device: BluetoothAddress, chain: String, submitter: String, deadline: Duration
  ) {
    self.id = id
    self.device = device
    self.chain = chain
    self.submitter = submitter
    self.deadline = deadline
  }

  /// The gateway that alone may run it, because it has the bond or because the submitter asks for it.
  public var onlyGateway: String? { bond ?? pin }
}

extension FleetJob: StoredForm, JSONObjectForm {
  static let what = "a job"

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
