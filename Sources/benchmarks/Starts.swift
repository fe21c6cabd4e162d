// What a start of the built program costs, as a whole process.
//
// Instructions and page faults are counted: a machine that does other things does not blur them.
// Processor time is measured beside bluetoothctl, in turn.

import Glibc

/// Command lines that scripts run by the thousand: the version, and a simulated chain of five steps.
struct Starts {
  /// What one process took.
  private struct Process {
    /// The pages that the kernel had to supply: those that are written, and what is read of files.
    let pageFaults: Int
    let processorSeconds: Double
  }

  private static let device = """
    name: Sensor
    address: C0:FF:EE:00:00:01
    services:
      - service: battery
        characteristics:
          - characteristic: battery-level
            properties: [read, notify]
            wave: { parts: { u8: { low: 62, high: 88 } }, period: 60s, every: 1s }
      - service: link-loss
        characteristics:
          - { characteristic: alert-level, properties: [read, write], value: { u8: 0 } }
    """

  private static let chain = """
    device: { name: Sensor }
    steps:
      - read: battery-level
        as: level
        expect: { percent: { above: 20 } }
      - log: "level {level.percent}"
      - write: alert-level
        value: { u8: 1 }
      - notify: battery-level
        until: { count: 3 }
      - sleep: 1s
    """

  /// Holds the files while it is measured.
  private let folder: String
  private let program: String

  private init() throws {
    var template = Array("/tmp/blerun-bench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SerialReads.Failure(description: "no folder could be made in /tmp")
    }
    folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    let own = CommandLine.arguments[0]
    program = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/blerun"
    for (name, text) in [("device.yaml", Self.device), ("chain.yaml", Self.chain)] {
      let file = fopen("\(folder)/\(name)", "w")
      fputs(text, file)
      fclose(file)
    }
  }

  private func remove() {
    for name in ["device.yaml", "chain.yaml", "blerun", "counted"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private var version: [String] { [program, "--version"] }

  private var fiveSteps: [String] {
    [program, "run", "\(folder)/chain.yaml", "--simulate", "\(folder)/device.yaml"]
  }

  /// One `name value` a line; without the instructions where valgrind is not installed.
  static func counts() throws -> [String] {
    let starts = try Starts()
    defer { starts.remove() }
    return try [("version", starts.version), ("five-steps", starts.fiveSteps)].flatMap { start in
      let (name, command) = start
      // The least of some: the first one reads the program from its disk.
      let faults = try (0..<5).map { _ in try starts.run(command).pageFaults }.min() ?? 0
      let instructions = try starts.instructions(command)
      return ["\(name)-page-faults \(faults)"]
        + (instructions.map { ["\(name)-instructions \($0)"] } ?? [])
    }
  }

  /// The processor time of both, and of `bluetoothctl --version`, in turn.
  static func lines(rounds: Int = 60) throws -> [String] {
    let starts = try Starts()
    defer { starts.remove() }
    let commands = [
      ("blerun --version", starts.version),
      ("bluetoothctl --version", ["bluetoothctl", "--version"]),
      ("a simulated chain of five steps", starts.fiveSteps),
    ]
    var seconds = commands.map { _ in [Double]() }
    for _ in 0..<rounds {
      for (index, command) in commands.enumerated() {
        seconds[index].append(try starts.run(command.1).processorSeconds)
      }
    }
    let medians = seconds.map { median($0) }
    return zip(commands, medians).map { command, median in
      "\(command.0), whole process: \(decimal(median * 1000)) ms of CPU"
    } + ["blerun --version takes \(decimal(medians[0] / medians[1])) x bluetoothctl --version"]
  }

  /// The instructions of a command line of the program; nil without valgrind.
  private func instructions(_ command: [String]) throws -> Int? {
    // valgrind stops at debugging information of this size.
    let stripped = "\(folder)/blerun"
    let counted = "\(folder)/counted"
    _ = try run(["strip", "--strip-debug", "-o", stripped, program])
    let valgrind = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(counted)",
    ]
    guard (try? run(valgrind + [stripped] + command.dropFirst())) != nil else { return nil }
    guard let file = fopen(counted, "r") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var octet = getc(file)
    while octet != EOF {
      text.append(UInt8(truncatingIfNeeded: octet))
      octet = getc(file)
    }
    // "==797== Collected : 31740518"
    let words = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard let index = words.firstIndex(of: "Collected"), index + 2 < words.count else { return nil }
    return Int(words[index + 2])
  }

  /// Runs a command to its end; what it prints is thrown away.
  private func run(_ command: [String]) throws -> Process {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var pointers = command.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process = pid_t()
    guard posix_spawnp(&process, command[0], &actions, nil, &pointers, environ) == 0 else {
      throw SerialReads.Failure(description: "\(command[0]) could not be started")
    }
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(process, &status, 0, &usage) == process, status == 0 else {
      throw SerialReads.Failure(description: "\(command) ended with \(status)")
    }
    return Process(
      pageFaults: Int(usage.ru_minflt),
      processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime)
    )
  }

  private func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
