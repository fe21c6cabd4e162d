// Names that no source may use, because a run would not repeat or would leave its loop.
//
// Comments and strings may say them. The few places that may use one are listed here, each with
// its reason.

import Fixtures
import Foundation
import Testing

@Suite("Forbidden names", .blocking)
struct ForbiddenNameTests {
  /// The forbidden text, as it looks in code, and what to use instead.
  private static let names: KeyValuePairs<String, String> = [
    #"\bUUID\(\)"#: generator,
    #"\bDate(\(\)|\.now)"#: clock,
    #"\.random\((?!.*\busing:)"#: generator,
    #"\.(shuffled|shuffle|randomElement)\(\)"#: generator,
    #"\bSystemRandomNumberGenerator\b"#: generator,
    #"\b(Continuous|Suspending)Clock\b"#: clock,
    #"\b(clock_gettime|gettimeofday|time\((nil|NULL)\))"#: clock,
    #"\b(Task\.sleep\b|Thread\.sleep\b|(clock_)?(nano|u)sleep\()"#: "the loop's sleep(for:)",
    // A return type or a declaration does not start a task.
    #"(?<!-> )(?<!: )\bTask(<[^>]*>)?\s*(\{|\()"#: task,
    #"\bTask\.(detached|immediate|immediateDetached)\b"#: task,
    #"\bDispatch[A-Z]\w*"#: "a loop",
    #"\bMainActor\b"#: "a loop",
    #"(^|[^.\w])(print|debugPrint|dump)\("#: output,
    #"\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO|putchar|f?puts|fwrite|[fd]printf)\b"#: output,
    #"\b(Mutex|pthread_mutex\w*|NSLock)\b"#: "Guarded",
    #"\bstatic\s+var\s+\w+[^{]*=|^(public |private )?(nonisolated\(unsafe\) )?var\s"#:
      "a value passed in",
    #"\bCommandLine\b"#: arguments,
  ]
  private static let arguments = "ProcessArguments"
  private static let clock = "the clock of the loop"
  private static let generator = "a seeded generator"
  private static let task = "the loop's task(_:)"
  private static let output = "the executable's StandardOutput"

  /// Files that may use a name that other files must replace, with the reason.
  private static let exceptions: [(path: String, instead: String, why: String)] = [
    ("Base/Signals/Loop/EventLoop.swift", clock, "the one place that reads a clock"),
    ("Base/Signals/Loop/Loop+Tasks.swift", task, "where that task begins"),
    ("Base/Signals/Loop/AwayExecutor.swift", task, "the only way to a job on any executor"),
    ("Base/Signals/Out/Observation.swift", task, "what everybody else calls"),
    ("Base/Signals/Scheduler/StartedRun.swift", task, "a run is a task on its loop"),
    ("Base/Signals/Waiting/shielded.swift", task, "clean-up is not cancelled with its caller"),
    ("Base/Signals/Waiting/ChildTask.swift", task, "inherits its turn, and is always awaited"),
    ("Base/Signals/Waiting/Lock.swift", "Guarded", "the one place that names a lock"),
    (
      "Programs/Program/Output/StandardOutput.swift", output,
      "the one place that writes to the user"
    ),
    ("Base/Signals/Waiting/endProcess.swift", output, "where nothing is left for that place"),
    (
      "Proof/blerun-fuzz/Command/WorkerProcess.swift", "the loop's sleep(for:)",
      "watches another process"
    ),
    ("Chains/Journal/QueueThreads.swift", "a loop", "GRDB leaves its queues to Dispatch"),
    ("Programs/Program/Process/ProcessArguments.swift", arguments, "where there is no /proc"),
    ("Proof/benchmarks/", arguments, "a tool of its own, without Program"),
    ("Proof/benchmarks/", clock, "measures how long things take"),
    ("Proof/benchmarks/", output, "prints its measurements; no user runs it"),
  ]

  @Test("forbidden names are used only in the listed places")
  func unused() throws {
    var excepted = 0
    for (pattern, instead) in Self.names {
      for match in try Self.matches(pattern) {
        let isExcepted = Self.exceptions.contains {
          $0.instead == instead && match.hasPrefix("Sources/\($0.path)")
        }
        if isExcepted { excepted += 1 } else { Issue.record("\(match): use \(instead)") }
      }
    }
    // Otherwise a search that finds nothing would pass.
    #expect(excepted > Self.exceptions.count)
  }

  /// `Sources/A/B.swift:7:Date()` for each match outside comments and strings.
  private static func matches(_ pattern: String) throws -> [Substring] {
    let skipped = #"//.*(*SKIP)(*F)|@TaskLocal.*(*SKIP)(*F)|"([^"\\]|\\.)*"(*SKIP)(*F)|"#
    let found = try ProjectFolder().run([
      "grep", "-rnoP", "--include=*.swift", skipped + "(\(pattern))", "Sources",
    ])
    // 1 means that there is no match.
    try #require(found.status < 2, "\(found.errors)")
    return found.output.split(separator: "\n")
  }
}
