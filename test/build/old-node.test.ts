import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { isSupportedNode } from '../../src/cli/doctor/check-host.ts'
import { mainProgram } from '../support/run/programs.ts'

/** A Node of this machine that is too old for the product. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .concat('/usr/bin', '/usr/local/bin')
  .map((directory) => join(directory, 'node'))
  .filter(existsSync)
  .find((node) => !isSupportedNode(versionOf(node)))

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
}

test.skipIf(oldNode === undefined)(
  'SHIP-02 CLI-01 an older Node says in words that it is too old, and exits with 2',
  () => {
    const ended = spawnSync(oldNode ?? '', [mainProgram, 'start'], { encoding: 'utf8' })
    expect(ended.stderr).toMatch(
      /^error\[INSTALLATION_UNUSABLE\]: Countersign does not run on Node [\d.]+: use Node 22\.19 or newer\n$/,
    )
    expect(ended).toMatchObject({ status: 2, stdout: '' })
  },
)
