// The figures that are promised of release builds: counted, so that a busy machine does not blur
// them, or processor time with a wide margin.

import Testing

@Suite("Measurements")
struct MeasurementTests {
  private let measured = Measurements.measured

  @Test("a step of a chain, built and run, makes at most four allocations")
  func allocations() throws {
    let allocations = try #require(measured["allocations-per-step"], "\(measured.lines)")
    #expect(allocations > 0)
    #expect(allocations <= 4)
  }

  @Test("the first files of a process take at most 12 000 allocations: no schema is made for them")
  func firstFiles() throws {
    let allocations = try #require(measured["allocations-of-first-files"], "\(measured.lines)")
    #expect(allocations > 0)
    #expect(allocations <= 12_000)
  }

  @Test("100 000 chains leave no memory behind")
  func growth() throws {
    let octets = try #require(measured["growth-octets"], "\(measured.lines)")
    // Room for what the allocator keeps, not for an octet a chain.
    #expect(octets < 16_384)
  }

  @Test("a long repetition takes no more memory than a short one")
  func repetition() throws {
    let octets = try #require(measured["repetition-growth-octets"], "\(measured.lines)")
    #expect(octets < 16_384)
  }

  @Test("1 000 simulated chains (connect, read, disconnect) take under 2 s of CPU")
  func simulated() throws {
    let seconds = try #require(measured["simulated-chains-cpu-seconds"], "\(measured.lines)")
    #expect(seconds > 0)
    #expect(seconds < 2)
  }

  @Test(
    "blerun --version takes at most 2.5 million instructions, a simulated chain of five steps 20 million",
    .enabled(if: Measurements.measured.areStartsCounted, "needs valgrind"),
    arguments: [("version", 2_500_000), ("five-steps", 20_000_000)]
  )
  func startInstructions(start: String, limit: Double) throws {
    let instructions = try #require(measured["\(start)-instructions"], "\(measured.lines)")
    #expect(instructions > 500_000)
    #expect(instructions <= limit)
  }

  @Test(
    "of blerun --version the kernel supplies at most 380 pages, of five steps 800",
    arguments: [("version", 380), ("five-steps", 800)]
  )
  func startPages(start: String, limit: Double) throws {
    let faults = try #require(measured["\(start)-page-faults"], "\(measured.lines)")
    #expect(faults > 50)
    #expect(faults <= limit)
  }

  @Test(
    "of 1 000 simulated devices, a message costs at most 1.3 times what it costs of 100",
    .enabled(
      if: Measurements.measured.areInstructionsCounted,
      "the kernel refuses perf_event_open here, or nothing counts instructions"
    )
  )
  func manyDevices() throws {
    let growth = try #require(measured["many-devices-growth"], "\(measured.lines)")
    #expect(growth > 0)
    #expect(growth <= 1.3)
  }

  @Test(
    "a read through the chain API takes at most 0.75 of the instructions of a plain C client's",
    .enabled(
      if: Measurements.measured.areInstructionsCounted,
      "the kernel refuses perf_event_open here, or nothing counts instructions"
    )
  )
  func instructions() throws {
    let ratio = try #require(measured["instructions-per-read-ratio"])
    #expect(ratio > 0)
    #expect(ratio <= 0.75)
  }
}
