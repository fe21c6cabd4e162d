// Asking the person at the terminal, without an echo where the answer is a secret.

import Bluetooth
import Glibc
import Jobs
import Signals

/// The terminal that the process belongs to, as somebody to ask.
final class TerminalQuestions: Sendable {
  /// What is read of one answer.
  private struct Reading {
    var watch: Watch?
    /// While the answer is a secret.
    var mode: TerminalMode?
    var octets: [UInt8] = []
  }

  private let descriptor = TerminalMode.terminal
  private let loop: Loop
  /// In virtual time nothing else goes on while a person thinks.
  private let blocks: Bool
  private let reading = Guarded(Reading())

  /// The terminal; nil when there is none, or standard input is not it.
  init?(on loop: Loop) {
    guard isatty(STDIN_FILENO) == 1, descriptor >= 0 else { return nil }
    self.loop = loop
    blocks = loop.isVirtual
  }

  /// Asks, and gives the answer to `reply`.
  ///
  /// - Returns: Takes the question back.
  @Sendable func ask(
    _ question: PairingQuestion, _ reply: @escaping @Sendable (PairingReply) -> Void
  ) -> @Sendable () -> Void {
    end()
    // From before the question can be read. A signal of before does not keep a clean-up from asking.
    let former = SystemSignals.arrived
    let isSecret = question == .passkey || question == .pin
    // Before anything can be typed in answer.
    let mode = isSecret ? TerminalMode(for: .line) : nil
    reading.withLock { $0.mode = mode }
    // What was printed before stands above the question, and nothing below it.
    StandardStreams.ofProcess.asks(true)
    OutputWriter.ofProcess.flush(patience: .milliseconds(100))
    let text = PrintableText(line: "\(question) \(isSecret ? "" : "[y/n] ")")
    _ = OutputWriter.ofProcess.put(to: descriptor) { [.text(text)] }
    if blocks {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // In short pieces: a signal ends the question, by a cancellation that is on its way to the loop.
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

  /// Reads what is there; whether the line is whole, or can become no more so.
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

  /// The question is over: the terminal is as it was.
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
