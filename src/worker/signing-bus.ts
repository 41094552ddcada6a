import type { Bus } from '../ports/bus.ts'
import { liveTopic } from '../rules/jobs/contract.ts'
import type { SignEvent } from '../rules/jobs/live.ts'

/** Wraps a bus so that published live events are signed. */
export function signingBus(bus: Bus, sign: SignEvent): Bus {
  return {
    publish: (topic, payload) => bus.publish(topic, topic === liveTopic ? sign(payload) : payload),
    subscribe: (topic, handle) => bus.subscribe(topic, handle),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  }
}
