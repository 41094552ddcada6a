import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { probeDriver } from '../../../src/adapters/sandbox/probe-driver.ts'
import { SandboxUnavailable } from '../../../src/adapters/sandbox/sandbox-options.ts'
import type { Box, SandboxDriver } from '../../../src/ports/sandbox.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

/** A driver whose boxes print these lines and run until killed. */
function silentDriver(...lines: readonly string[]) {
  const killed: string[] = []
  const driver: SandboxDriver = {
    name: 'docker',
    confined: true,
    refusesSetuid: true,
    warnings: [],
    boxWorkspace: (host) => host,
    sweep: async () => 0,
    start: async ({ key }): Promise<Box> => {
      const exited = Promise.withResolvers<{ code: number | null; signal: string | null }>()
      const stdout = new PassThrough()
      for (const line of lines) stdout.write(`${line}\n`)
      return {
        ...{ stdin: new PassThrough(), stdout, stderr: new PassThrough() },
        ...{ pid: 1, startTicks: 0, exited: exited.promise },
        kill: async () => {
          killed.push(key)
          exited.resolve({ code: null, signal: 'SIGKILL' })
        },
      }
    },
  }
  return { driver, killed }
}

test('BOX-01 a box that never reports ready is ended, and its driver is not used', async () => {
  await using place = makeSandboxPlace()
  const { driver, killed } = silentDriver()
  const probing = probeDriver(driver, place.options, 50)
  await expect(probing).rejects.toThrow(SandboxUnavailable)
  await expect(probing).rejects.toThrow('docker: no box worked within 0.05 s')
  expect(killed).toHaveLength(1)
})

test('BOX-01 a box that reports ready but does nothing is not used either', async () => {
  await using place = makeSandboxPlace()
  const { driver, killed } = silentDriver('{"type":"ready"}')
  const probing = probeDriver(driver, place.options, 50)
  await expect(probing).rejects.toThrow(SandboxUnavailable)
  await expect(probing).rejects.toThrow('docker: no box worked within 0.05 s')
  expect(killed).toHaveLength(1)
})
