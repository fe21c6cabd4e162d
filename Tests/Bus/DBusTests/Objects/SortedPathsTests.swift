// Paths in order, compared with a sorted set of them.

import Testing

@testable import DBus

@Suite("Sorted paths")
struct SortedPathsTests {
  /// Numbers that look random and are the same in every run.
  private struct Numbers {
    var state: UInt64 = 7
    mutating func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  private func path(_ number: Int) throws -> ObjectPath {
    let device = try ObjectPath("/org/bluez/hci\(number % 3)/dev_\(number % 97)")
    return number.isMultiple(of: 2) ? device : try device.appending("service\(number % 11)")
  }

  @Test("it holds the same paths in the same order as a sorted set after random changes")
  func sameAsSet() throws {
    var numbers = Numbers()
    var paths = SortedPaths()
    var model: Set<ObjectPath> = []
    for step in 0..<4000 {
      let path = try path(numbers.next(below: 5000))
      // Mostly insertions at first, mostly removals in the end: chunks split, and empty.
      if numbers.next(below: 4000) >= step {
        paths.insert(path)
        model.insert(path)
      } else {
        paths.remove(path)
        model.remove(path)
      }
      guard step.isMultiple(of: 50) else { continue }
      let sorted = model.sorted()
      #expect(Array(paths) == sorted)
      #expect(paths.count == sorted.count)
      let parent: ObjectPath = "/org/bluez/hci1"
      #expect(Array(paths.below(parent)) == sorted.filter { $0.isBelow(parent) })
    }
    #expect(Array(SortedPaths(Array(model) + Array(model))) == model.sorted())
  }

  @Test("a path is not below itself or below a path that only shares a text prefix")
  func below() {
    let paths = SortedPaths(["/a", "/a/b", "/a/b/c", "/a0", "/a_b", "/b"])
    #expect(Array(paths.below("/a")) == ["/a/b", "/a/b/c"])
    #expect(Array(paths.below("/c")) == [])
    #expect(Array(paths.below(.root)).count == 6)
    #expect(Array(SortedPaths().below(.root)) == [])
  }
}
