import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { prepareDataDirectory } from '../../../src/cli/start/start.ts'

test.each([
  ['/proc/countersign', 'nothing can be made there'],
  ['/proc/self/countersign/data', 'nothing can be made there'],
  ['/dev/null/data', 'a part of its path is a file'],
])('CONF-02 CLI-01 a data directory at %s is refused in words, and at once', (path, why) => {
  expect(() => prepareDataDirectory(path)).toThrow(
    expect.objectContaining({
      message: `the data directory ${path} cannot be used: ${why}; name another one by data_dir in countersign.toml, or COUNTERSIGN_DATA_DIR`,
      exitCode: 2,
    }),
  )
})

test('CONF-02 one that can be made is made, for its owner alone, and nothing is left in it', () => {
  const root = mkdtempSync(join(tmpdir(), 'countersign-data-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const path = join(root, 'a', 'b')
  prepareDataDirectory(path)
  prepareDataDirectory(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(readdirSync(path)).toEqual([])
  writeFileSync(join(root, 'file'), '')
  expect(() => prepareDataDirectory(join(root, 'file'))).toThrow('a part of its path is a file')
})
