// Standard input, output and error, where whoever started the program has closed them.

import Glibc

/// The descriptors 0 to 2 of this process.
enum ProcessDescriptors {
  /// Fills those that are closed, before anything else is opened.
  ///
  /// Otherwise a report, the journal or the bus would get such a number, and what is printed would be
  /// written into it. What is opened instead cannot be read, or not be written: the command ends as
  /// where its output cannot be written.
  static func fill() {
    for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one: those below it are open.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
