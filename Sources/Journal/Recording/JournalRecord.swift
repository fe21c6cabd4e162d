// What is written of an event: rows, without the database.

/// When something happened, and as which event of its chain.
struct Moment: Hashable, Sendable {
  /// The number of the event within its chain, from 1.
  let event: Int
  /// RFC 3339, UTC, microseconds.
  let time: String
  /// Microseconds since the start of the chain's run, on its clock.
  let offset: Int64
}

/// One change to a journal's tables, within one chain.
enum JournalRecord: Hashable, Sendable {
  /// Of no chain: the devices of a run of a batch.
  case batchDevices([BatchMember])
  case chainStarted(ChainStart)
  case stepStarted(StepStart)
  case value(StoredValue)
  case gap(step: Int, Moment, text: String)
  case stepFinished(StepEnd)
  case chainFinished(ChainEnd)

  struct ChainStart: Hashable, Sendable {
    let moment: Moment
    let device: String
    let name: String?
    let identity: String
    let seed: String
    let steps: Int
  }

  struct StepStart: Hashable, Sendable {
    let step: Int
    let moment: Moment
    let attempt: Int
    let position: String
    let operation: String
    let attribute: String?
    let written: String?
  }

  struct StoredValue: Hashable, Sendable {
    let step: Int
    let moment: Moment
    /// JSON.
    let value: String
    /// The octets in hexadecimal digits; nil for what did not come in octets.
    let hex: String?
  }

  struct StepEnd: Hashable, Sendable {
    let step: Int
    let moment: Moment
    /// Microseconds.
    let took: Int64
    let status: String
    /// What the step brought, a JSON object with the keys of docs/output.md; nil for nothing.
    let result: String?
    /// JSON.
    let error: String?
  }

  struct ChainEnd: Hashable, Sendable {
    let moment: Moment
    let status: String
    let exitStatus: Int32
    let attempts: Int
    let done: Int
    let error: String?
  }

  /// Whether it must be kept before anything else happens: all but what a step says on its way.
  var isUrgent: Bool {
    switch self {
    case .batchDevices, .chainStarted, .stepFinished, .chainFinished: true
    case .stepStarted, .value, .gap: false
    }
  }
}
