// The program `blerun`. Its commands are in Program.

import Program

@main
enum Main {
  static func main() { Blerun.main() }
}
