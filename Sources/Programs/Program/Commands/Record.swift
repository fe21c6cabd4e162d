// `blerun record`: records a device to a file that simulates it.

public import ArgumentParser
import BlueZ
import Bluetooth
import Documents
import Glibc
import Jobs
import Recording
import Signals
public import SimulatedDevices

/// Records a device, and writes the file that simulates it.
struct Record: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a device to a file that simulates it.",
    discussion: """
      Scans, connects, reads everything that can be read, and disconnects. Nothing is written to the \
      device: --for subscribes to what it sends, and --while runs a chain of yours and records what \
      each write causes. Ctrl-C keeps what was recorded until then.

      Addresses, serial numbers and the names of persons are replaced by pseudonyms, the same ones \
      each time; --keep leaves them. Whatever else a chain writes is in the file as it is, passwords too.

        blerun record -d "Thermo*" --for 30s -o thermometer.yaml
        blerun record -d "Lock*" --while unlock.yaml -o lock.yaml
        blerun record --from btsnoop_hci.log -d C0:FF:EE:00:00:01
        blerun run chain.yaml --simulate thermometer.yaml
      """
  )

  @OptionGroup var named: DeviceOptions
  @OptionGroup var choosing: ChoiceOptions

  @Option(
    name: [.customShort("o"), .customLong("to")],
    file: "The new device file, or - (default: standard output)."
  )
  var file: String?

  @Option(
    help: ArgumentHelp(
      """
      A trace instead of a device: btsnoop, of a phone, btmon or --trace, or PacketLogger; or a file of \
      bluetoothd's cache.
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  var from: String?

  @Option(time: "How long to receive advertisements: 5s, 500ms. (default: 5s)")
  var scan = Duration.seconds(5)

  @Flag(
    inversion: .prefixedNo,
    help: "Connect to the device; without, its advertisements are recorded."
  )
  var connect = true

  @Option(
    name: [.customLong("for")],
    time: "Subscribe to everything that notifies, for this long: 30s, 5m."
  )
  var duration: Duration?

  @Option(
    name: [.customLong("while")],
    help: .value("chain", "Run a chain, and record what it writes and what follows."),
    completion: .file()
  )
  var chain: String?

  @Flag(help: "Let the chain run the programs of its command steps.")
  var allowCommands = false

  @OptionGroup var variables: VariableOptions

  @Flag(help: "Pair, and read what is protected; without it the file shows what is refused.")
  var pair = false

  @OptionGroup var passkey: PasskeyOptions

  @Flag(help: "Leave addresses, serial numbers and names as they are.")
  var keep = false

  @Option(
    help: .value(
      "answer",
      """
      What the simulated device does with a write that was not recorded: accept it, refuse it, or answer \
      as to the nearest one. It then also reports what was never used.
      """
    )
  )
  var unrecorded: UnrecordedWrite?

  @OptionGroup var limits: ReadingLimits

  @OptionGroup var naming: NamesOptions
  @OptionGroup var options: WorldOptions

  /// The longest duration of the subscriptions.
  private static let longest = Duration.seconds(24 * 3600)

  func validate() throws {
    if from != nil, chain != nil || duration != nil || pair || !connect || options.isSimulated {
      throw ValidationError(
        "--from reads a file instead of a device: leave out --for, --while, --pair, --no-connect and "
          + "--simulate."
      )
    }
    if !connect, chain != nil || duration != nil || pair {
      throw ValidationError("--for, --while and --pair need a connection.")
    }
    if chain == nil, !variables.set.isEmpty || allowCommands {
      throw ValidationError("--set and --allow-commands are for the chain of --while.")
    }
    if !pair, passkey.reference != nil {
      throw ValidationError("A passkey is for --pair.")
    }
    if let duration, duration > Self.longest {
      throw ValidationError("--for may be at most 24h.")
    }
  }

  /// The file to write; nil: standard output, which `-` is too.
  private var outputPath: String? { file == "-" ? nil : file }

  func run() throws {
    // Refuse first of all to replace an existing file, which may have been edited.
    // A dangling link is refused, too.
    var status = stat()
    if let outputPath, lstat(outputPath, &status) == 0 {
      throw CommandExit(.usage, "\(outputPath) exists already: name another file, or remove it")
    }
    let names = try naming.names()
    // A signal may end the reading of a trace: there is no file yet that it could leave behind.
    let traced = try from.map { path throws(CommandExit) in
      try DeviceRecording(file: path, of: named.target(insteadOf: nil))
    }
    let output = try outputPath.map { path throws(CommandExit) in
      try LineFile(path, isKeptLater: true)
    }
    do {
      if let traced {
        try write(traced, "Recorded by blerun from a trace or a cache.", names, to: output)
      } else {
        try recordDevice(names, to: output)
      }
    } catch {
      // Discards the incomplete file. Does nothing if the recording has already been written.
      output?.finish(isKept: false)
      throw error
    }
  }

  // MARK: A device

  private func recordDevice(_ names: AttributeNames, to output: LineFile?) throws {
    let simulated = try options.simulatedDevices()
    var plan = try chain.map { path throws(CommandExit) in try self.plan(path, names) }
    var target = Plan(steps: [])
    target.device = named.target(insteadOf: plan?.device)
    let device = try target.target(among: simulated)
    plan?.device = device
    let world = try options.world(simulated, "ending the recording and disconnecting")
    defer { world.end() }
    try world.releaseOrphans()
    let following = FollowedRun(in: world, printsData: outputPath == nil)
    let service = world.service(
      for: device, options: choosing.connecting, follow: following.receive)
    let terminal = TerminalQuestions(on: world.loop)
    let (trace, untraced) = trace(in: world)
    let live = LiveRecording(
      service, scan: scan, notifying: duration, pairing: try pairing(terminal?.ask),
      connects: connect, limit: limits.timeout, readLimit: limits.readTimeout, names: names,
      trace: trace
    )
    let traffic = RecordedTraffic(begun: world.loop.now)
    let chain = plan.map { self.run($0, on: device, in: world, following, terminal?.ask) }
    let limit =
      chain == nil
      ? scan + limits.timeout * 10 + (duration ?? .zero) + limits.readTimeout * 512 : Self.longest
    let outcome = live.run(device, chain: chain, follow: following.receive) {
      traffic.forget()
      world.traffic.observe(traffic.receive)
    }
    .firstOrDefault(false, within: limit)
    let failure = outcome.error.map { RunFailure($0) }
    following.end()
    live.completeFromTrace()
    guard var recording = live.recording else {
      try world.interruption.check()
      guard let failure else {
        throw CommandExit(
          .passing, "nothing was recorded: the device was not received within \(scan.written)"
        )
      }
      throw CommandExit(ExitStatus(after: failure), "\(failure)")
    }
    // Each device has services: bluetoothd shows none where they could not be read.
    if connect, recording.services.isEmpty, failure == nil, world.interruption.signal == nil {
      throw CommandExit(
        .passing,
        "nothing was recorded: the services of the device could not be read. Try: record it again, "
          + "closer to it; --no-connect records its advertisements alone"
      )
    }
    traffic.add(to: &recording, names: names)
    recording.completeUnknown(
      isNotifying: duration != nil, isWriting: plan != nil, untraced: untraced
    )
    if !connect { recording.unknown.append("its services: it was not connected") }
    if world.interruption.signal != nil {
      recording.unknown.append("what would have come next: the recording was interrupted")
    } else if let failure {
      // The reason may contain values that are not replaced by pseudonyms.
      let reason = keep ? failure.why : failure.code.rawValue
      recording.unknown.append("what would have come next: it failed (\(reason))")
    }
    try write(recording, "Recorded by blerun.", names, to: output)
    try world.interruption.check()
    if let failure { throw CommandExit(ExitStatus(after: failure), "\(failure)") }
  }

  /// Starts a trace of this host's controllers; nil, with the reason, if that is not possible.
  private func trace(in world: World) -> (LiveTrace?, reason: String) {
    guard !world.isSimulated else { return (nil, "simulated devices have no controller to trace") }
    do {
      return (try LiveTrace(on: world.loop), "the device was not in the trace")
    } catch {
      return (nil, RunFailure(error).why)
    }
  }

  /// Returns the answers for pairing the device; nil if it is not to be paired.
  private func pairing(_ ask: PairingAnswers.Ask?) throws(CommandExit) -> PairingAnswers? {
    guard pair else { return nil }
    do {
      return try PairingRule(secret: passkey.reference).answers(ask: ask) { display in
        StandardError.notice("\(display)")
      }
    } catch {
      throw CommandExit(.data, "\(error)")
    }
  }

  /// Reads the chain of a file, with its secrets.
  private func plan(_ path: String, _ names: AttributeNames) throws(CommandExit) -> Plan {
    var plan: Plan
    do {
      plan = try Plan(file: path, with: variables.bindings, names: names)
    } catch {
      throw CommandExit(.data, error.problems(of: path, readAs: .chain))
    }
    plan.allowedCommands = allowCommands ? .all : .none
    // The recording itself ends the connection, because its subscriptions use it.
    plan.link.isKept = true
    try UserPrograms.check([plan])
    do {
      return try plan.withSecrets()
    } catch {
      throw CommandExit(.data, "\(error)")
    }
  }

  /// Runs the recorded chain over a separate service, while the recording keeps its connection and its
  /// subscriptions.
  private func run(
    _ plan: Plan, on device: DeviceTarget, in world: World, _ following: FollowedRun,
    _ ask: PairingAnswers.Ask?
  ) -> Signal<Void> {
    let service = world.service(
      for: device, options: choosing.connecting, follow: following.receive)
    var runner = ChainRunner(
      plan: plan, service: service, identity: RunIdentity(seed: world.identitySeed, plan: plan)
    ) { event in following.receive(event, at: world.loop.now) }
    runner.ask = ask
    runner.runCommand = UserPrograms(on: world.loop).run
    return runner.ending().tryMap { ending in
      if let failure = ending.failure { throw failure }
    }
  }

  // MARK: The result

  private func write(
    _ recording: DeviceRecording, _ source: String, _ names: AttributeNames, to output: LineFile?
  ) throws(CommandExit) {
    let shown = keep ? recording : Redaction.redacted(recording)
    let note =
      keep
      ? ""
      : " Pseudonyms, which anyone can test a guess against, are in the place of "
        + Redaction.replaced(in: recording).joined(separator: ", ")
        + ". Nothing else was replaced: look for names, numbers and other private data before you "
        + "give the file away."
    let lines = DeviceText.lines(
      of: shown, source: source + note, names: names, unrecorded: unrecorded
    )
    // A comment in the file says so where it is.
    for line in lines where line.hasSuffix("more values were written.") {
      let count = line.split(separator: " ").dropFirst().first ?? ""
      StandardError.notice("\(count) written values did not fit into the file")
    }
    do {
      _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: outputPath ?? "the recording")
    } catch {
      // No input from a device should make the file invalid: this is a fault of this program.
      for problem in error.problems {
        StandardError.notice("not valid yet, please report it: \(problem)")
      }
    }
    if let outputPath, let output {
      for line in lines { output.line(line) }
      let beside = output.finish(isKept: output.failure == nil, replaces: false)
      if let beside {
        throw CommandExit(
          .output,
          "\(outputPath) appeared meanwhile, and is as it was: the recording is in \(beside)"
        )
      }
      if let failure = output.failure { throw CommandExit(.output, failure) }
      StandardError.notice("wrote \(outputPath); blerun run --simulate \(outputPath) uses it")
    } else {
      try StandardOutput.show(lines)
    }
  }
}

extension DeviceRecording {
  /// Adds the parts that a recording over a connection cannot determine, or was not asked for.
  ///
  /// - Parameter untraced: The reason why the advertisements are not from a trace.
  fileprivate mutating func completeUnknown(isNotifying: Bool, isWriting: Bool, untraced: String) {
    if advertisements.isEmpty {
      unknown.append("its advertisements: none was received")
    } else if !hasScanResponses {
      unknown.append("the advertising interval, and what is in scan responses: \(untraced)")
    }
    let own = listedServices.flatMap(\.characteristics)
    let sends = own.contains { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
    if sends, !isNotifying { unknown.append("what it sends (--for 30s subscribes to it)") }
    let isWritable = own.contains {
      !$0.properties.isDisjoint(with: [.write, .writeWithoutResponse])
    }
    if isWritable, !isWriting {
      unknown.append("what writes cause (--while chain.yaml records it)")
    }
  }
}

extension UnrecordedWrite: ExpressibleByArgument {}
