// The folder of the project, for tests that read its files.

import Foundation

/// The path of the folder with `Package.swift` from which the tests were compiled.
package let projectFolder = URL(filePath: #filePath).resolvingSymlinksInPath()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
