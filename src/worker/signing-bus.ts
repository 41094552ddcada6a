import type { Bus } from '../ports/bus.ts'
import { liveTopic } from '../rules/jobs/contract.ts'
import type { SignEvent } from '../rules/jobs/live.ts'

/** A bus that signs the live events which leave through it. */
export function signingBus(bus: Bus, speak: SignEvent): Bus {
  return {
    publish: (topic, payload) => bus.publish(topic, topic === liveTopic ? speak(payload) : payload),
    subscribe: (topic, handle) => bus.subscribe(topic, handle),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  }
}
