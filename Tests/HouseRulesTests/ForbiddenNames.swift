// Names that no source may use, because a run would not repeat or would leave its loop.
//
// Comments and strings may say them. The few places that may use one are listed here, each with
// its reason, and a place that no longer needs its exception is a finding too.

/// One name, how it looks in code, and what to use instead.
struct ForbiddenName: Sendable {
  let name: String
  /// A regular expression over one line of code.
  let pattern: String
  /// Plain text that every match contains, looked for first: the expression is slow.
  let hint: String
  let instead: String

  init(_ name: String, _ pattern: String, hint: String, instead: String) {
    self.name = name
    self.pattern = pattern
    self.hint = hint
    self.instead = instead
  }

  private static let clock = "the clock of the loop"
  private static let generator = "a seeded generator"
  private static let task = "the loop's task(_:)"
  private static let output = "the executable's StandardOutput"
  private static let lock = "Guarded"

  static let all: [ForbiddenName] = [
    .init("UUID()", #"\bUUID\(\)"#, hint: "UUID()", instead: generator),
    .init("Date()", #"\bDate(\(\)|\.now)"#, hint: "Date", instead: clock),
    .init(".random", #"\.random\((?!.*\busing:)"#, hint: ".random(", instead: generator),
    .init(
      ".shuffled",
      #"\.(shuffled|shuffle|randomElement)\(\)"#,
      hint: "()",
      instead: generator
    ),
    .init(
      "SystemRandomNumberGenerator",
      #"\bSystemRandomNumberGenerator\b"#,
      hint: "SystemRandom",
      instead: generator
    ),
    .init("ContinuousClock", #"\bContinuousClock\b"#, hint: "ContinuousClock", instead: clock),
    .init("SuspendingClock", #"\bSuspendingClock\b"#, hint: "SuspendingClock", instead: clock),
    .init(
      "clock_gettime",
      #"\b(clock_gettime|gettimeofday|time\(nil\)|time\(NULL\))"#,
      hint: "time",
      instead: clock
    ),
    .init("Task.sleep", #"\bTask\.sleep\b"#, hint: "Task.sleep", instead: "the loop's sleep(for:)"),
    .init(
      "Thread.sleep",
      #"\b(Thread\.sleep|usleep\(|nanosleep\(|clock_nanosleep\()"#,
      hint: "sleep",
      instead: "the loop's sleep(for:)"
    ),
    .init(
      "Task { }",
      #"^(?!.*->\s*Task<.*\{$).*\bTask(<[^>]*>)?\s*(\{|\((?!executorPreference:))"#,
      hint: "Task",
      instead: task
    ),
    .init(
      "Task(executorPreference:)",
      #"\bTask(<[^>]*>)?\(executorPreference:"#,
      hint: "executorPreference",
      instead: task
    ),
    .init(
      "Task.detached",
      #"\bTask\.(detached|immediate|immediateDetached)\b"#,
      hint: "Task.",
      instead: task
    ),
    .init(
      "Guarded of a closure",
      #"\bGuarded(<[^>]*->|\(\{)"#,
      hint: "Guarded",
      instead: "a struct that holds it"
    ),
    .init("DispatchQueue", #"\bDispatch[A-Z]\w*"#, hint: "Dispatch", instead: "a loop"),
    .init("@MainActor", #"@MainActor\b|\bMainActor\."#, hint: "MainActor", instead: "a loop"),
    .init("print", #"(^|[^.\w])(print|debugPrint|dump)\("#, hint: "(", instead: output),
    .init(
      "stdout",
      #"\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO|putchar|f?puts|fwrite|[fd]printf)\b"#,
      hint: "",
      instead: output
    ),
    .init("Mutex", #"\bMutex\b|\bpthread_mutex|\bNSLock\b"#, hint: "ut", instead: lock),
    .init(
      "stored static var",
      #"\bstatic\s+var\s+\w+[^{]*=|^(public |private )?(nonisolated\(unsafe\) )?var\s"#,
      hint: "var ",
      instead: "a value passed in"
    ),
  ]
}

/// A place that may use a forbidden name.
struct NameException: Sendable {
  let path: String
  let name: String
  let reason: String

  init(_ path: String, _ name: String, _ reason: String) {
    self.path = path
    self.name = name
    self.reason = reason
  }

  static let all: [NameException] = [
    .init(
      "Sources/Signals/Loop/EventLoop.swift",
      "clock_gettime",
      "the loop of real time is the one place that reads a clock"
    ),
    .init(
      "Sources/Signals/Loop/AwayExecutor.swift",
      "Task(executorPreference:)",
      "the only way to a job on any executor"
    ),
    .init(
      "Sources/Signals/Out/Observation.swift",
      "Task(executorPreference:)",
      "what everybody else is to call: work of a loop, outside a turn"
    ),
    .init(
      "Sources/Signals/Out/blockForTurn.swift",
      "Task(executorPreference:)",
      "the signal runs on the loop that the blocked caller turns"
    ),
    .init(
      "Sources/Signals/Scheduler/TurnRequest.swift",
      "Task(executorPreference:)",
      "a turn is a task on its scheduler's loop"
    ),
    .init(
      "Sources/Signals/Scheduler/SerialScheduler.swift",
      "Task(executorPreference:)",
      "a scheduled turn begins without anybody waiting for it"
    ),
    .init(
      "Sources/Signals/Scheduler/ScheduledTurn.swift",
      "Task(executorPreference:)",
      "only a task keeps the task-local values of whoever asks for a turn of blocking code"
    ),
    .init(
      "Sources/Signals/Waiting/shielded.swift",
      "Task(executorPreference:)",
      "clean-up must not be cancelled with its caller"
    ),
    .init(
      "Sources/Signals/Values/ChildRun.swift",
      "Task(executorPreference:)",
      "a producer that can be stopped without stopping its consumer"
    ),
    .init(
      "Sources/Signals/Waiting/ChildTask.swift",
      "Task(executorPreference:)",
      "work beside the present work, which inherits its turn and is always awaited"
    ),
    .init(
      "Sources/Signals/Chaining/MergedRun.swift",
      "Task(executorPreference:)",
      "merged signals run side by side on one loop"
    ),
    .init(
      "Sources/Signals/Waiting/Lock.swift",
      "Mutex",
      "the one place that names a lock"
    ),
    .init(
      "Sources/blerun-fuzz/Command/WorkerProcess.swift",
      "Thread.sleep",
      "watches another process, without a loop"
    ),
    .init(
      "Sources/benchmarks/Benchmarks.swift",
      "clock_gettime",
      "measures how long things take"
    ),
    .init(
      "Sources/benchmarks/Benchmarks.swift",
      "print",
      "prints its measurements; no user runs it"
    ),
    .init(
      "Sources/Program/Output/StandardOutput.swift",
      "stdout",
      "the one place that writes to the user, and only text that is printable by its type"
    ),
    .init(
      "Sources/Program/World/PrivateBus.swift",
      ".random",
      "names a folder where every user may make one; no output and no event has the name"
    ),
    .init(
      "Sources/benchmarks/BenchmarkBus.swift",
      "stdout",
      "writes the configuration of a bus into a file"
    ),
    .init(
      "Sources/benchmarks/Starts.swift",
      "stdout",
      "writes a chain into a file, and throws away what the programs that it measures print"
    ),
  ]
}

enum NameRules {
  /// Uses of forbidden names outside the excepted places.
  static func check(
    _ files: [SourceFile],
    names: [ForbiddenName] = ForbiddenName.all,
    exceptions: [NameException] = NameException.all
  ) throws -> [Finding] {
    var findings: [Finding] = []
    var needed: Set<Int> = []
    for name in names {
      // A simple word ends at a dot; a Unicode word may go on behind it.
      let expression = try Regex(name.pattern).wordBoundaryKind(.simple)
      for file in files where file.isSwift && file.code.contains(name.hint) {
        let exception = exceptions.firstIndex { $0.path == file.path && $0.name == name.name }
        for (index, line) in file.codeLines.enumerated()
        where line.contains(name.hint) && !isDeclaredSafe(line) && line.contains(expression) {
          if let exception {
            needed.insert(exception)
          } else {
            let problem = "\(name.name) is not for sources; use \(name.instead)"
            findings.append(file.finding(line: index + 1, problem))
          }
        }
      }
    }
    for (index, exception) in exceptions.enumerated() where !needed.contains(index) {
      let problem = "needs no exception for \(exception.name) any more"
      findings.append(Finding(path: exception.path, line: 0, problem: problem))
    }
    return findings
  }

  /// A task-local is a `static var` that holds nothing of its own.
  private static func isDeclaredSafe(_ line: Substring) -> Bool { line.contains("@TaskLocal") }
}
