// A world for a test of one chain.

@testable import SimulatedRuns

extension World {
  /// A world in which one program runs one chain on the first device, and nothing goes wrong.
  static func playing(_ steps: [ChainStep]) -> World {
    var world = World(seed: 1)
    let chain = ChainPlan(
      device: 0, start: .zero, way: .awaited, limit: .seconds(60), cancelledAfter: nil,
      steps: steps
    )
    world.programs = [World.Program(chains: [chain])]
    world.disturbances = []
    world.stall = nil
    world.batches = nil
    return world
  }
}
