// The program `blerun-serve`, which runs `blerun serve`.

import Program

@main
enum Main {
  static func main() {
    Blerun.main(as: ServeCommand.self) { command in try DashboardProgram(command).run() }
  }
}
