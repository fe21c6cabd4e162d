// A program in memory: the bytes whose digest was checked are the bytes that are executed.
//
// A path can name another file, and a file can have another content, between two looks at it.

import CLinux
import CProcess
import Documents
import Glibc

/// A sealed copy of a program, as a descriptor without a name in any folder.
///
/// It is executed as `/proc/self/fd/N`. Where it begins with `#!`, the kernel gives that path to the interpreter,
/// which must inherit the descriptor.
///
/// - Source: memfd_create(2), fcntl(2) F_ADD_SEALS, execveat(2) "BUGS".
final class ExecutableCopy {
  let descriptor: Int32

  init(_ content: [UInt8]) throws(Problem) {
    let descriptor = make_executable_memory("program")
    var number = descriptor < 0 ? errno : 0
    if number == 0, let failed = writeAll(descriptor, content) { number = failed }
    if number == 0, seal_memory(descriptor) != 0 { number = errno }
    guard number == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw Problem(
        "the program could not be copied into memory: \(String(cString: strerror(number)))")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
