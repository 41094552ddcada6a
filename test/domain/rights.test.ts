import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leastRoles, may, type Right, roleRanks } from '../../src/domain/caller.ts'

const documented: Readonly<Record<Right, readonly string[]>> = {
  choose_model: ['user', 'approver', 'operator'],
  decide_for_others: ['approver', 'operator'],
  allow_for_everybody: ['approver', 'operator'],
  see_rules: ['approver', 'operator'],
  read_whole_audit: ['operator'],
  lift_budgets: ['operator'],
  choose_worker: ['operator'],
  approve_tools: ['operator'],
}

test.each(Object.entries(documented))('CHAT-01 %s is for %j', (right, roles) => {
  expect(roleRanks.filter((role) => may({ role }, right as Right))).toEqual(roles)
})

test('CHAT-01 CHAT-02 the rights are exactly these, and no other source file decides by role', () => {
  expect(Object.keys(leastRoles).toSorted()).toEqual(Object.keys(documented).toSorted())
  const root = join(import.meta.dirname, '../../src')
  const own = new Set(['domain/caller.ts', 'domain/caller.ts'])
  const decides = /\brole\s*[!=]==\s*'(?:approver|operator)'|(?:caller|by)\.role\s*[!=]==\s*'/
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !own.has(path))
    .filter((path) => decides.test(readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual([])
})
