// The program `blerun-fleet`, which runs `blerun gateway`, `blerun fleet` and a batch on a fleet.

import ArgumentParser
import Program

@main
enum Main {
  static func main() {
    let arguments = Array(ProcessArguments.all.dropFirst())
    if arguments.first == LinkGuard.word { LinkGuard.guardProcess(Array(arguments.dropFirst())) }
    Blerun.main(arguments) { command in
      if let gateway = command as? GatewayCommand {
        try GatewayProgram(gateway).run()
      } else if let batch = command as? BatchCommand, batch.onFleet.server.fleet != nil {
        try FleetBatchProgram(batch).run()
      } else if let about = command as? any AboutFleet {
        try FleetProgram(about).run()
      } else {
        try command.run()
      }
    }
  }
}
