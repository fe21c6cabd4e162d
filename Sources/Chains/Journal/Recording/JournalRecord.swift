// Rows of the journal as values, without the database. docs/journal.md describes the columns.

/// The time of an event, and its number within the chain.
public struct Moment: Hashable, Sendable {
  /// The number of the event within its chain, from 1.
  public let event: Int
  /// RFC 3339, UTC, microseconds.
  public let time: String
  /// Microseconds since the start of the chain's run, on its clock.
  public let offset: Int64

  public init(event: Int, time: String, offset: Int64) {
    self.event = event
    self.time = time
    self.offset = offset
  }
}

/// One change to a journal's tables, within one chain.
public enum JournalRecord: Hashable, Sendable {
  /// The devices of a run of a batch; it belongs to no chain.
  case batchDevices([BatchMember])
  case chainStarted(ChainStart)
  case stepStarted(StepStart)
  case value(StoredValue)
  case gap(step: Int, Moment, text: String)
  case note(Moment, attempt: Int, text: String)
  case stepFinished(StepEnd)
  case chainFinished(ChainEnd)

  /// A row of `chains`.
  public struct ChainStart: Hashable, Sendable {
    public let moment: Moment
    public let device: String
    public let name: String?
    public let identity: String
    public let seed: String
    public let steps: Int

    public init(
      moment: Moment, device: String, name: String? = nil, identity: String, seed: String,
      steps: Int
    ) {
      self.moment = moment
      self.device = device
      self.name = name
      self.identity = identity
      self.seed = seed
      self.steps = steps
    }
  }

  /// A row of `steps`.
  public struct StepStart: Hashable, Sendable {
    public let step: Int
    public let moment: Moment
    public let attempt: Int
    public let position: String
    public let operation: String
    public let attribute: String?
    public let written: String?
    /// The start of its result: a JSON object with the keys of the step that have no column; nil for
    /// none.
    public let result: String?

    public init(
      step: Int, moment: Moment, attempt: Int, position: String, operation: String,
      attribute: String? = nil, written: String? = nil, result: String? = nil
    ) {
      self.step = step
      self.moment = moment
      self.attempt = attempt
      self.position = position
      self.operation = operation
      self.attribute = attribute
      self.written = written
      self.result = result
    }
  }

  /// A row of `step_values`.
  public struct StoredValue: Hashable, Sendable {
    /// A number of a value.
    public struct Number: Hashable, Sendable {
      /// The name of the field, of an inner one with a dot; empty for a value without fields.
      public let field: String
      public let value: Double

      public init(_ field: String, _ value: Double) {
        self.field = field
        self.value = value
      }
    }

    public let step: Int
    public let moment: Moment
    /// JSON.
    public let value: String
    /// The octets in hexadecimal digits; nil for a value that is not octets, such as an RSSI.
    public let hex: String?
    /// The further members of the value in docs/json.md, as a JSON object; nil for none.
    public let details: String?
    /// The numbers of the value, for the rollups of its minute.
    public let numbers: [Number]
    /// The minute of its time, since 1970-01-01T00:00:00Z.
    public let minute: Int64

    public init(
      step: Int, moment: Moment, value: String, hex: String? = nil, details: String? = nil,
      numbers: [Number] = [], minute: Int64 = 0
    ) {
      self.step = step
      self.moment = moment
      self.value = value
      self.hex = hex
      self.details = details
      self.numbers = numbers
      self.minute = minute
    }
  }

  /// The end of a row of `steps`.
  public struct StepEnd: Hashable, Sendable {
    public let step: Int
    public let moment: Moment
    /// Microseconds.
    public let took: Int64
    public let status: String
    /// The result of the step, a JSON object with the keys of docs/json.md; nil for none.
    public let result: String?
    /// JSON.
    public let error: String?

    public init(
      step: Int, moment: Moment, took: Int64, status: String, result: String? = nil,
      error: String? = nil
    ) {
      self.step = step
      self.moment = moment
      self.took = took
      self.status = status
      self.result = result
      self.error = error
    }
  }

  /// The end of a row of `chains`.
  public struct ChainEnd: Hashable, Sendable {
    public let moment: Moment
    public let status: String
    public let exitStatus: Int32
    public let attempts: Int
    public let done: Int
    public let error: String?

    public init(
      moment: Moment, status: String, exitStatus: Int32, attempts: Int, done: Int,
      error: String? = nil
    ) {
      self.moment = moment
      self.status = status
      self.exitStatus = exitStatus
      self.attempts = attempts
      self.done = done
      self.error = error
    }
  }

  /// Whether it must be committed before anything else happens: every record but those within a
  /// step.
  var isUrgent: Bool {
    switch self {
    case .batchDevices, .chainStarted, .stepFinished, .chainFinished: true
    case .stepStarted, .value, .gap, .note: false
    }
  }
}
