// How far a worker has come, where its death leaves it: in memory shared with who started it.

import Glibc

/// Two counts in a file that is mapped.
struct ProgressNote {
  private static let length = 4096

  private let counts: UnsafeMutablePointer<UInt64>

  /// Makes one that no path leads to; a process that inherits its descriptor opens it there.
  static func make() throws(FuzzError) -> (note: ProgressNote, descriptor: Int32) {
    var template = Array("/tmp/blerun-fuzz.XXXXXX\0".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw FuzzError("a file in /tmp cannot be made") }
    unlink(template)
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw FuzzError("a file in /tmp cannot be made longer")
    }
    return (try ProgressNote(descriptor), descriptor)
  }

  /// Opens the one behind an inherited descriptor.
  init(_ descriptor: Int32) throws(FuzzError) {
    let memory = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else {
      throw FuzzError("descriptor \(descriptor) cannot be mapped")
    }
    counts = memory.bindMemory(to: UInt64.self, capacity: 2)
  }

  /// The number of the input that is under way.
  var number: UInt64 {
    get { counts[0] }
    nonmutating set { counts[0] = newValue }
  }

  /// How many inputs were taken.
  var accepted: UInt64 {
    get { counts[1] }
    nonmutating set { counts[1] = newValue }
  }
}

/// Why nothing can be fuzzed.
struct FuzzError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
