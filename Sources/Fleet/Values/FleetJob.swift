// What is to be done with one device, for whoever runs it.
//
// A job is written once and never changed. Its chain is stored apart, by its digest.

public import Bluetooth
import Jobs

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
    id: JobID,
    device: BluetoothAddress,
    chain: String,
    submitter: String,
    deadline: Duration
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

extension FleetJob: StoredForm {
  static let what = "a job"

  var members: [Member] {
    [
      ("id", .string(id.text)), ("device", .string(device.description)),
      ("chain", .string(chain)),
      ("values", .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
      ("submitter", .string(submitter)), ("deadline", .duration(deadline)),
      ("pin", .text(pin)), ("prefer", .text(prefer)), ("bond", .text(bond)),
      ("needs", .array(needs.map { .string($0) })), ("rerun", .string(rerun.rawValue)),
    ]
  }

  init?(_ reader: inout FormReader) {
    let format = reader.number("version", 1...(.max))
    let id = reader.job("id")
    let device = reader.address("device")
    let chain = reader.digest("chain")
    let values = reader.texts("values", most: FleetBounds.values)
    let submitter = reader.name("submitter")
    let deadline = reader.duration("deadline", FleetBounds.deadline)
    let pin = reader.optionalName("pin")
    let prefer = reader.optionalName("prefer")
    let bond = reader.optionalName("bond")
    let needs = reader.names("needs", most: FleetBounds.needs)
    let rerun: Rerun? = reader.word("rerun")
    guard let format, let id, let device, let chain, let values, let submitter, let deadline,
      let needs,
      let rerun
    else { return nil }
    self.init(id: id, device: device, chain: chain, submitter: submitter, deadline: deadline)
    self.format = format
    self.values = values
    (self.pin, self.prefer, self.bond) = (pin, prefer, bond)
    self.needs = needs
    self.rerun = rerun
  }
}
