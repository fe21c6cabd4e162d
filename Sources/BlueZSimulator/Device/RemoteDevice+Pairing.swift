// Pairing by Just Works: whoever asks is paired, if there is an agent.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  // MARK: Calls

  /// Pair. Without a link it makes one first, and is answered once the services are known.
  func pair(_ call: Invocation) {
    let waiting = WaitingCall(call)
    let (isPaired, isPairing, machine) = state.withLock { state in
      (state.known.isPaired, state.isPairing, state.machine)
    }
    if isPairing { return call.refuse(.inProgress) }
    if isPaired {
      // bluetoothd tries its BR/EDR side, and says nothing before the link ends.
      return state.withLock { $0.pairingAgain.append(waiting) }
    }
    if machine.phase == .connecting { return call.refuse(.connectPending) }
    guard machine.isConnected else { return connectToPair(waiting) }
    guard host.agents.hasAgent else { return call.refuse(.authenticationFailed) }
    state.withLock { $0.pairing = [waiting] }
    if machine.isResolved { paired() }
  }

  private func connectToPair(_ waiting: WaitingCall) {
    state.withLock { state in
      state.known.isTemporary = false
      state.pairing = [waiting]
    }
    let link = WaitingCall(
      answer: { [weak self] in
        guard let self, !host.agents.hasAgent else { return }
        // Without an agent the link stays.
        endPairing(.authenticationFailed)
      },
      refuse: { [weak self] answer in
        switch answer {
        case .connectAborted: self?.endPairing(.pageTimeout)
        case .inputOutputError: self?.endPairing(answer)
        default: self?.endPairing(.authenticationCanceled)
        }
      }
    )
    perform { $0.connect(link) }
  }

  func cancelPairing(_ call: Invocation) {
    guard state.withLock({ $0.isPairing }) else { return call.refuse(.doesNotExist) }
    endPairing(.authenticationCanceled)
    call.reply()
  }

  // MARK: Ends

  /// The services are known: who waits to be paired is.
  func paired() {
    let pairing = state.withLock { state in
      defer { state.pairing = [] }
      if !state.pairing.isEmpty { state.known.isPaired = true }
      return state.pairing
    }
    guard !pairing.isEmpty else { return }
    mark(Device1.Property.bonded)
    mark(Device1.Property.paired)
    for call in pairing { call.answer() }
  }

  /// Pairing has failed, or the link has ended.
  func endPairing(_ answer: ErrorAnswer) {
    let calls = state.withLock { state in
      defer {
        state.pairing = []
        state.pairingAgain = []
      }
      return state.pairing + state.pairingAgain
    }
    for call in calls { call.refuse(answer) }
  }
}
