// Questions at the terminal, without echo if the answer is a secret.

import Bluetooth
import Glibc
import Jobs
import Signals

/// Asks questions at the controlling terminal.
final class TerminalQuestions: Sendable {
  /// The state of one answer being read.
  private struct Reading {
    var watch: Watch?
    /// Set while the answer is a secret.
    var mode: TerminalMode?
    var octets: [UInt8] = []
  }

  private let descriptor = TerminalMode.terminal
  private let loop: Loop
  /// Whether a question blocks the loop: virtual time stands still meanwhile.
  private let blocks: Bool
  private let reading = Guarded(Reading())

  /// Creates the questions at a terminal; nil without one, or if standard input is not the terminal.
  init?(on loop: Loop) {
    guard isatty(STDIN_FILENO) == 1, descriptor >= 0 else { return nil }
    self.loop = loop
    blocks = loop.isVirtual
  }

  /// Asks a question, and calls `reply` with the answer.
  ///
  /// - Returns: Withdraws the question.
  @Sendable func ask(
    _ question: PairingQuestion, _ reply: @escaping @Sendable (PairingReply) -> Void
  ) -> @Sendable () -> Void {
    end()
    // Read before the question is shown. An earlier signal does not prevent a clean-up step from asking.
    let former = SystemSignals.arrived
    let isSecret = question == .passkey || question == .pin
    // Before the first character of the answer can be typed.
    let mode = isSecret ? TerminalMode(for: .line) : nil
    reading.withLock { $0.mode = mode }
    // Earlier output stands above the question, and the status line does not stand below it.
    StandardStreams.ofProcess.asks(true)
    OutputWriter.ofProcess.flush(patience: .milliseconds(100))
    let text = PrintableText(line: "\(question) \(isSecret ? "" : "[y/n] ")")
    _ = OutputWriter.ofProcess.put(to: descriptor) { [.text(text)] }
    if blocks {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Waits in short pieces: after a signal, its cancellation withdraws the question on the loop.
      var isCancelled = false
      while !isCancelled, !readMore() {
        isCancelled = SystemSignals.arrived != former
        poll(&polled, 1, 100)
      }
      if !isCancelled { answer(isSecret, reply) }
    } else {
      let watch = loop.watch(descriptor, for: .readable) { [weak self] _ in
        guard let self, readMore() else { return }
        answer(isSecret, reply)
      }
      reading.withLock { $0.watch = watch }
    }
    return { [weak self] in self?.end() }
  }

  /// Reads the available input. Returns whether the line is complete, or the input has ended.
  private func readMore() -> Bool {
    var octet: UInt8 = 0
    while true {
      let count = Glibc.read(descriptor, &octet, 1)
      if count == 1 {
        if octet == UInt8(ascii: "\n") { return true }
        reading.withLock { $0.octets.append(octet) }
      } else if count < 0, errno == EINTR {
        continue
      } else {
        return !(count < 0 && errno == EAGAIN)
      }
    }
  }

  private func answer(_ isSecret: Bool, _ reply: @Sendable (PairingReply) -> Void) {
    let text = String(decoding: reading.withLock { $0.octets }, as: UTF8.self)
    end()
    if isSecret {
      reply(text.isEmpty ? .no : .secret(Secret(text)))
    } else {
      reply(["y", "yes"].contains(text.lowercased()) ? .yes : .no)
    }
  }

  /// Ends the question and restores the terminal.
  private func end() {
    let reading = reading.withLock { reading in
      defer { reading = Reading() }
      return reading
    }
    reading.watch?.cancel()
    StandardStreams.ofProcess.asks(false)
    guard let mode = reading.mode else { return }
    mode.end()
    _ = OutputWriter.ofProcess.put(to: descriptor) { [.lineEnd] }
  }
}
