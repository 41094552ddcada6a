import { expect, test } from 'vitest'
import { idleSections } from '../../src/app/idle-sections.ts'
import { configOf, loadToml } from '../config/support.ts'

test('CONF-02 sections without an implementation are off by default, and reported when switched on', () => {
  expect(idleSections(configOf(loadToml('')))).toEqual([])
  const config = configOf(
    loadToml(`
[mcp.issues]
command = "issues-server"
network = true
[mcp.off]
command = "x"
enabled = false
network = true
[mcp.plain]
command = "y"
[scheduler]
enabled = true
[memory]
enabled = true
[agents]
enabled = true
[index]
enabled = true
`),
  )
  const words = ['[scheduler]', '[memory]', '[agents]', '[index]', '[mcp.issues]']
  const found = idleSections(config)
  expect(found).toHaveLength(words.length)
  for (const [at, word] of words.entries()) expect(found[at]).toContain(`${word}`)
})
