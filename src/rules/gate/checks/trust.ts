import { trustOf } from '../../../domain/trust.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { Finding } from './finding.ts'

/** POL-03: a blocked tool runs nothing; a quarantined one always asks, whatever rules and grants say (GATE-10 included). */
export function checkTrust(tool: string, { trust }: Pick<GateFacts, 'trust'>): readonly Finding[] {
  const level = trustOf(trust, tool)
  if (level === 'blocked') {
    const reason = `the tool ${tool} is blocked; only an operator can let it run again`
    return [{ check: 'trust', action: 'deny', reason }]
  }
  if (level !== 'quarantined') return []
  const reason = `the tool ${tool} is quarantined, so every call of it asks`
  return [{ check: 'trust', action: 'ask', reason, isHazard: true }]
}
