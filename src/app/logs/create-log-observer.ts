import type { Observer, ProductEvent } from '../../ports/observer.ts'
import type { Log } from '../../util/log.ts'

/**
 * One line an event. Ids go by the same names in every line of every process (`conversation`, `event`, `turn`, `call`,
 * `approval`), so that looking for one finds all that happened to it.
 */
export function createLogObserver(log: Log): Observer {
  return {
    told: (event) => {
      const { kind, ...fields } = event
      const level = kind === 'tool_anomaly' ? 'warn' : 'info'
      log[level](renamed(fields), kind.replaceAll('_', ' '))
    },
  }
}

const names: Readonly<Record<string, string>> = {
  conversationId: 'conversation',
  eventId: 'event',
  sessionId: 'session',
  turnId: 'turn',
  callId: 'call',
  approvalId: 'approval',
  outboxId: 'outbox',
}

function renamed(fields: Omit<ProductEvent, 'kind'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [names[name] ?? name, shortened(value)]),
  )
}

/** A thousandth of a millisecond says nothing to anybody. */
function shortened(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value
}
