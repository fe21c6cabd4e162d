// Handles that outlive their loop.

import Glibc
import Testing

@testable import Signals

@Suite("Objects that outlive their loop")
struct AfterTheLoopTests {
  private static let kinds = ["host", "virtual"]

  private static func loop(_ kind: String) -> Loop {
    kind == "host" ? EventLoop() : VirtualTimeLoop()
  }

  @Test("cancelling a timer after its loop was freed has no effect", arguments: kinds)
  func timer(kind: String) {
    weak var gone: Loop?
    let timer: LoopTimer
    do {
      let loop = Self.loop(kind)
      gone = loop
      timer =
        loop.source.hasBackgroundThread
        ? LoopTimer(state: loop.state) {} : loop.after(.seconds(60)) {}
    }
    #expect(gone == nil)
    timer.cancel()
    timer.cancel()
    #expect(timer.heapIndex == -1)
  }

  @Test("an armed timer does not keep its loop alive and does not outlive it", arguments: kinds)
  func armed(kind: String) {
    weak var forgotten: LoopTimer?
    do {
      let loop = Self.loop(kind)
      let timer = LoopTimer(state: loop.state) {}
      loop.state.withLock { $0.timers.insert(timer, at: .start + .seconds(60), order: 1) }
      forgotten = timer
    }
    #expect(forgotten == nil)
  }

  @Test("changing or cancelling a watch after its loop was freed has no effect", arguments: kinds)
  func watch(kind: String) {
    weak var gone: Loop?
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let watch: Watch
    do {
      let loop = Self.loop(kind)
      gone = loop
      watch = loop.watch(descriptor, for: .readable) { _ in }
    }
    #expect(gone == nil)
    #expect(!watch.isActive)
    watch.update(.writable)
    watch.cancel()
    watch.cancel()
  }

  @Test("a watch is freed with its loop", arguments: kinds)
  func forgottenWatch(kind: String) {
    weak var forgotten: Watch?
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    do {
      let loop = Self.loop(kind)
      forgotten = loop.watch(descriptor, for: .readable) { _ in }
    }
    #expect(forgotten == nil)
  }
}
