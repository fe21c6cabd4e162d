// The tables of the journal.

import RunEvents

/// The tables, each with its columns in the order in which the checksum covers them.
enum JournalTables {
  typealias Gap = (step: Int, moment: Moment, text: String)
  typealias Note = (moment: Moment, attempt: Int, text: String)
  typealias Failure = (moment: Moment, step: Int?, error: String)
  typealias Member = (place: Int, member: BatchMember)
  typealias Resumed = (resumption: Int, chain: Int, takeover: RunTakeover)
  typealias Rollup = (key: MinuteRollup.Key, numbers: MinuteRollup)

  static let runs = JournalTable<RunHeader, Never>(
    "runs", "a run", key: [.run("its number, never reused")],
    [
      .column("identity") { $0.identity },
      .column("command", "`run`, `batch`, `suite`, `watch`") { $0.command },
      .column("definition", "as a dry run prints it") { $0.definition },
      .column("seed") { "\($0.seed)" },
      .column("simulated") { $0.isSimulated ? 1 : 0 },
      .column("owner", "the process, its start time and the boot; null when simulated") {
        $0.owner
      },
      .column("version") { $0.version },
      .column("started") { $0.startedText },
      // These change by themselves.
      .column("finished") { _ in String?.none },
      .column("exit_status") { _ in Int?.none },
      .column("lost", "how many of its records were discarded; 0") { _ in 0 },
    ],
    isRepeatable: false
  )

  static let chains = JournalTable<JournalRecord.ChainStart, JournalRecord.ChainEnd>(
    "chains", "a chain on a device", key: [.run(), .chain("from 1")],
    [
      .column("device") { $0.device },
      .column("name") { $0.name },
      .column("identity") { $0.identity },
      .column("seed") { $0.seed },
      .column("steps") { $0.steps },
      .column("started") { $0.moment.time },
      .column("started_offset") { $0.moment.offset },
      .end("finished") { $0.moment.time },
      .end("finished_offset") { $0.moment.offset },
      .end("finished_event") { $0.moment.event },
      .end(
        "status",
        "`ok`, `failed`, `cancelled`, for a test of a suite also `warning`; null before its end"
      ) { $0.status },
      .end("exit_status") { $0.exitStatus },
      .end("attempts") { $0.attempts },
      .end("done") { $0.done },
    ]
  )

  static let steps = JournalTable<JournalRecord.StepStart, JournalRecord.StepEnd>(
    "steps", "one execution of a step",
    key: [
      .run(), .chain(), .column("step", "from 1, in the order of their starts") { $0.step },
    ],
    [
      .column("attempt") { $0.attempt },
      .column("position") { $0.position },
      .column("operation") { $0.operation },
      .column("attribute") { $0.attribute },
      .column("written") { $0.written },
      .column("started") { $0.moment.time },
      .column("started_offset") { $0.moment.offset },
      .column("started_event") { $0.moment.event },
      .end("finished") { $0.moment.time },
      .end("finished_offset") { $0.moment.offset },
      .end("finished_event") { $0.moment.event },
      .end("took") { $0.took },
      .end("status", "also `warning`, `skipped`") { $0.status },
      .end("result", "JSON", initial: { $0.result }) { $0.result },
    ]
  )

  static let values = JournalTable<JournalRecord.StoredValue, Never>(
    "step_values", "a value",
    key: [.run(), .chain(), .column("event") { $0.moment.event }],
    [
      .column("step") { $0.step },
      .column("time") { $0.moment.time },
      .column("offset") { $0.moment.offset },
      .column("value", "JSON") { $0.value },
      .column("hex") { $0.hex },
      .column("details", "JSON: its `problem` and `presentation`", since: 8) { $0.details },
    ]
  )

  static let errors = JournalTable<Failure, Never>(
    "errors", "the reason why a step or a chain failed",
    key: [.run(), .chain(), .column("event", "the end it belongs to") { $0.moment.event }],
    [
      .column("step", "null: the chain") { $0.step },
      .column("error", "JSON") { $0.error },
    ],
    computed: ["code", "class", "message"]
  )

  static let gaps = JournalTable<Gap, Never>(
    "gaps", "a place where values are missing",
    key: [.run(), .chain(), .column("event") { $0.moment.event }],
    [
      .column("step") { $0.step },
      .column("time") { $0.moment.time },
      .column("offset") { $0.moment.offset },
      .column("gap", "JSON") { $0.text },
    ]
  )

  static let batches = JournalTable<BatchOrigin, Never>(
    "batches", "a run of a batch", key: [.run()],
    [
      .column("file", "its absolute path") { $0.file },
      .column("name") { $0.name },
      .column("digest", "equal if the same is done on the same devices") { $0.digest },
      .column("round", "the index of the run, from 1; with `every` there are several") {
        $0.round
      },
    ],
    isRepeatable: false
  )

  static let batchDevices = JournalTable<Member, Never>(
    "batch_devices", "a device of such a run, started or not",
    key: [.run(), .column("place", "from 1") { $0.place }],
    [
      .column("device") { $0.member.device },
      .column("name", "the name it had when a scan found it") { $0.member.name },
    ]
  )

  static let resumptions = JournalTable<Resumed, Never>(
    "resumptions", "a process that resumed a run",
    key: [.run(), .column("resumption", "from 1") { $0.resumption }],
    [
      .column("chain", "its first chain") { $0.chain },
      .column("owner") { $0.takeover.owner },
      .column("version") { $0.takeover.version },
      .column("started") { Timestamp.text($0.takeover.started) },
    ],
    isRepeatable: false
  )

  static let rollups = JournalTable<Rollup, Never>(
    "rollups",
    "the numbers of a field of a step in one minute; a step with a single value, such as a read, has "
      + "none until its value is pruned",
    key: [
      .run(), .chain(), .column("step") { $0.key.step },
      .column("minute", "since 1970") { $0.key.minute },
      .column("field", "empty for a value without fields") { $0.key.field },
    ],
    [
      .column("minimum") { $0.numbers.minimum },
      .column("maximum") { $0.numbers.maximum },
      .column("total") { $0.numbers.total },
      .column("count") { $0.numbers.count },
    ]
  )

  static let remarks = JournalTable<Note, Never>(
    "remarks", "a note of a watch",
    key: [.run(), .chain(), .column("event") { $0.moment.event }],
    [
      .column("attempt") { $0.attempt },
      .column("time") { $0.moment.time },
      .column("offset") { $0.moment.offset },
      .column("kind", "`note`; other kinds, of builds before the first release, are ignored") {
        _ in "note"
      },
      .column("remark", "JSON") { $0.text },
    ]
  )

  /// The tables that got checksums with version 5.
  static let ofVersion5 = [
    runs.definition, chains.definition, steps.definition, values.definition, errors.definition,
    gaps.definition, batches.definition, batchDevices.definition, resumptions.definition,
  ]
  static let all = ofVersion5 + [rollups.definition, remarks.definition]
}
