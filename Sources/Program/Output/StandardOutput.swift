// Data to standard output, everything else to standard error.
//
// The only file of the package that writes to them. Regular files are written at once; for pipes and
// terminals a thread writes, because their readers may stop.

import Bluetooth
import Glibc
import Jobs
import Signals

/// Standard output, until its reader goes away.
package final class StandardOutput: Sendable {
  /// Who waits for whom.
  enum Pace: Sendable {
    /// The program waits for the reader: it has nothing else to do, or its time is virtual.
    case ofReader
    /// The program never waits for the reader before the end.
    case ofEvents
  }

  /// How long a reader may take nothing when all is done: as long as a clean-up may take.
  static let patience = Duration.seconds(10)
  /// The same when a signal has asked the program to end.
  static let patienceAfterSignal = Duration.seconds(1)

  private let pace: Pace
  private let descriptor: Int32
  private let failed = Guarded<OutputFailure?>(nil)
  private let onFailure: @Sendable (RunFailure) -> Void
  private let writer: OutputWriter?
  private let isColored: Bool

  /// - Parameters:
  ///   - writer: Who writes to the descriptor; nil where it is written at once.
  ///   - onFailure: Called once, on any thread, when a write has failed, with what ends the run.
  init(
    _ pace: Pace = .ofReader,
    to descriptor: Int32 = STDOUT_FILENO,
    through writer: OutputWriter? = StandardStreams.ofProcess.writer(of: STDOUT_FILENO),
    onFailure: @escaping @Sendable (RunFailure) -> Void = { _ in }
  ) {
    self.pace = pace
    self.descriptor = descriptor
    self.writer = writer
    isColored = StandardStreams.ofProcess.isColored(descriptor)
    self.onFailure = onFailure
    writer?.onFailure(of: descriptor) { [weak self] in self?.fail(.system($0)) }
  }

  /// Prints what happens in a world, and ends what is done there when nobody receives it.
  convenience init(
    in world: World,
    onFailure: @escaping @Sendable (RunFailure) -> Void
  ) {
    self.init(world.isVirtual ? .ofReader : .ofEvents) { failure in
      world.loop.post { onFailure(failure) }
    }
  }

  /// Why nothing can be written any more.
  var failure: OutputFailure? {
    failed.withLock { $0 } ?? writer?.failure(of: descriptor).map { .system($0) }
  }

  /// The results of a command, at the pace of their reader.
  package static func ofCommand() -> StandardOutput { StandardOutput() }

  /// Writes a line of a result. After a failure it does nothing.
  package func result(_ text: String) { line(text) }

  /// Waits until everything is written.
  ///
  /// - Throws: ``Ending`` with why not everything was.
  package func end() throws(Ending) {
    if let failure = finish() { throw Ending(.output, "\(failure)") }
  }

  /// Waits until everything is written, where a command in a world is over.
  ///
  /// - Parameter error: What the command failed with.
  /// - Throws: ``Ending``: of a signal, else of the output, else of the command.
  func end(in world: World, after error: (any Error)? = nil) throws(Ending) {
    let unprinted = Result { () throws(Ending) in try end() }
    try world.interruption.check()
    try unprinted.get()
    if let failure = error.map({ RunFailure($0) }) {
      throw Ending(ExitStatus(after: failure), "\(failure)")
    }
  }

  /// Writes lines, which are all that a command prints.
  ///
  /// - Throws: ``Ending`` with why not all were written.
  static func show(_ lines: some Sequence<String>) throws(Ending) {
    let output = StandardOutput()
    for line in lines { output.line(line) }
    try output.end()
  }

  /// Writes a line. After a failure it does nothing.
  ///
  /// - Parameter tone: Its colour, where there are colours.
  func line(_ text: String, tone: Tone? = nil) { write(PrintableText(line: text), tone) }

  /// Writes a text of several lines, which this program made of lines.
  func lines(_ text: String) { write(PrintableText(lines: text)) }

  private func write(_ text: PrintableText, _ tone: Tone? = nil) {
    guard failure == nil else { return }
    let parts = Written.parts(text, in: isColored ? tone : nil) + [.lineEnd]
    guard let writer else {
      if let number = writeAll(descriptor, parts) { fail(.system(number)) }
      return
    }
    guard writer.put(parts, to: descriptor) else { return fail(.notRead) }
    guard pace == .ofReader else { return }
    if writer.waitForRoom(patience: { Self.afterSignal }) == .notRead { fail(.notRead) }
  }

  /// Whether a value of so many octets can be printed now; otherwise it is to be left out.
  func admits(octets: Int) -> Bool {
    guard pace == .ofEvents, let writer else { return true }
    return writer.admits(octets)
  }

  /// Waits until everything is written: for ever at the pace of the reader, else as long as it may
  /// take nothing. A signal shortens both.
  ///
  /// - Returns: Why not everything was.
  func finish() -> OutputFailure? {
    if failure == nil, let writer {
      let waited = writer.waitUntilWritten { [pace] in
        Self.afterSignal ?? (pace == .ofReader ? nil : Self.patience)
      }
      if waited == .notRead { fail(.notRead) }
    }
    return failure
  }

  private static var afterSignal: Duration? {
    SystemSignals.arrived == nil ? nil : patienceAfterSignal
  }

  private func fail(_ failure: OutputFailure) {
    let isFirst = failed.withLock { failed in
      defer { failed = failed ?? failure }
      return failed == nil
    }
    if isFirst { onFailure(RunFailure(failure)) }
  }

  /// Whether a file is what standard output or standard error goes to.
  static func isPrinted(to file: stat) -> Bool {
    [STDOUT_FILENO, STDERR_FILENO].contains { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev
        && status.st_ino == file.st_ino
    }
  }
}

/// Standard output could not be written.
enum OutputFailure: Error, Sendable, CustomStringConvertible {
  /// An error number.
  case system(Int32)
  /// The reader takes nothing.
  case notRead

  var description: String {
    switch self {
    case .system(EPIPE): "the reader of standard output is gone"
    case .system(let number):
      "standard output could not be written: \(String(cString: strerror(number)))"
    case .notRead: "the reader of standard output does not read: not everything was written"
    }
  }
}

extension RunFailure {
  /// Nobody receives the results of the run.
  fileprivate init(_ failure: OutputFailure) {
    self.init(
      code: .interrupted,
      class: .definite,
      what: "running the chain",
      why: failure.description
    )
  }
}

/// Standard error: what a person should know, never data.
package enum StandardError {
  /// Writes why something failed, without passkeys; a failure to write it is nobody's business.
  package static func failure(_ text: String) {
    let isColored = StandardStreams.ofProcess.isColored(STDERR_FILENO)
    let name = Written.parts(PrintableText(line: "blerun:"), in: isColored ? .bad : nil)
    write(name + [.text(PrintableText(line: " \(text.withoutPasskeys)")), .lineEnd])
  }

  /// Writes what is wrong, and below it the text that it is about.
  static func failure(_ diagnostic: Diagnostic) {
    failure(diagnostic.text)
    for line in diagnostic.excerpt { write([.text(PrintableText(line: "  \(line)")), .lineEnd]) }
  }

  /// Writes what is worth knowing and no failure. Not with `--quiet`.
  package static func notice(_ text: String) {
    guard !StandardStreams.ofProcess.presentation.isQuiet else { return }
    write([.text(PrintableText(line: "blerun: \(text)")), .lineEnd])
  }

  /// How long a line about the bus may be, in characters.
  private static let trafficLimit = 1000

  /// Writes what BlueZ was asked or answered, with the loop's time.
  static func traffic(_ message: BlueZMessage, at now: Instant) {
    let line = message.text
    let rest = line.dropFirst(trafficLimit).isEmpty ? "" : "…"
    notice("\(TextReport.milliseconds(now.sinceStart)) \(line.prefix(trafficLimit))\(rest)")
  }

  /// Writes a text of several lines, which this program made of lines.
  static func lines(_ text: String) { write([.text(PrintableText(lines: text)), .lineEnd]) }

  /// Never waits for the reader.
  private static func write(_ parts: [Written]) {
    if let writer = StandardStreams.ofProcess.writer(of: STDERR_FILENO) {
      _ = writer.put(parts, to: STDERR_FILENO)
    } else {
      _ = writeAll(STDERR_FILENO, parts)
    }
  }
}

/// Who writes to standard output and standard error of this process.
final class StandardStreams: Sendable {
  static let ofProcess = StandardStreams()

  private struct State {
    var presentation = Presentation()
    /// Somebody is asked at the terminal: the bottom line stays away.
    var isAsking = false
    /// What changed the modes of the terminal, and restores them.
    var keys: TerminalKeys?
  }

  private let writers: [Int32: OutputWriter]
  private let state = Guarded(State())

  /// One writer for both where they are the same pipe or terminal, so that lines keep their order.
  private init() {
    var writers: [Int32: OutputWriter] = [:]
    var first = stat()
    var second = stat()
    if Self.mayStop(STDOUT_FILENO, &first) { writers[STDOUT_FILENO] = OutputWriter() }
    if Self.mayStop(STDERR_FILENO, &second) {
      let isSame = first.st_dev == second.st_dev && first.st_ino == second.st_ino
      writers[STDERR_FILENO] = (isSame ? writers[STDOUT_FILENO] : nil) ?? OutputWriter()
    }
    self.writers = writers
  }

  /// Whether writing may have to wait for somebody: pipes, sockets, terminals.
  private static func mayStop(_ descriptor: Int32, _ status: inout stat) -> Bool {
    guard fstat(descriptor, &status) == 0 else { return false }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFSOCK: return true
    case S_IFCHR: return isatty(descriptor) == 1
    // open: kinds of files
    default: return false
    }
  }

  /// The writer of a descriptor; nil where it is written at once.
  func writer(of descriptor: Int32) -> OutputWriter? { writers[descriptor] }

  // MARK: What the user wants to see

  var presentation: Presentation {
    get { state.withLock { $0.presentation } }
    set { state.withLock { $0.presentation = newValue } }
  }

  /// Whether text for people is coloured there.
  func isColored(_ descriptor: Int32) -> Bool {
    presentation.isColored(
      onTerminal: isatty(descriptor) == 1,
      RuntimeFolder.variable
    )
  }

  // MARK: The bottom line

  /// Whether a line at the bottom of the terminal is wanted, and can be kept apart from all others.
  ///
  /// - Parameter printsData: Whether standard output gets data for programs as things happen.
  func hasStatusLine(printsData: Bool) -> Bool {
    guard !presentation.isQuiet, isatty(STDERR_FILENO) == 1,
      Presentation.isAble(RuntimeFolder.variable)
    else { return false }
    guard isatty(STDOUT_FILENO) == 1 else { return true }
    return !printsData && writers[STDOUT_FILENO] === writers[STDERR_FILENO]
  }

  /// The room for the bottom lines: the last column stays free, so that no terminal wraps them.
  var terminalSize: PlotSize {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return PlotSize(columns: 79, rows: 24)
    }
    return PlotSize(columns: Int(size.ws_col) - 1, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// The columns of the terminal that standard output is; nil for anything else.
  static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether standard output is a terminal.
  var printsToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes the bottom lines anew; none for none.
  func show(_ lines: [String]) {
    let isAsking = state.withLock { $0.isAsking }
    let text = isAsking ? "" : lines.map(\.printable).joined(separator: "\n")
    writers[STDERR_FILENO]?.show(PrintableText(lines: text), on: STDERR_FILENO)
  }

  /// The terminal has another size.
  func resized() { writers[STDERR_FILENO]?.resized() }

  /// Has the modes of the terminal restored at the end of the process, whatever ends it.
  func restores(_ keys: TerminalKeys) { state.withLock { $0.keys = keys } }

  /// Somebody is asked at the terminal from now on, or not any more.
  func asks(_ isAsking: Bool) {
    state.withLock { $0.isAsking = isAsking }
    if isAsking { show([]) }
  }

  // MARK: The end

  /// Removes the bottom line, and waits until what was printed is written, as long as each reader may
  /// take nothing.
  func finish(patience: Duration) {
    show([])
    state.withLock { $0.keys }?.end()
    for writer in writers.values { _ = writer.waitUntilWritten { patience } }
  }
}
