import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { ripgrep } from '../../support/ripgrep.ts'
import { outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A program that replaces ripgrep. */
async function inItsPlace(directory: string, script: string): Promise<string> {
  const path = join(directory, 'rg')
  await writeFile(path, `#!/bin/bash\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

describe('FILE-08 limits of a search', () => {
  test('BASH-04 ripgrep uses half a GiB at most, whatever a file contains, and leaves no core dump', async () => {
    await using directory = await temporaryDirectory()
    const seen = join(directory.path, 'seen')
    const script = `echo "$(ulimit -d) $(ulimit -c)" > ${seen}; exec ${ripgrep} "$@"`
    const rg = await inItsPlace(directory.path, script)
    await using client = await startClient({ env: { COUNTERSIGN_RG: rg } })
    await writeFile(join(client.workspace, 'a'), 'needle\n')
    expect(outputOf(await client.call('grep', { pattern: 'needle' }))).toBe('a:1: needle')
    expect(await readFile(seen, 'utf8')).toBe(`${512 * 1024} 0\n`)
  })

  test.each([
    ['at once', 'kill -ABRT $$'],
    [
      'in the middle',
      `case "$*" in *files-with-matches*) exec ${ripgrep} "$@";; esac; kill -ABRT $$`,
    ],
    ['after a part of what it has to say', 'printf "%s/a\\0" "$PWD"; kill -ABRT $$'],
  ])('a ripgrep that fails %s loses no result', async (_when, script) => {
    await using directory = await temporaryDirectory()
    const rg = await inItsPlace(directory.path, script)
    await using client = await startClient({ env: { COUNTERSIGN_RG: rg } })
    await writeFile(join(client.workspace, 'a'), 'needle\n')
    await writeFile(join(client.workspace, 'b'), 'needle\n')
    expect(outputOf(await client.call('grep', { pattern: 'needle' }))).toBe(
      'a:1: needle\nb:1: needle',
    )
  })

  test.each([
    ['ripgrep', { COUNTERSIGN_RG: ripgrep }],
    ['the thread', { PATH: '/nowhere' }],
  ])('context lines of many matches are limited by %s, with a note', async (_engine, env) => {
    await using client = await startClient({ env })
    const around = `${'y'.repeat(900)}\n`.repeat(60)
    await writeFile(join(client.workspace, 'f'), `x\n${around}`.repeat(400))
    const query = { pattern: '^x', max_results: 10_000, context: 50 }
    const output = outputOf(await client.call('grep', query))
    expect(output.length).toBeGreaterThan(10_000_000)
    expect(output.length).toBeLessThan(18_000_000)
    expect(output.slice(-100)).toContain('narrow it')
  })
})
