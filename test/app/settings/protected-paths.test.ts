import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { maskedHostPaths } from '../../../src/app/settings/paths.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { writeRunFile } from '../../../src/db/embedded/run-file.ts'

test('BOX-05 GATE-12 boxes mask the socket of the embedded PostgreSQL, wherever it lies', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'masked-'))
  try {
    const environment = new Environment({ COUNTERSIGN_DATA_DIR: dataDir })
    const loaded = loadConfig({ cwd: dataDir, environment })
    if (loaded.kind !== 'ok') throw new Error('the configuration is wrong')
    const { config } = loaded
    expect(await maskedHostPaths(config)).toContain(dataDir)
    const connection = { host: '/run/user/1/countersign-x', user: 'a', database: 'b' }
    await writeRunFile(dataDir, { pid: 1, mode: 'plain', connection })
    expect(await maskedHostPaths(config)).toContain('/run/user/1/countersign-x')
  } finally {
    await rm(dataDir, { recursive: true })
  }
})
