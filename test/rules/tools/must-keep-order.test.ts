import { expect, test } from 'vitest'
import { mustKeepOrder, type OrderedCall } from '../../../src/rules/tools/must-keep-order.ts'
import { allTools, findTool } from '../../../src/rules/tools/registry.ts'

const apart = { hasNetwork: false }
const networked = { hasNetwork: true }

function named(name: string): OrderedCall {
  const spec = findTool(name)
  if (spec === undefined) throw new Error(`no tool ${name}`)
  return { mutating: spec.mutating, spec }
}

test('REG-07 of all tools, two that only read never wait for each other, and two that change something always do', () => {
  for (const a of allTools) {
    for (const b of allTools) {
      const [one, other] = [named(a.name), named(b.name)]
      for (const options of [apart, networked]) {
        const inOrder = mustKeepOrder(one, other, options)
        expect(mustKeepOrder(other, one, options)).toBe(inOrder)
        if (a.mutating && b.mutating)
          expect([a.name, b.name, inOrder]).toEqual([a.name, b.name, true])
        if (!a.mutating && !b.mutating)
          expect([a.name, b.name, inOrder]).toEqual([a.name, b.name, false])
      }
    }
  }
})

test.each(['read', 'grep', 'find_path', 'list_directory'])(
  'REG-07 %s waits for everything that changes files, and is waited for',
  (reader) => {
    for (const { name, mutating } of allTools) {
      if (mutating)
        expect([name, mustKeepOrder(named(name), named(reader), apart)]).toEqual([name, true])
    }
  },
)

test.each(['fetch', 'web_scrape'])(
  'REG-07 %s waits for commands that have a network, and for no change of files',
  (web) => {
    expect(mustKeepOrder(named('bash'), named(web), networked)).toBe(true)
    expect(mustKeepOrder(named('bash'), named(web), apart)).toBe(false)
    expect(mustKeepOrder(named('write'), named(web), networked)).toBe(false)
  },
)

test('REG-07 what the agent reads of its own rows waits for nothing; a tool that is not known, or changes something outside the box, for everything', () => {
  const unknown: OrderedCall = { mutating: true, spec: undefined }
  const outside: OrderedCall = { mutating: true, spec: { runsIn: 'worker' } }
  for (const own of ['read_overflow', 'tool_search']) {
    expect(mustKeepOrder(named('bash'), named(own), networked)).toBe(false)
  }
  for (const other of ['read', 'fetch', 'bash']) {
    expect(mustKeepOrder(unknown, named(other), apart)).toBe(true)
    expect(mustKeepOrder(outside, named(other), apart)).toBe(true)
  }
  expect(mustKeepOrder(named('write'), { mutating: false, spec: undefined }, apart)).toBe(true)
})
