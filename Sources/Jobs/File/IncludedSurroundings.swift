// What a file that is being read has from the files that include it.

import Bluetooth

/// The state of includes while steps are read.
struct IncludedSurroundings {
  var inclusions: Inclusions
  /// The names of attributes that the file that is being read may use.
  var names: AttributeNames
  /// The names of the files that were included so far, for output.
  var includedNames = AttributeNames.assigned
  /// The variables of the file that is being read.
  var table = VariableTable()
  /// The names that steps of the chain capture.
  var captured: [String] = []
  /// The real paths of the files that are being read, the outermost first.
  var stack: [String] = []
  /// Whether what is read is an included file.
  var isIncluded = false
  /// The number of includes so far.
  var count = 0
  /// The number of steps read so far.
  var steps = 0

  /// The names for output: those of included files after those of the file that is being read.
  var allNames: AttributeNames { names.over(includedNames) }
}
