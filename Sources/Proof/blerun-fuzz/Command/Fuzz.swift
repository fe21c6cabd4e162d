// The command line of the fuzzer: a target, the number of inputs, and a seed.

import ArgumentParser
import Glibc
import Signals

/// Feeds damaged input to the parsers of files and messages.
@main
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blerun-fuzz",
    abstract: "Gives hostile inputs to readers of files, firmware updates and org.bluez.",
    discussion: """
      Each input is generated from a seed and a number. A worker process reads the inputs. If one
      violates a rule, crashes the worker or takes longer than a minute, the program prints it with
      the command that repeats it and exits with 1. Run it in the package's folder: the inputs are
      made from its files.
      """
  )

  @Argument(help: "\(TargetName.allCases.map(\.rawValue).joined(separator: ", "))")
  var target: TargetName

  @Option(help: "How many inputs.")
  var count: UInt64 = 10_000

  @Option(help: "The seed that the inputs are generated from.")
  var seed: UInt64 = 1

  @Option(help: "The number of the first input.")
  var from: UInt64 = 0

  @Flag(help: "Print the inputs instead of running them.")
  var show = false

  @Option(help: .hidden)
  var progress: Int32?

  func run() throws {
    if show {
      let target = try target.target.init(seed: seed)
      for number in from..<from + count { write(target.input(number)) }
    } else if let progress {
      try work(ProgressNote(progress))
    } else {
      try watch()
    }
  }

  /// Runs as the worker process.
  private func work(_ note: ProgressNote) throws {
    do {
      try Worker(name: target, seed: seed, note: note).run(from: start, count: count)
    } catch let problem as BrokenPromise {
      write("\(target.rawValue), seed \(seed), input \(note.number): \(problem)")
      throw ExitCode(1)
    }
  }

  /// The first number of the round that the first input belongs to.
  private var start: UInt64 { from - from % target.target.roundLength }

  private func watch() throws {
    let loop = EventLoop()
    let began = loop.now
    let (note, descriptor) = try ProgressNote.make()
    note.number = start
    let last = from + count
    let arguments = [
      target.rawValue, "--seed", "\(seed)", "--from", "\(start)", "--count", "\(last - start)",
      "--progress", "\(descriptor)",
    ]
    let end = try WorkerProcess(arguments, note: note).end()
    let took = max((loop.now - began) / .seconds(1), 0.001)
    switch end {
    case .exit(0):
      let tenths = Int(took * 10)
      write(
        "\(target.rawValue): \(count) inputs, \(note.accepted) accepted, "
          + "\(tenths / 10).\(tenths % 10) s, \(Int(Double(count) / took)) a second"
      )
      return
    case .exit: break
    case .signal(let number): report("the worker was ended by signal \(number)", note)
    case .stuck: report("the input takes longer than a minute", note)
    }
    let one = "blerun-fuzz \(target.rawValue) --seed \(seed) --from \(note.number) --count 1"
    if let target = try? target.target.init(seed: seed) {
      write("the input:\n\(target.input(note.number))")
    }
    write("repeat with: \(one)\nshow it with: \(one) --show")
    throw ExitCode(1)
  }

  private func report(_ what: String, _ note: ProgressNote) {
    write("\(target.rawValue), seed \(seed), input \(note.number): \(what)")
  }

  private func write(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { octets in
      guard let start = octets.baseAddress else { return }
      var written = 0
      while written < octets.count {
        let count = Glibc.write(1, start + written, octets.count - written)
        guard count > 0 else { return }
        written += count
      }
    }
  }
}

extension TargetName: ExpressibleByArgument {}
