// A worker's progress in memory shared with its parent, which can read it after the worker died.

import Glibc

/// Two counters in a mapped file.
struct ProgressNote {
  private static let length = 4096

  private let counts: UnsafeMutablePointer<UInt64>

  /// Creates an unnamed note; a child process opens it through the inherited descriptor.
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

  /// Opens the note of an inherited descriptor.
  init(_ descriptor: Int32) throws(FuzzError) {
    let memory = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else {
      throw FuzzError("descriptor \(descriptor) cannot be mapped")
    }
    counts = memory.bindMemory(to: UInt64.self, capacity: 2)
  }

  /// The number of the current input.
  var number: UInt64 {
    get { counts[0] }
    nonmutating set { counts[0] = newValue }
  }

  /// The number of accepted inputs.
  var accepted: UInt64 {
    get { counts[1] }
    nonmutating set { counts[1] = newValue }
  }
}

/// A failure of the fuzzer itself.
struct FuzzError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
