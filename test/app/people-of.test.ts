import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { peopleForAgent, peopleOf } from '../../src/app/people-of.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'

test.each([
  ['', []],
  ['[telegram]\napprovers = [42]\n', ['telegram']],
  ['[slack]\napprovers = ["U012AB3CD"]\n', ['slack']],
])(
  'POL-06 INT-26 a separate agent learns of a platform if its configuration names somebody: %j',
  async (text, told) => {
    await using directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'countersign.toml'), text)
    const environment = new Environment({ HOME: directory.path })
    const loaded = loadConfig({ cwd: directory.path, environment })
    if (loaded.kind === 'invalid') throw new Error('no configuration')
    expect(Object.keys(peopleOf(loaded.config))).toEqual(['telegram', 'slack'])
    expect(Object.keys(peopleForAgent(loaded.config))).toEqual(told)
  },
)
