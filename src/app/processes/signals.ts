import type { Bus } from '../../ports/bus.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Signals } from '../../ports/signals.ts'
import {
  boxesTopic,
  cancelTopic,
  liveTopic,
  outboxTopic,
  rulesTopic,
  stopTopic,
  toolsTopic,
  turnsQueue,
} from '../../rules/jobs/contract.ts'

/** Creates signals over the queue (for work) and the bus (for hints that may be lost). */
export function createSignals(queue: Queue, bus: Bus): Signals {
  return {
    turnDue: (turnId, epoch) => queue.add(turnsQueue, `turn-${turnId}-${epoch}`, { turnId }),
    outboxDue: (conversationId) => bus.publish(outboxTopic, { conversationId }),
    turnStopped: (turnId) => bus.publish(stopTopic, { turnId }),
    boxesDue: () => bus.publish(boxesTopic, {}),
    rulesDue: () => bus.publish(rulesTopic, {}),
    toolsDue: () => bus.publish(toolsTopic, {}),
    sendJob: (name, id, data) => queue.add(name, id, data),
    sendCancel: (data) => bus.publish(cancelTopic, data),
    pass: () =>
      queue.check().then(
        () => true,
        () => false,
      ),
    live: (conversationId, event) => bus.publish(liveTopic, { conversationId, event }),
  }
}
