import Fixtures
import Fleet
import Glibc
import Signals
import Testing

@Suite("A worker thread", .blocking)
struct WorkerThreadTests {
  @Test("its end blocks until all posted closures have run")
  func end() throws {
    let worker = try #require(WorkerThread("test"))
    let ran = Guarded<[Int]>([])
    // The first one is still running when the end begins.
    worker.post {
      poll(nil, 0, 50)
      ran.withLock { $0.append(1) }
    }
    worker.post { ran.withLock { $0.append(2) } }
    worker.end(within: .seconds(60)) { ran.withLock { $0.append(3) } }
    #expect(ran.withLock { $0 } == [1, 2, 3])
  }

  @Test("its end blocks no longer than its limit, and the closures still run")
  func limit() throws {
    let worker = try #require(WorkerThread("test"))
    let (isFree, hasRun) = (Guarded(false), Guarded(false))
    worker.post { while !isFree.withLock({ $0 }) { poll(nil, 0, 1) } }
    worker.end(within: .milliseconds(10)) { hasRun.withLock { $0 = true } }
    #expect(!hasRun.withLock { $0 })
    isFree.withLock { $0 = true }
    for _ in 0..<60_000 where !hasRun.withLock({ $0 }) { poll(nil, 0, 1) }
    #expect(hasRun.withLock { $0 })
  }
}
