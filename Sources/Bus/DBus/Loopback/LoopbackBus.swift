// A bus in memory: no daemon, no socket, and the time of a loop instead of real time.
//
// LoopbackRouter routes the messages; this delivers them on the loop, one at a time or in batches.

public import Signals

/// A message bus inside the process, with the semantics of a real one.
///
/// Messages are delivered in the order they were sent, from the loop's queue: never inside the call
/// that sent them. On a virtual loop a run is therefore repeatable, message for message.
public final class LoopbackBus: Sendable {
  /// Transforms a message between sender and bus: tests send it through libdbus's marshaller and
  /// back, or change it as a hostile program would.
  package typealias Transcoding = @Sendable (Message) throws -> Message

  private struct State: Sendable {
    var router = LoopbackRouter()
    var connections: [String: MessageBus] = [:]
    var isShutDown = false
    /// The work of a stalled bus, in order; nil while it is not stalled.
    var held: [@Sendable () -> Void]?
    /// Draws how long each batch waits; nil when messages are delivered one at a time.
    var batches: SeededGenerator?
    /// The messages that a connection will receive together.
    var inboxes: [String: [Message]] = [:]

    /// How long the next batch waits for more messages.
    mutating func drawDelay() -> Duration {
      guard var generator = batches else { return .zero }
      defer { batches = generator }
      return .milliseconds(LoopbackBus.batchDelays.randomElement(using: &generator) ?? 0)
    }
  }

  /// How long a connection may leave its messages unread, in milliseconds: mostly not at all.
  private static let batchDelays: [Int] = [0, 0, 0, 1, 5, 30, 90]

  /// The loop that delivers messages.
  public let loop: Loop
  /// The address that the connections report for their bus.
  public let address: String
  private let observer: MessageObserver?
  let transcode: Transcoding?
  private let state = Guarded(State())

  /// A bus without clients.
  ///
  /// - Parameters:
  ///   - loop: The loop that delivers.
  ///   - address: The address of the bus in errors.
  public convenience init(on loop: Loop, address: String = "loopback") {
    self.init(on: loop, address: address, observer: nil)
  }

  /// A bus with an observer, which sees each message when the bus receives it, on the loop and with
  /// its sender set: calls, replies and signals of the clients and of the bus itself.
  ///
  /// - Parameter batches: Draws batches: a connection does not read for a moment, then receives all
  ///   its messages before anything else runs on the loop, as a connection of libdbus does.
  package init(
    on loop: Loop, address: String = "loopback", observer: MessageObserver?,
    batches: SeededGenerator? = nil, transcode: Transcoding? = nil
  ) {
    self.loop = loop
    self.address = address
    self.observer = observer
    self.transcode = transcode
    state.withLock { $0.batches = batches }
  }

  /// A new client.
  ///
  /// ```swift
  /// let bus = LoopbackBus(on: VirtualTimeLoop())
  /// let (server, client) = (try bus.connect(), try bus.connect())
  /// ```
  ///
  /// - Throws: ``BusFailure/unreachable(address:reason:)`` when the bus was shut down.
  public func connect() throws(BusFailure) -> MessageBus {
    let joined: (MessageBus, [LoopbackRouter.Delivery])? = state.withLock { state in
      guard !state.isShutDown else { return nil }
      let (name, deliveries) = state.router.connect()
      let wire = LoopbackWire(bus: self, uniqueName: name)
      let connection = MessageBus(on: loop, address: address, over: wire, uniqueName: name)
      state.connections[name] = connection
      return (connection, deliveries)
    }
    guard let (connection, deliveries) = joined else {
      throw .unreachable(address: address, reason: "it was shut down")
    }
    loop.post { self.unlessStalled { self.deliver(deliveries) } }
    return connection
  }

  // MARK: Stalling

  /// Stops the bus like a stopped daemon: messages are held until ``resume()``.
  ///
  /// If the observer calls it, the observed message is held too.
  package func stall() { state.withLock { if $0.held == nil { $0.held = [] } } }

  /// Delivers the messages held since ``stall()``, in order. Called on the loop.
  package func resume() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    for work in held { unlessStalled(work) }
  }

  private func unlessStalled(_ work: @escaping @Sendable () -> Void) {
    let isHeld = state.withLock { state in
      state.held?.append(work)
      return state.held != nil
    }
    if !isHeld { work() }
  }

  /// Ends the bus like the exit of a daemon: every connection is closed.
  ///
  /// ```swift
  /// let bus = LoopbackBus(on: VirtualTimeLoop())
  /// let client = try bus.connect()
  /// client.onClose { failure in print(failure) }
  /// bus.shutDown()
  /// ```
  public func shutDown() {
    let connections = state.withLock { state in
      state.isShutDown = true
      defer { state.connections = [:] }
      // Ordered by their numbers: ":1.10" after ":1.9".
      return state.router.clients.compactMap { state.connections[$0.name] }
    }
    for connection in connections { connection.end("the bus closed it") }
  }

  // MARK: For connections

  /// Accepts a message; it is routed when the loop gets to it and the bus is not stalled.
  func submit(_ message: Message) {
    loop.post {
      self.observer?(message, self.loop.now)
      self.unlessStalled { self.deliver(self.state.withLock { $0.router.route(message) }) }
    }
  }

  /// Removes a connection that has ended, after its earlier messages were delivered.
  func removeConnection(_ name: String) {
    loop.post {
      self.unlessStalled {
        let deliveries = self.state.withLock { state in
          state.connections[name] = nil
          return state.router.disconnect(name)
        }
        self.deliver(deliveries)
      }
    }
  }

  private func deliver(_ deliveries: [LoopbackRouter.Delivery]) {
    var lastOfBus: Message?
    for delivery in deliveries {
      // The observer sees a broadcast signal of the bus once.
      if delivery.message.sender == BusDriver.name, lastOfBus != delivery.message {
        lastOfBus = delivery.message
        observer?(delivery.message, loop.now)
      }
      deliver(delivery.message, to: delivery.recipient)
    }
  }

  /// Delivers a message, or adds it to the batch of its recipient.
  private func deliver(_ message: Message, to recipient: String) {
    let (connection, delay): (MessageBus?, Duration?) = state.withLock { state in
      if state.inboxes[recipient] != nil {
        state.inboxes[recipient]?.append(message)
        return (nil, nil)
      }
      guard let connection = state.connections[recipient] else { return (nil, nil) }
      let drawn = state.drawDelay()
      guard drawn > .zero else { return (connection, nil) }
      state.inboxes[recipient] = [message]
      return (connection, drawn)
    }
    guard let connection else { return }
    guard let delay else { return connection.receive(message) }
    loop.after(delay) { [self] in
      for message in state.withLock({ $0.inboxes.removeValue(forKey: recipient) }) ?? [] {
        connection.receive(message)
      }
    }
  }
}
