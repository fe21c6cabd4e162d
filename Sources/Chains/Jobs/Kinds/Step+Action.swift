// The list of all step kinds. Each kind has a file in this folder, named after its verb.
//
// A new kind needs its file and three lines here: a case, its `kind`, and a place in `entries`.

extension Step {
  /// The operation of a step, with its parameters.
  public indirect enum Action: Hashable, Sendable {
    /// Connects, and waits until the services are resolved.
    case connect
    /// Disconnects; no effect without a connection.
    case disconnect
    /// Reads a value.
    case read(ReadStep)
    /// Writes a value.
    case write(WriteStep)
    /// Subscribes, and receives values until a stop condition is met.
    case notify(NotifyStep)
    /// Writes, and waits for the notification that answers.
    case exchange(ExchangeStep)
    /// Reads at a fixed interval.
    case poll(PollStep)
    /// Combines the latest values of several characteristics.
    case combine(CombineStep)
    /// Replaces the firmware of the device.
    case firmware(FirmwareStep)
    /// Measures the RSSI of the connection, once or at a fixed interval.
    case rssi(RSSIStep)
    /// Measures how fast the connection carries values.
    case throughput(ThroughputStep)
    /// Pairs with the device.
    case pair(PairStep)
    /// Forgets the device and its bond.
    case unpair
    /// Marks the device as trusted by this host, or removes the mark.
    case trust(TrustStep)
    /// Reads the ATT MTU.
    case mtu
    /// Reads or changes interval, latency and supervision timeout of the connection.
    case connectionParameters(ConnectionParametersStep)
    /// Lists the attributes of the device, and checks which are present.
    case services(ServicesStep)
    /// Reads a descriptor.
    case readDescriptor(ReadDescriptorStep)
    /// Writes a descriptor.
    case writeDescriptor(WriteDescriptorStep)
    /// Scans for nearby devices; needs no connection.
    case scan(ScanStep)
    /// Waits for a fixed time.
    case sleep(SleepStep)
    /// Logs a text, with captured values substituted.
    case log(LogStep)
    /// Runs a local program, if the run allows it.
    case command(CommandStep)
    /// Runs steps a fixed number of times.
    case `repeat`(RepeatStep)
    /// Runs steps if a condition holds, and other steps if it does not.
    case when(WhenStep)
    /// Fails unless a condition holds.
    case assert(AssertStep)
    /// Computes a value from captured values.
    case set(SetStep)
    /// Runs steps, then cleanup steps even if the first failed.
    case `try`(TryStep)

    /// The kind: keys, wording and behaviour.
    var kind: any StepKind {
      switch self {
      case .connect: ConnectStep()
      case .disconnect: DisconnectStep()
      case .read(let kind): kind
      case .write(let kind): kind
      case .notify(let kind): kind
      case .exchange(let kind): kind
      case .poll(let kind): kind
      case .combine(let kind): kind
      case .firmware(let kind): kind
      case .rssi(let kind): kind
      case .throughput(let kind): kind
      case .pair(let kind): kind
      case .unpair: UnpairStep()
      case .trust(let kind): kind
      case .mtu: MTUStep()
      case .connectionParameters(let kind): kind
      case .services(let kind): kind
      case .readDescriptor(let kind): kind
      case .writeDescriptor(let kind): kind
      case .scan(let kind): kind
      case .sleep(let kind): kind
      case .log(let kind): kind
      case .command(let kind): kind
      case .repeat(let kind): kind
      case .when(let kind): kind
      case .assert(let kind): kind
      case .set(let kind): kind
      case .try(let kind): kind
      }
    }
  }

  /// All entries that a list of steps may contain, in the order of the documentation and of errors.
  static let entries: [any StepEntry.Type] = [
    ReadStep.self, WriteStep.self, NotifyStep.self, ExchangeStep.self, PollStep.self,
    CombineStep.self,
    ScanStep.self, SleepStep.self, RepeatStep.self, WhenStep.self, AssertStep.self, SetStep.self,
    TryStep.self,
    IncludeEntry.self, ConnectStep.self, DisconnectStep.self, RSSIStep.self,
    ThroughputStep.self, LogStep.self,
    CommandStep.self, PairStep.self, UnpairStep.self, TrustStep.self, MTUStep.self,
    ConnectionParametersStep.self, ServicesStep.self, ReadDescriptorStep.self,
    WriteDescriptorStep.self, FirmwareStep.self,
  ]
}
